/** Finds the command: goes through the table word by word, with global flags allowed in between. */
import { invalidInput } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { type Command, type Group, isGroup } from './command.ts'
import { globalFlags } from './global-flags.ts'
import { readFlags, type Values } from './words.ts'

export interface FoundCommand {
  /** The names from the program on: `['signalbox', 'acmq', 'send']`. */
  readonly path: readonly string[]
  readonly member: Command | Group
  /** The words after the command. */
  readonly rest: readonly string[]
}

export function findCommand(words: readonly string[], table: Group, globals: Values): FoundCommand {
  let member: Command | Group = table
  const path = [table.name]
  let rest = words
  while (isGroup(member)) {
    const { at } = readFlags(rest, globalFlags, globals, { untilWord: true })
    const word = rest[at]
    if (word === undefined || word === '--') return { path, member, rest: [] }
    rest = rest.slice(at + 1)
    // `help X` is `X --help`.
    if (member === table && word === 'help') {
      globals.help = true
      continue
    }
    const next: Command | Group | undefined = member.members.find(({ name }) => name === word)
    if (next === undefined) throw unknownCommand(word, path, member)
    path.push(word)
    member = next
  }
  return { path, member, rest }
}

function unknownCommand(word: string, path: readonly string[], group: Group) {
  const known = group.members.map(({ name }) => name)
  const meant = nearest(word, known)
  const prefix = path.join(' ')
  return invalidInput('UNKNOWN_COMMAND', `There is no command ${JSON.stringify(word)} in ${prefix}.`, {
    hint: meant ? `Did you mean \`${prefix} ${meant}\`?` : `\`${prefix} --help\` lists them all.`,
    details: { word, known },
  })
}

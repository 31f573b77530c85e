/** The command table as flat data, for completion scripts. */
import type { Field, Fields } from '../../../kernel/field.ts'
import { type Group, isGroup, type Summaries } from '../command.ts'
import { globalFlags } from '../global-flags.ts'
import { shownInputs } from '../help.ts'
import { fileFlags } from '../long-text.ts'
import { shownFlag } from '../spelling.ts'

export interface Choice {
  readonly word: string
  readonly help: string
}

export interface FlagDescription extends Choice {
  /** `none`: takes no value. `any`: takes one that cannot be completed. */
  readonly value: 'none' | 'any' | 'file' | 'folder' | readonly string[]
}

/** A place on the command line: behind `signalbox`, behind `signalbox acmq`, behind `signalbox doctor`. */
export interface CompletionPlace {
  /** Names after the program, joined by spaces; empty for the program itself. */
  readonly path: string
  readonly next: readonly Choice[]
  readonly flags: readonly FlagDescription[]
  /** True when a file may stand here. */
  readonly takesFiles: boolean
}

export interface Commands {
  readonly program: string
  readonly places: readonly CompletionPlace[]
  readonly globals: readonly FlagDescription[]
  /** Of all places but the program itself. */
  readonly paths: readonly string[]
  /** The flags that take a value, each once. */
  readonly withValue: readonly string[]
  /** Groups that have an executable of their own: `acmq` is `signalbox acmq`. */
  readonly executables: readonly string[]
}

const ownExecutables = ['acmq']

export async function describeCommands(table: Group, summaries: Summaries): Promise<Commands> {
  const places: CompletionPlace[] = []
  await walk(table, '')
  const executables = table.members.map(({ name }) => name).filter((name) => ownExecutables.includes(name))
  const globals = flagsOf(globalFlags)
  const flags = [...globals, ...places.flatMap((place) => place.flags)]
  const withValue = [...new Set(flags.filter(({ value }) => value !== 'none').map(({ word }) => word))]
  const paths = places.map(({ path }) => path).filter((path) => path !== '')
  return { program: table.name, places, paths, globals, withValue, executables }

  async function walk(group: Group, path: string): Promise<void> {
    const pathOf = (name: string) => (path === '' ? name : `${path} ${name}`)
    const next = group.members.map(({ name }) => ({ word: name, help: summaries[pathOf(name)] ?? '' }))
    places.push({ path, next, flags: [], takesFiles: false })
    for (const member of group.members) {
      const inner = pathOf(member.name)
      if (isGroup(member)) await walk(member, inner)
      else {
        const input = shownInputs((await member.load()).operation)
        places.push({ path: inner, ...wordsOf(input), flags: flagsOf({ ...input, ...fileFlags(input) }) })
      }
    }
  }
}

function wordsOf(input: Fields): Pick<CompletionPlace, 'next' | 'takesFiles'> {
  const positional = Object.values(input).filter((field) => field.positional)
  const next = positional.flatMap((field) =>
    field.type === 'choice' ? field.choices.map((word) => ({ word, help: field.help })) : [],
  )
  return { next, takesFiles: positional.some((field) => field.type === 'text' && field.completes !== undefined) }
}

function flagsOf(fields: Fields): FlagDescription[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (field.positional) return []
    return [{ word: shownFlag(name, field), help: field.help, value: offerFor(field) }]
  })
}

function offerFor(field: Field): FlagDescription['value'] {
  if (field.type === 'flag') return 'none'
  if (field.type === 'list') return offerFor(field.of)
  if (field.type === 'choice') return field.choices
  return (field.type === 'text' ? field.completes : undefined) ?? 'any'
}

/** As one word of bash or zsh. */
export const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

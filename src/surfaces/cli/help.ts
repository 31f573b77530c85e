/** Help, made from the command table and the operations, so that it cannot differ from what is accepted. */
import type { Field, Fields } from '../../kernel/field.ts'
import { expectedOf, printDuration } from '../../operations/check-input.ts'
import { exitOf, type Operation } from '../../operations/define.ts'
import type { Group, Summaries } from './command.ts'
import { globalFlags, shortFlags } from './global-flags.ts'
import { grid } from './grid.ts'
import { fileFlags } from './long-text.ts'
import { flagOf, placeholderOf, shownFlag, spelled } from './spelling.ts'
import type { Screen } from './terminal.ts'
import { widthOf } from './width.ts'

export function groupHelp(path: readonly string[], group: Group, summaries: Summaries, screen: Screen): string {
  const { paint } = screen
  const typed = path.join(' ')
  const isProgram = path.length === 1
  const { summary, members } = summariesIn(path, group, summaries)
  const commands = members.map(({ name, summary }) => ({ name, help: summary }))
  const parts = [
    `${paint('bold', typed)}: ${summary}`,
    `${paint('bold', 'Usage:')} ${typed} COMMAND [words] [options]`,
    section('Commands', pairs(commands, screen), screen),
  ]
  if (isProgram) parts.push(section('Options, for every command', optionGrid(globalFlags, screen), screen))
  const welcome = isProgram ? ` New here? Run \`${typed} demo\`.` : ''
  parts.push(`\`${typed} COMMAND --help\` explains one.${welcome}`)
  return parts.map(ended).join('\n')
}

export function commandHelp(path: readonly string[], operation: Operation, screen: Screen): string {
  const { paint } = screen
  const input = shownInputs(operation)
  const fields = { ...input, ...fileFlags(input) }
  const options = Object.fromEntries(Object.entries(fields).filter(([, field]) => !field.positional))
  const places = Object.entries(fields).filter(([, field]) => field.positional)
  const parts = [operation.summary, `${paint('bold', 'Usage:')} ${usageLine(path, operation)}`]
  if (operation.more) parts.push(wrapped(operation.more, Math.min(screen.columns, 100)))
  if (places.length > 0) {
    const rows = places.map(([name, field]) => ({ name: placeholderOf(name, field), help: helpOf(field) }))
    parts.push(section('Words', pairs(rows, screen), screen))
  }
  if (Object.keys(options).length > 0) parts.push(section('Options', optionGrid(options, screen), screen))
  if (operation.words) {
    const { title, rows } = operation.words
    const known = rows.map(([name, help]) => ({ name, help }))
    parts.push(section(title, pairs(known, screen), screen))
  }
  const globals = Object.entries(globalFlags).map(([name, field]) => flagUsage(name, field))
  parts.push(`${paint('bold', 'Options, for every command:')} ${globals.join(' ')}`)
  const examples = operation.examples.map(({ command, does }) => ({ name: `${path[0]} ${command}`, help: does }))
  parts.push(section('Examples', pairs(examples, screen), screen))
  parts.push(`${paint('bold', 'Exit status:')} ${exitsOf(operation)}`)
  return parts.map(ended).join('\n')
}

/** Without the older ways to name who acts, which `--as` replaces. */
export const shownInputs = ({ input }: Pick<Operation, 'input'>): Fields =>
  Object.fromEntries(Object.entries(input).filter(([, field]) => !('isActor' in field && field.isActor)))

/** `signalbox doctor [--fix]` */
export function usageLine(path: readonly string[], operation: Operation): string {
  const words = Object.entries(shownInputs(operation)).map(([name, field]) => {
    const usage = field.positional ? placeholderOf(name, field) : flagUsage(name, field)
    const either = 'fileFlag' in field && field.fileFlag ? `${usage} | ${flagOf(field.fileFlag)} FILE` : usage
    const repeated = field.type === 'list' ? '…' : ''
    return field.required ? `${either}${repeated}` : `[${either}]${repeated}`
  })
  return [...path, ...words].join(' ')
}

/** Help for programs: the same, as data. */
export function helpJson(path: readonly string[], operation: Operation, { spell }: Pick<Screen, 'spell'>): unknown {
  const inputs = Object.entries(shownInputs(operation)).map(([name, field]) => ({
    name,
    spelled: spelled(name, field),
    expected: spell(expectedOf(field)),
    required: field.required === true,
    ...('default' in field && field.default !== undefined ? { default: field.default } : {}),
    help: field.help,
  }))
  const { summary, examples, words } = operation
  const exits = Object.fromEntries(Object.entries(operation.outcomes).map(([name, meaning]) => [name, exitOf(meaning)]))
  const usage = usageLine(path, operation)
  return {
    outcome: 'explained',
    command: path.join(' '),
    summary,
    usage,
    inputs,
    ...(words ? { words: Object.fromEntries(words.rows) } : {}),
    exits,
    examples,
  }
}

export function groupJson(path: readonly string[], group: Group, summaries: Summaries): unknown {
  const { summary, members } = summariesIn(path, group, summaries)
  return { outcome: 'explained', command: path.join(' '), summary, commands: members }
}

function summariesIn([, ...path]: readonly string[], { members }: Group, summaries: Summaries) {
  const of = (words: readonly string[]) => summaries[words.join(' ')] ?? ''
  return { summary: of(path), members: members.map(({ name }) => ({ name, summary: of([...path, name]) })) }
}

function flagUsage(name: string, field: Field): string {
  return field.type === 'flag' ? shownFlag(name, field) : `${flagOf(name)} ${placeholderOf(name, field)}`
}

function optionGrid(fields: Fields, screen: Screen): string {
  const shortOf = (name: string) =>
    Object.entries(shortFlags).find(([, long]) => long === name && fields === globalFlags)?.[0]
  const rows = Object.entries(fields).map(([name, field]) => {
    const short = shortOf(name)
    return { name: short ? `${flagUsage(name, field)}, -${short}` : flagUsage(name, field), help: helpOf(field) }
  })
  return pairs(rows, screen)
}

function helpOf(field: Field): string {
  const notes: string[] = []
  if (field.type === 'choice' || field.type === 'integer') notes.push(expectedOf(field))
  if (field.type === 'duration' && field.needsUnit) notes.push('with its unit, such as 12h or 7d')
  if (field.required) notes.push('required')
  if (field.type === 'list') notes.push('may be repeated')
  if (field.type !== 'list' && field.type !== 'flag' && field.default !== undefined) {
    notes.push(`default ${field.type === 'duration' ? printDuration(field.default) : field.default}`)
  }
  if (field.type === 'integer' && field.textDefault !== undefined)
    notes.push(`default ${field.textDefault}, with --json all`)
  return notes.length > 0 ? `${field.help} (${notes.join('; ')})` : field.help
}

function exitsOf(operation: Operation): string {
  const byExit = new Map<number, string[]>()
  for (const [name, meaning] of Object.entries(operation.outcomes)) {
    byExit.set(exitOf(meaning), [...(byExit.get(exitOf(meaning)) ?? []), name])
  }
  const own = [...byExit].sort(([a], [b]) => a - b).map(([exit, names]) => `${exit} ${names.join(' or ')}`)
  return `${own.join(', ')}. Errors: 2 invalid input, 3 not found, 4 conflict, 5 corrupt, 6 denied, 7 unsupported, 8 unavailable.`
}

/** Names and what they mean. On a terminal the meaning is wrapped beside its name; elsewhere it is one line. */
function pairs(rows: readonly { readonly name: string; readonly help: string }[], screen: Screen): string {
  const names = Math.max(...rows.map(({ name }) => widthOf(name)))
  const room = screen.isTerminal ? Math.max(30, screen.columns - names - 5) : Number.POSITIVE_INFINITY
  const lines = rows.flatMap(({ name, help }) =>
    wrapped(help, room)
      .split('\n')
      .map((line, n) => ({ name: n === 0 ? name : '', line })),
  )
  return grid(lines, [{ text: ({ name }) => name, colour: () => 'cyan' }, { text: ({ line }) => line }], screen, '  ')
}

const section = (title: string, body: string, { paint }: Screen) => `${paint('bold', `${title}:`)}\n${body}`
const ended = (text: string) => (text.endsWith('\n') ? text : `${text}\n`)

function wrapped(text: string, columns: number): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join('\n')
}

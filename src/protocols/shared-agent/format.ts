/** A line of the protocol as a record, and back. Shared Agent Protocol §2; what we decided beyond it: README.md. Pure. */
import { type CommandSpec, type Tail, wordsOf } from './commands/spec.ts'
import { isVariableName } from './names.ts'
import { quotedWord, Refusal } from './refusal.ts'
import type { Command, Line, Modifier } from './schema.ts'
import { escapeLast, escapeSegment, type Segment, segmentsOf } from './segments.ts'

/** In UTF-16 units. Nobody types a longer line. */
export const longestLine = 16_384

const largestLimit = 100
const day = 86_400

const start = /^#([A-Z][A-Z0-9_]*)(?=:|\s*$)/
const declaration = /^\{\{([^{}]*)\}\}:\s*(?:"(.*)"|(.*?))\s*$/s
const control = /[\u0000-\u0008\u000a-\u001f\u007f]/

/** The name of the command that a line begins with, if any. */
export const commandNameIn = (line: string): string | undefined => start.exec(line)?.[1]

export type Table = readonly CommandSpec[]

/** Throws a `Refusal` for a line that begins like a command and is not one. White space at its end is no part of a command. */
export function parseLine(written: string, table: Table): Line {
  if (written.length > longestLine)
    throw new Refusal('E004', `max_line_${longestLine}`, `The line has ${written.length} characters.`, longestLine)
  const line = written.trimEnd()
  const odd = line.search(control)
  if (odd >= 0) throw new Refusal('E002', 'control_character', 'A line has no control characters.', odd)
  const [, name, quoted, bare = ''] = declaration.exec(line) ?? []
  if (name !== undefined && !isVariableName(name))
    throw new Refusal('E002', 'bad_variable_name', 'A variable has capitals, digits and underscores.', 2)
  if (name !== undefined) return { kind: 'declaration', name, value: quoted ?? bare }
  const head = commandNameIn(line)
  return head === undefined ? { kind: 'plain', text: written } : commandOf(line, head, table)
}

function commandOf(line: string, head: string, table: Table): Command {
  const forms = table.filter((spec) => wordsOf(spec)[0] === head)
  if (forms.length === 0)
    throw new Refusal('E001', `unknown_command_${quotedWord(head)}`, `There is no command #${head}.`, 1)
  const from = head.length + 1
  let segments = line.length === from ? [] : segmentsOf(line, from + 1)
  // `#NEXT:` has a colon and nothing behind it.
  if (segments.length === 1 && segments[0]!.text === '') segments = []
  const spec = formOf(forms, segments[0]?.text)
  if (!spec) throw noForm(forms, segments[0])
  return readParameters(spec, wordsOf(spec)[1] === undefined ? segments : segments.slice(1), line.length)
}

/** `#STATE:save` by its second word; `#ROLLBACK:cp_001` is the form that has none. */
function formOf(forms: Table, word: string | undefined): CommandSpec | undefined {
  const named = word === undefined ? undefined : forms.find((spec) => wordsOf(spec)[1] === word)
  const plain = forms.find((spec) => wordsOf(spec)[1] === undefined)
  return named ?? (word === undefined || plain?.parameters.length || isModifier(word) ? plain : undefined)
}

function noForm(forms: Table, segment: Segment | undefined): Refusal {
  const words = forms.flatMap((spec) => wordsOf(spec)[1] ?? [])
  const reason = `${segment ? `${JSON.stringify(segment.text.slice(0, 40))} is none of` : 'One is missing of'}: ${words.join(', ')}.`
  return new Refusal('E002', `expected_${words.join('_')}`, reason, segment?.at)
}

function readParameters(spec: CommandSpec, all: readonly Segment[], end: number): Command {
  const { parameters, tails = [] } = spec
  const required = parameters.filter(({ optional }) => !optional).length
  let segments = all
  let modifier: Modifier | undefined
  const last = segments.at(-1)
  if (last && segments.length > required && isModifier(last.text)) {
    modifier = modifierOf(last)
    segments = segments.slice(0, -1)
  }
  const given: Record<string, string> = {}
  while (segments.length > required) {
    const [found, before] = [segments.at(-1)!, segments.slice(0, -1)]
    const tail = tails.findLast((one) => given[one.name] === undefined && looksLike(one, found.text, textOf(before)))
    if (!tail) break
    given[tail.name] = checkedTail(tail, found)
    segments = before
  }
  for (const [n, parameter] of parameters.entries()) {
    const isLast = n === parameters.length - 1
    const own = isLast ? segments.slice(n) : segments.slice(n, n + 1)
    const text = textOf(own)
    if (text === '') {
      if (parameter.optional && own.length === 0) continue
      const { name } = parameter
      throw new Refusal('E002', `missing_${quotedWord(name)}`, `<${name}> is missing.`, own[0]?.at ?? end)
    }
    // A mistyped filter is no part of a path.
    if (parameter.kind === 'path' && own.length > 1) throw oddTail(tails, own.at(-1)!)
    given[parameter.name] = text
  }
  const extra = parameters.length === 0 ? segments[0] : undefined
  if (extra) throw new Refusal('E002', 'too_many_parameters', `#${spec.name} takes nothing more.`, extra.at)
  return { kind: 'command', spec, given, modifier }
}

function oddTail(tails: readonly Tail[], { text, at }: Segment): Refusal {
  const [choice] = tails.flatMap((tail) => (tail.kind === 'choice' ? [tail] : []))
  const colon = 'A colon in a path is written \\:'
  if (!choice) return new Refusal('E002', 'bad_path', `${colon}.`, at)
  const known = `${JSON.stringify(text.slice(0, 40))} is none of: ${choice.choices.join(', ')}.`
  return new Refusal('E002', `unknown_${choice.name}_${quotedWord(text)}`, `${known} ${colon}.`, at)
}

const isModifier = (text: string): boolean => /^(?:brief|standard|detailed|limit=.*)$/s.test(text)

function modifierOf({ text, at }: Segment): Modifier {
  if (text === 'brief' || text === 'standard' || text === 'detailed') return text
  const written = text.slice('limit='.length)
  const limit = Number(written)
  // `1e9` is refused as too large, not as a number that is written badly.
  const isNumber = /^[0-9]+$/.test(written) || (/^[0-9]+e[0-9]+$/i.test(written) && limit > largestLimit)
  if (!isNumber || limit < 1) throw new Refusal('E002', 'bad_limit', 'A limit is a whole number from 1 to 100.', at)
  if (limit > largestLimit) throw new Refusal('E004', `max_limit_${largestLimit}`, `${largestLimit} is the most.`, at)
  return { limit }
}

const textOf = (segments: readonly Segment[]): string => segments.map(({ text }) => text).join(':')

/** Refuses what looks like a time or a priority and is not valid, such as `-1`, `30s` or `p1`: it is no part of a name. */
function looksLike(tail: Tail, text: string, before: string): boolean {
  if (tail.kind === 'seconds')
    return !text.includes('/') && (/^(?:[-+.]?\d|\s*$)/.test(text) || !tail.mayHaveColons.test(before))
  if (tail.kind === 'priority') return /^P\d+$/i.test(text)
  return tail.choices.includes(text)
}

function checkedTail(tail: Tail, { text, at }: Segment): string {
  if (tail.kind === 'priority' && !/^P[0-3]$/.test(text))
    throw new Refusal('E002', 'expected_P0_P1_P2_P3', 'A priority is one of P0 to P3.', at)
  if (tail.kind !== 'seconds') return text
  const rule = 'A time is a whole number of seconds. A colon in a name is written \\:'
  if (!/^\d+$/.test(text)) throw new Refusal('E002', 'bad_timeout', rule, at)
  const seconds = Number(text)
  if (seconds < tail.least) throw new Refusal('E002', `min_timeout_${tail.least}`, `${tail.least} s is the least.`, at)
  if (seconds > day) throw new Refusal('E002', `max_timeout_${day}`, `${day} s is the most.`, at)
  return String(seconds)
}

/** Prints a line that parses to the same record, where there is such a line. */
export function printLine(line: Line, table: Table): string {
  if (line.kind === 'plain') return line.text
  if (line.kind === 'declaration') return `{{${line.name}}}: "${line.value}"`
  // Plainly where that can be read back, else with its colons escaped, else with a modifier that changes nothing.
  const candidates = [escapeLast, escapeSegment].flatMap((escaping) => [
    printCommand(line, escaping, line.modifier),
    ...(line.modifier === undefined ? [printCommand(line, escaping, 'standard')] : []),
  ])
  return candidates.find((text) => isParsedAs(text, line, table)) ?? candidates[0]!
}

function printCommand({ spec, given }: Command, escaping: (text: string) => string, modifier: Modifier | undefined) {
  const parameters = spec.parameters.flatMap(({ name }, n) => {
    const text = given[name]
    if (text === undefined) return []
    const isLast = n === spec.parameters.length - 1
    return [isLast ? escaping(text) : escapeSegment(text)]
  })
  const tails = (spec.tails ?? []).flatMap(({ name }) => given[name] ?? [])
  const behind = modifier === undefined ? [] : [typeof modifier === 'string' ? modifier : `limit=${modifier.limit}`]
  return [`#${spec.name}`, ...parameters, ...tails, ...behind].join(':')
}

/** Whether a line is parsed as this command; an absent modifier means `standard`. */
function isParsedAs(text: string, wanted: Command, table: Table): boolean {
  try {
    const read = parseLine(text, table)
    return read.kind === 'command' && JSON.stringify(meaning(read)) === JSON.stringify(meaning(wanted))
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

const meaning = ({ spec, given, modifier = 'standard' }: Command) => [
  spec.name,
  Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1)),
  modifier,
]

/**
 * Changes fields of a header and leaves every other byte of the file as it is: order, comments, quoting, unknown
 * fields, line ends, byte-order mark, body. Spec: AC-MQ §3.2, §4.
 *
 * Every edit is read back. If YAML allows a layout that cannot be changed safely here, it throws.
 */
import { corrupt } from '../kernel/errors.ts'
import { printableLine } from '../kernel/printable.ts'
import { bufferOf, type FrontMatterPlace, readFields, splitFrontMatter } from './front-matter.ts'
import { type Printable, printField, printValue } from './front-matter-print.ts'
import { badFrontMatter, type Field, type Fields, isSameValue } from './header-field.ts'

/** New values by key; `undefined` removes the field. */
export type Changes = Readonly<Record<string, Printable | undefined>>

export function editFields(text: string, changes: Changes): string {
  const { headerStart, headerEnd, eol } = present(splitFrontMatter(text))
  const header = editHeader(text.slice(headerStart, headerEnd), changes, eol, asText)
  return text.slice(0, headerStart) + header + text.slice(headerEnd)
}

/** The same in a file that is nothing but `key: value` lines. */
export function editFieldLines(text: string, changes: Changes): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  // New fields are added behind the last line, which a person may have left without its end.
  const whole = text === '' || text.endsWith('\n') ? text : text + eol
  return editHeader(whole, changes, eol, asText)
}

export const editFieldBytes = (bytes: Uint8Array, key: string, value: Printable | undefined): Uint8Array =>
  editFieldsBytes(bytes, { [key]: value })

/** The same on bytes, which need not be UTF-8. */
export function editFieldsBytes(bytes: Uint8Array, changes: Changes): Uint8Array {
  const { headerStart, headerEnd, eol } = present(splitFrontMatter(bytes))
  const buffer = bufferOf(bytes)
  const header = editHeader(buffer.toString('latin1', headerStart, headerEnd), changes, eol, asBytes)
  return Buffer.concat([buffer.subarray(0, headerStart), Buffer.from(header, 'latin1'), buffer.subarray(headerEnd)])
}

/** How text becomes part of a header: as characters, or one character a byte. */
interface Spelling {
  readonly encode: (text: string) => string
  readonly decode: (header: string) => string
}

const asText: Spelling = { encode: (text) => text, decode: (header) => header }

/**
 * One character a byte, so that positions are exact and bytes that are not UTF-8 survive. YAML's own signs are ASCII, and
 * the same either way.
 */
const asBytes: Spelling = {
  encode: (text) => Buffer.from(text).toString('latin1'),
  decode: (header) => Buffer.from(header, 'latin1').toString(),
}

function editHeader(header: string, changes: Changes, eol: string, spelling: Spelling): string {
  const { encode } = spelling
  const before = readFields(header, 2)
  const steps = Object.entries(changes).map(([key, value]) => ({ key, value, field: before.get(encode(key)) }))
  // From the last position to the first, so that earlier ones stay right. New fields go to the end, so they come first.
  steps.sort((a, b) => (b.field?.from ?? Number.POSITIVE_INFINITY) - (a.field?.from ?? Number.POSITIVE_INFINITY) || 0)
  let edited = header
  for (const { key, value, field } of steps) {
    if (!field) edited += value === undefined ? '' : encode(printField(key, value, eol))
    else if (field.from < 0) throw notEditable(changes)
    else if (value === undefined) edited = removeField(edited, field)
    else edited = replaceValue(edited, field, encode(printValue(value, eol)))
  }
  if (edited !== header) verify(before, edited, changes, spelling)
  return edited
}

/** `printed` begins with a blank, or with a line end when it is a block of lines. */
function replaceValue(header: string, { from, to }: Field, printed: string): string {
  const isBlock = printed[0] !== ' '
  const head = header.slice(0, from)
  const lineEnd = lineEndOf(header, from)
  if (to > lineEnd) {
    // The old value has several lines. A comment behind the key is not part of it.
    const comment = commentBehindKey.exec(header.slice(from, lineEnd))?.[1] ?? ''
    return head + (isBlock ? comment + printed : printed + comment) + header.slice(to)
  }
  if (isBlock) return head + header.slice(to, lineEnd) + printed + header.slice(lineEnd)
  if (to === from) return head + printed + header.slice(to)
  return header.slice(0, skipBlanks(header, from)) + printed.slice(1) + header.slice(to)
}

const commentBehindKey = /^(?:[ \t]+[|>][-+0-9]*)?([ \t]+#[\s\S]*)$/

function removeField(header: string, { from, to }: Field): string {
  const end = header.indexOf('\n', to)
  return header.slice(0, header.lastIndexOf('\n', from - 1) + 1) + (end < 0 ? '' : header.slice(end + 1))
}

function verify(before: Fields, edited: string, changes: Changes, { encode, decode }: Spelling): void {
  try {
    const after = readFields(edited, 2)
    const changed = new Set(Object.keys(changes).map(encode))
    const decoded = decode(edited)
    const shown = decoded === edited ? after : readFields(decoded, 2)
    const hasNew = Object.entries(changes).every(([key, value]) => isSameValue(shown.get(key)?.value, value))
    if (hasNew && isSameExcept(changed, before, after)) return
  } catch (cause) {
    throw notEditable(changes, cause)
  }
  throw notEditable(changes)
}

/** True if all fields but those named are the same, in the same order and with the same text. */
function isSameExcept(names: ReadonlySet<string>, before: Fields, after: Fields): boolean {
  const left = [...before].filter(([key]) => !names.has(key))
  const right = [...after].filter(([key]) => !names.has(key))
  return (
    left.length === right.length &&
    left.every(([key, field], i) => {
      const [otherKey, other] = right[i]!
      return key === otherKey && field.text === other.text && isSameValue(field.value, other.value)
    })
  )
}

function skipBlanks(text: string, at: number): number {
  let i = at
  while (text[i] === ' ' || text[i] === '\t') i++
  return i
}

/** Where the line at `at` ends, without its line end. */
function lineEndOf(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  if (end < 0) return text.length
  return text[end - 1] === '\r' ? end - 1 : end
}

function present(place: FrontMatterPlace | undefined): FrontMatterPlace {
  if (place) return place
  throw badFrontMatter(
    1,
    'the file has none',
    'Begin the file with a `---` line, `key: value` lines and another `---`.',
  )
}

const notEditable = (changes: Changes, cause?: unknown) => {
  const names = Object.keys(changes).join(', ')
  return corrupt('BAD_FRONT_MATTER', `Front matter: this layout is not safe to change (${printableLine(names)}).`, {
    hint: 'Write the header as plain `key: value` lines, then try again.',
    details: { fields: Object.keys(changes) },
    cause,
  })
}

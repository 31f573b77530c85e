/**
 * One JSON value a line, in files that many programs append to. A crash can leave half a line, so a line that cannot
 * be read is reported and the rest is read all the same. Spec: Dream.OS, `completed_tasks.json`.
 */
import { corrupt, SignalboxError } from '../kernel/errors.ts'
import { escaped } from '../kernel/printable.ts'
import { carriageReturn, lineFeed, openBracket, space, tab } from './codes.ts'
import { type JsonLimits, parseJson, stringify } from './json.ts'

type JsonLine =
  | { readonly kind: 'record'; readonly line: number; readonly value: unknown }
  /** Cannot be read, as when a program appended after a torn line. */
  | { readonly kind: 'bad'; readonly line: number; readonly error: SignalboxError }
  /** The last line is not finished: after a crash, or because a program is still writing it. */
  | { readonly kind: 'torn'; readonly line: number; readonly error: SignalboxError }

/** All lines in order. Blank ones are left out but counted. */
export function* readJsonLines(bytes: Uint8Array, limits: JsonLimits = {}): Generator<JsonLine, void> {
  let line = 0
  for (let start = 0; start < bytes.length; ) {
    line++
    const found = bytes.indexOf(lineFeed, start)
    const end = found < 0 ? bytes.length : found
    if (!isBlank(bytes, start, end)) yield readLine(bytes.subarray(start, end), line, found < 0, limits)
    start = end + 1
  }
}

function readLine(bytes: Uint8Array, line: number, isLast: boolean, limits: JsonLimits): JsonLine {
  try {
    const value = parseJson(bytes, limits)
    // A number may be cut off without notice. An object or list is complete only with its closing bracket.
    if (isLast && (typeof value !== 'object' || value === null)) throw unfinished()
    return { kind: 'record', line, value }
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    return { kind: isLast ? 'torn' : 'bad', line, error }
  }
}

const unfinished = () =>
  corrupt('BAD_JSON', 'The last line has no line end and may be unfinished.', {
    hint: 'Look again when it is written.',
  })

/** Space, tab and carriage return. */
function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++)
    if (bytes[i] !== space && bytes[i] !== tab && bytes[i] !== carriageReturn) return false
  return true
}

// Not line ends in JSON Lines, but some readers split at them.
const otherLineEnds = /[\u0085\u2028\u2029]/g

/** One line with its line end, whatever the value contains. */
export const printJsonLine = (value: unknown): string => `${stringify(value).replace(otherLineEnds, escaped)}\n`

/** Both, for a log of events (`messaging/events/events.ts`). */
export const jsonLines = { print: printJsonLine, read: (bytes: Uint8Array) => readJsonLines(bytes) }

/** True when a file holds one JSON array instead of lines: appending to that would break it for its owner. */
export function holdsArray(head: Uint8Array): boolean {
  let i = 0
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) i = 3
  while (i < head.length && (isBlank(head, i, i + 1) || head[i] === lineFeed)) i++
  return head[i] === openBracket
}

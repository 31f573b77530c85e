/** What a YAML header is made of, whichever reader read it. */
import { corrupt, type SignalboxError } from '../kernel/errors.ts'
import { printableLine } from '../kernel/printable.ts'

export type Scalar = string | number | boolean | null

/** Maps are real maps, so that a key such as `__proto__` is only a key. */
export type Value = Scalar | readonly Value[] | ReadonlyMap<string, Value>

export interface Field {
  /** The value by the rules of YAML 1.2: `00123456` is a number here. */
  readonly value: Value
  /** The scalar as text, without quotes: `00123456`. Ids and times are read from this. */
  readonly text: string | undefined
  /** The same for a list of scalars. */
  readonly texts: readonly string[] | undefined
  /** The position in the header after the colon, or -1 if the field has none. */
  readonly from: number
  /** Where in the header the value ends; equal to `from` when there is none. */
  readonly to: number
}

/** Longest header read. Far above any real one, and low enough that a hostile one takes well under a second. */
export const longestHeader = 32 * 1024

/** In the order of the file. */
export type Fields = ReadonlyMap<string, Field>

export const badFrontMatter = (line: number, reason: string, hint: string): SignalboxError =>
  corrupt('BAD_FRONT_MATTER', `Front matter, line ${line}: ${printableLine(reason.slice(0, 200))}.`, {
    hint,
    details: { line, reason: reason.slice(0, 200) },
  })

/** The line number of a position, if the text begins in line `first`. The end of the text belongs to its last line. */
export function lineAt(text: string, position: number, first: number): number {
  const last = Math.min(position, text.length - 1)
  let line = first
  for (let i = text.indexOf('\n'); i >= 0 && i < last; i = text.indexOf('\n', i + 1)) line++
  return line
}

/** Deep equality of values, in which NaN equals itself and 0 differs from -0. */
export function isSameValue(a: Value | undefined, b: Value | undefined): boolean {
  if (Object.is(a, b)) return true
  if (isListValue(a) && isListValue(b)) return a.length === b.length && a.every((item, i) => isSameValue(item, b[i]))
  if (!(a instanceof Map && b instanceof Map) || a.size !== b.size) return false
  const others = b.entries()
  return [...a].every(([key, value]) => {
    const [otherKey, other] = others.next().value as [string, Value]
    return key === otherKey && isSameValue(value, other)
  })
}

const isListValue = (value: Value | undefined): value is readonly Value[] => Array.isArray(value)

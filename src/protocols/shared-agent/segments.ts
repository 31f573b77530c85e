/**
 * The segments of a line between its colons, and the variables in it. `\:` is a colon that separates nothing; before a colon two backslashes
 * stand for one, and everywhere else a backslash stands for itself. Colons inside `{{…}}` do not separate. Pure.
 */
import { Refusal } from './refusal.ts'

export interface Segment {
  /** Without escapes. */
  readonly text: string
  /** Where it begins in the line. */
  readonly at: number
}

/** `{{NAME}}` or `{{NAME|text}}`. Shared Agent Protocol §4. */
const reference = String.raw`\{\{([A-Z][A-Z0-9_]{0,63})(?:\|([^{}]*))?\}\}`
const pieces = new RegExp(String.raw`${reference}|(?<run>\\+)(?<colon>:?)|:|[^\\:{]+|\{`, 'g')
const colons = new RegExp(String.raw`(?<kept>${reference})|(?<run>\\*):`, 'g')
const references = new RegExp(reference, 'g')

/** The segments of `line` from `from` on. */
export function segmentsOf(line: string, from: number): Segment[] {
  const segments: Segment[] = []
  let [at, text] = [from, '']
  for (const { 0: piece, index, groups } of line.slice(from).matchAll(pieces)) {
    const { run = '', colon = '' } = groups!
    const isEscaped = run.length % 2 === 1
    text += colon === '' && piece !== ':' ? piece : `${'\\'.repeat(run.length / 2)}${isEscaped ? ':' : ''}`
    if (!piece.endsWith(':') || isEscaped) continue
    segments.push({ text, at })
    at = from + index + piece.length
    text = ''
  }
  return [...segments, { text, at }]
}

/** Escapes a text that is one segment and is followed by another. */
export const escapeSegment = (text: string): string => escaped(text, '\\:').replace(/\\+$/, doubled)

/** Escapes a text at the end of a line, where colons need no escape. */
export const escapeLast = (text: string): string => escaped(text, ':')

const doubled = (run: string): string => run + run

/** Replaces colons by `colon` and doubles the backslashes before them. References stay as they are. */
const escaped = (text: string, colon: string): string =>
  text.replace(colons, (...found) => {
    const { kept, run } = found.at(-1) as { readonly kept?: string; readonly run: string }
    return kept ?? doubled(run) + colon
  })

/** Values are put in once, after the line was parsed: a value never becomes a command, a parameter or a variable. */
export const withValues = (text: string, lookUp: (name: string) => string | undefined): string =>
  text.replace(references, (_, name: string, fallback: string | undefined) => {
    const value = lookUp(name) ?? fallback
    if (value === undefined) throw new Refusal('E002', `undefined_${name}`, `Nobody has declared {{${name}}}.`)
    return value
  })

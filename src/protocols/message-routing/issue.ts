/** One thing that is wrong with a message, in words. The generated checks report through here. */
import { printableLine } from '../../kernel/printable.ts'

export interface Issue {
  /** `priority`, `payload.metrics.confidence`, `payload.issues[2]`; empty for the whole. */
  readonly field: string
  readonly expected: string
  /** `undefined`: the field is missing. */
  readonly found: string | undefined
  /** All of it as one line, worded as the specification's own `error.log` is. */
  readonly message: string
}

export function missing(field: string, expected: string): Issue {
  return { field, expected, found: undefined, message: `Missing required field: ${field}, expected ${expected}` }
}

export function wrong(field: string, expected: string, value: unknown): Issue {
  const found = shown(value)
  return { field, expected, found, message: `Invalid ${field || 'message'}: expected ${expected}, got ${found}` }
}

const longest = 60

/** A value as a person would name it: short, on one line, and nothing in it can move a cursor. */
function shown(value: unknown): string {
  if (typeof value === 'string') return `'${printableLine(cut(value))}'`
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return `a list of ${value.length}`
  return typeof value === 'object' ? 'an object' : 'nothing'
}

const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text)

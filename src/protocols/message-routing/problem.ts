/**
 * One thing that is wrong with a message, worded as the specification's own `error.log` is. The generated checks report
 * through here.
 */
import { printableLine } from '../../kernel/printable.ts'
import type { Problem } from '../../kernel/problem.ts'

/** With what the schema asks for and what stands there instead. */
export interface FieldProblem extends Problem {
  readonly expected: string
  /** `undefined`: the field is missing. */
  readonly found: string | undefined
}

export function missing(field: string, expected: string): FieldProblem {
  const message = `Missing required field: ${field}, expected ${expected}`
  return { code: 'MISSING_FIELD', field, expected, found: undefined, message }
}

export function wrong(field: string, expected: string, value: unknown): FieldProblem {
  const found = shown(value)
  const message = `Invalid ${field || 'message'}: expected ${expected}, got ${found}`
  return { code: 'BAD_FIELD', field, expected, found, message }
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

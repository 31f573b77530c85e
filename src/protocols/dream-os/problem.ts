/** What is wrong with a file of Dream.OS, in words for people. */
import { printableLine } from '../../kernel/printable.ts'
import type { Malformed, Problem } from '../../kernel/problem.ts'

/** One sentence for a field that is missing or is not what it should be. */
export const missingOrWrong = (field: string, expected: string, value: unknown): Problem => {
  const isMissing = value === undefined
  const message = `${field} is ${isMissing ? 'missing' : shown(value)}; ${expected} is expected.`
  return { code: isMissing ? 'MISSING_FIELD' : 'BAD_FIELD', field, message }
}

/** Told to an agent that gets a message as it was parsed. */
export const inexactNote = (field: string): string =>
  `${field} is a whole number that is too large to be exact here; the file has it.`

export const malformed = (code: string, message: string, hint?: string): Malformed => ({
  outcome: 'malformed',
  problems: [{ code, field: '', message, ...(hint === undefined ? {} : { hint }) }],
})

export const problemText = (problems: readonly Problem[]): string => problems.map(({ message }) => message).join(' ')

const longest = 60

function shown(value: unknown): string {
  if (typeof value === 'string')
    return `"${printableLine(value.length > longest ? `${value.slice(0, longest)}…` : value)}"`
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return `a list of ${value.length}`
  return 'an object'
}

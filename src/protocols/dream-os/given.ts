/** Inputs of operations: JSON and times. `what` names the input in errors: "The params". */
import { parseDateTime } from '../../formats/date-time.ts'
import { findInexact, parseJson } from '../../formats/json.ts'
import { invalidInput, SignalboxError } from '../../kernel/errors.ts'
import type { JsonInput } from '../../kernel/field.ts'
import { isObject } from './schema.ts'

/** A text is read as JSON. */
export function jsonFrom(given: JsonInput, what: string): unknown {
  const value = typeof given === 'string' ? parsed(given, what) : given
  const inexact = findInexact(value)
  if (inexact === undefined) return value
  throw inexactNumber(inexact === '' ? what : `${what}: ${inexact}`)
}

/** For a number that would be written with other digits than it was given. */
export const inexactNumber = (where: string) =>
  invalidInput('INEXACT_NUMBER', `${where} is a whole number that is too large to be kept exactly.`, {
    hint: 'Write it as text, in quotes.',
  })

function parsed(text: string, what: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    throw invalidInput('BAD_JSON', `${what} is not JSON: ${error.message}`, {
      hint: 'Check the quotes and brackets.',
      cause: error,
    })
  }
}

export function objectFrom(given: JsonInput, what: string): Readonly<Record<string, unknown>> {
  return expectObject(jsonFrom(given, what), what)
}

/** Checks an object, and answers a text unparsed: its numbers may be of any size, and `1` and `1.0` differ in it. */
export function objectOrItsText(given: JsonInput, what: string): Readonly<Record<string, unknown>> | string {
  const value = expectObject(typeof given === 'string' ? parsed(given, what) : given, what)
  return typeof given === 'string' ? given : value
}

function expectObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value
  throw invalidInput('NOT_AN_OBJECT', `${what} must be a JSON object.`, { hint: 'Give an object: {"key": "value"}.' })
}

export function timeFrom(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text
  const moment = parseDateTime(day) ?? parseDateTime(`${day}Z`)
  if (moment !== undefined) return moment
  throw invalidInput('INVALID_TIME', `Not a time: ${JSON.stringify(text.slice(0, 80))}.`, {
    hint: 'Write 2026-01-31T12:00:00Z, or 2026-01-31.',
  })
}

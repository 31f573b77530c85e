/** What a person or an agent typed: JSON and times. A mistake in it is an error of the caller. */
import { parseDateTime } from '../../formats/date-time.ts'
import { findInexact, parseJson } from '../../formats/json.ts'
import { invalidInput, SignalboxError } from '../../kernel/errors.ts'
import { isObject } from './schema.ts'

export function jsonFrom(text: string, flag: string): unknown {
  const value = parsed(text, flag)
  const inexact = findInexact(value)
  if (inexact === undefined) return value
  throw inexactNumber(inexact === '' ? flag : `${flag}: ${inexact}`)
}

/** For a number that would be written with other digits than it was given. */
export const inexactNumber = (where: string) =>
  invalidInput('INEXACT_NUMBER', `${where} is a whole number that is too large to be kept exactly.`, {
    hint: 'Write it as text, in quotes.',
  })

function parsed(text: string, flag: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    throw invalidInput('BAD_JSON', `${flag} is not JSON: ${error.message}`, {
      hint: 'Check the quotes and brackets.',
      cause: error,
    })
  }
}

export function objectFrom(text: string, flag: string): Readonly<Record<string, unknown>> {
  return expectObject(jsonFrom(text, flag), flag)
}

/** Checks text that is passed on unparsed, so that its numbers may be of any size. */
export function expectObjectIn(text: string, flag: string): void {
  expectObject(parsed(text, flag), flag)
}

function expectObject(value: unknown, flag: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value
  throw invalidInput('NOT_AN_OBJECT', `${flag} must be a JSON object.`, { hint: `Write ${flag} '{"key": "value"}'.` })
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

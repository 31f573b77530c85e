/** Holds what a caller gave against the fields of an operation, and says precisely what does not fit. */
import { lacksUnit, parseDuration, printDuration } from '../formats/duration.ts'
import { invalidInput, SignalboxError } from '../kernel/errors.ts'
import type { Field, Fields, InputOf } from '../kernel/field.ts'
import { nearest } from '../kernel/nearest.ts'

export { printDuration }

/** How a surface spells a field: `olderThan` in JSON, `--older-than` on a command line. */
export type Spelling = (name: string, field: Field | undefined) => string

const asWritten: Spelling = (name) => name
const longestText = 1 << 20

/** Checks a whole input and fills in defaults. Throws InvalidInput for the first thing that does not fit. */
export function checkInput<const T extends Fields>(fields: T, given: unknown, spell: Spelling = asWritten): InputOf<T> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalidInput('WRONG_TYPE', `The input must be an object of named values, not ${kindOf(given)}.`)
  }
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(fields, name)) throw unknownField(name, fields, spell)
  }
  const input: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    const value = Object.hasOwn(given, name) ? (given as Record<string, unknown>)[name] : undefined
    const checked = value === undefined ? valueWhenAbsent(name, field, spell) : checkValue(name, field, value, spell)
    if (checked !== undefined) input[name] = checked
  }
  return input as InputOf<T>
}

function valueWhenAbsent(name: string, field: Field, spell: Spelling): unknown {
  if (field.type === 'list') {
    if (!field.required) return []
  } else {
    if (field.default !== undefined) return field.default
    if (field.type === 'flag') return false
    if (!field.required) return undefined
  }
  const spelled = spell(name, field)
  const { what, takes } = meaningOf(field)
  throw invalidInput('MISSING_INPUT', `${spelled} is missing: ${what}.`, {
    hint: takes === undefined ? `Give ${spelled}.` : `Give ${spelled}: ${takes}.`,
    details: { field: name, expected: expectedOf(field) },
  })
}

/** Checks one value that is there, already of its JavaScript type. */
export function checkValue(name: string, field: Field, value: unknown, spell: Spelling = asWritten): unknown {
  const refuse = (code: string, found = shown(value)) => refusal(code, name, field, found, spell)
  switch (field.type) {
    case 'flag':
      if (typeof value !== 'boolean') throw refuse('WRONG_TYPE')
      return value
    case 'integer':
    case 'duration':
      if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw refuse('WRONG_TYPE')
      if (value < (field.least ?? -Infinity) || value > (field.most ?? Infinity)) throw refuse('OUT_OF_RANGE')
      return value
    case 'choice':
      if (typeof value !== 'string') throw refuse('WRONG_TYPE')
      if (!field.choices.includes(value)) throw refuse('NOT_A_CHOICE')
      return value
    case 'text': {
      if (typeof value !== 'string') throw refuse('WRONG_TYPE')
      const longest = field.longest ?? longestText
      const bytes = Buffer.byteLength(value)
      if (bytes > longest) throw refuse('TOO_LONG', `${bytes} bytes`)
      if (!value.isWellFormed()) throw refuse('NOT_UNICODE')
      if (field.pattern && !field.pattern.test(value)) throw refuse('WRONG_FORM')
      return value
    }
    case 'json': {
      if (typeof value !== 'string') {
        if (typeof value !== 'object' || value === null) throw refuse('WRONG_TYPE')
        return value
      }
      const bytes = Buffer.byteLength(value)
      if (bytes > (field.longest ?? longestText)) throw refuse('TOO_LONG', `${bytes} bytes`)
      return value
    }
    case 'list':
      if (!Array.isArray(value)) throw refuse('WRONG_TYPE')
      if (field.required && value.length === 0) return valueWhenAbsent(name, field, spell)
      return value.map((item) => checkValue(name, field.of, item, spell))
  }
}

/** Reads a value from text, as on a command line, in the environment or in a query. Ranges are checked later. */
export function valueFromText(name: string, field: Field, written: string, spell: Spelling = asWritten): unknown {
  const refuse = () => refusal('WRONG_TYPE', name, field, shown(written), spell)
  switch (field.type) {
    case 'integer': {
      const value = /^[-+]?\d+$/.test(written) ? Number(written) : Number.NaN
      if (!Number.isSafeInteger(value)) throw refuse()
      return value
    }
    case 'duration':
      if (field.needsUnit && lacksUnit(written)) throw unitMissing(name, field, written, spell)
      try {
        return parseDuration(written)
      } catch (error) {
        // The error of the parser speaks of durations in general; ours names the field as well.
        throw error instanceof SignalboxError ? refuse() : error
      }
    case 'flag':
      if (written === 'true' || written === 'yes' || written === '1') return true
      if (written === 'false' || written === 'no' || written === '0') return false
      throw refuse()
    case 'list':
      return valueFromText(name, field.of, written, spell)
    default:
      return written
  }
}

/**
 * What a value is for and what to give, for a caller that gave none. Of a text that takes anything only its help can tell: in "The
 * mission: NAME, or PARENT/CHILD" both are said, in "Why." only the one.
 */
export function meaningOf(field: Field): { readonly what: string; readonly takes: string | undefined } {
  const help = lowerFirst(field.help).replace(/\.$/, '')
  if (field.type !== 'text' || field.expected !== undefined) return { what: help, takes: expectedOf(field) }
  const colon = help.indexOf(': ')
  return colon < 0 ? { what: help, takes: undefined } : { what: help.slice(0, colon), takes: help.slice(colon + 2) }
}

/** What a field takes, as a phrase: "a whole number from 1 to 5". */
export function expectedOf(field: Field): string {
  switch (field.type) {
    case 'flag':
      return 'true or false'
    case 'integer':
      return `a whole number${range(field.least, field.most, String)}`
    case 'duration':
      return `a duration ${field.needsUnit ? 'with its unit, ' : ''}such as 90s, 15m or 7d${range(field.least, field.most, printDuration)}`
    case 'choice':
      return field.choices.length === 1 ? field.choices[0]! : `one of ${field.choices.join(', ')}`
    case 'json':
      return 'a JSON object'
    case 'list':
      return `${expectedOf(field.of)}; may be given more than once`
    case 'text':
      return field.expected ?? (field.longest === undefined ? 'text' : `text of at most ${field.longest} bytes`)
  }
}

function range(least: number | undefined, most: number | undefined, print: (value: number) => string): string {
  if (least !== undefined && most !== undefined) return ` from ${print(least)} to ${print(most)}`
  if (least !== undefined) return `, ${print(least)} or more`
  return most === undefined ? '' : `, ${print(most)} or less`
}

function refusal(code: string, name: string, field: Field, found: string, spell: Spelling): SignalboxError {
  const expected = expectedOf(field)
  const spelled = spell(name, field)
  const meant = field.type === 'choice' ? nearest(found.replaceAll('"', ''), field.choices) : undefined
  return invalidInput(code, `${spelled} must be ${expected}; found ${found}.`, {
    hint: meant ? `Did you mean ${meant}?` : `Give ${spelled} as ${expected}.`,
    details: { field: name, expected, found },
  })
}

function unitMissing(name: string, field: Field, written: string, spell: Spelling): SignalboxError {
  const found = shown(written)
  const spelled = spell(name, field)
  return invalidInput('UNIT_MISSING', `${spelled} needs a unit of time; found ${found}.`, {
    hint: `Write ${['d', 'h', 'm'].map((unit) => `${written}${unit}`).join(', ')} or ${written}s: days, hours, minutes or seconds.`,
    details: { field: name, expected: expectedOf(field), found },
  })
}

function unknownField(name: string, fields: Fields, spell: Spelling): SignalboxError {
  const known = Object.keys(fields)
  const meant = nearest(name, known)
  const choices = known.map((other) => spell(other, fields[other])).join(', ')
  return invalidInput('UNKNOWN_INPUT', `There is no input ${shown(name)} here.`, {
    hint: meant
      ? `Did you mean ${spell(meant, fields[meant])}?`
      : known.length > 0
        ? `Known: ${choices}.`
        : 'Leave it out; nothing can be given.',
    details: { field: name, known },
  })
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return kindOf(value)
}

function kindOf(value: unknown): string {
  if (value === null) return 'nothing (null)'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return value === undefined ? 'nothing' : `a ${typeof value}`
}

const lowerFirst = (sentence: string) => sentence.charAt(0).toLowerCase() + sentence.slice(1)

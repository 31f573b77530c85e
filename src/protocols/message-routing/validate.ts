/**
 * Checks a value against the schema, which is data. Problems are worded as in the specification's own `error.log`. A test compares
 * the result with a full validator. Pure. See docs/decisions/0017-checks-read-off-the-schema.md.
 */
import { parseDateTime } from '../../formats/date-time.ts'
import { printableLine } from '../../kernel/printable.ts'
import type { Problem } from '../../kernel/problem.ts'
import { isObject, type MessageType, messageSchema, payloadSchemas, type Schema } from './schema.ts'

/** With what the schema expects and what was found. */
export interface FieldProblem extends Problem {
  readonly expected: string
  /** `undefined`: the field is missing. */
  readonly found: string | undefined
}

export const messageProblems = (message: unknown): FieldProblem[] => problemsIn(message, messageSchema, '')

/** The problems of a payload by the table of payloads. Sending refuses them, receiving reports them. */
export const payloadProblems = ({ type, payload }: { type: MessageType; payload: unknown }): FieldProblem[] =>
  // There are no rules for a type of another program, which `compat` lets in.
  Object.hasOwn(payloadSchemas, type) ? problemsIn(payload, payloadSchemas[type], 'payload') : []

function problemsIn(value: unknown, schema: Schema, place: string): FieldProblem[] {
  const { description, items, properties = {}, required } = schema
  if (!isAsAsked(value, schema)) return [wrong(place, description, value)]
  if (Array.isArray(value))
    return items ? value.flatMap((item, index) => problemsIn(item, items, `${place}[${index}]`)) : []
  return Object.entries(properties).flatMap(([field, property]) => {
    const found = (value as Readonly<Record<string, unknown>>)[field]
    const path = place === '' ? field : `${place}.${field}`
    if (found === undefined) return required?.includes(field) ? [missing(path, property.description)] : []
    // The specification's table of optional fields gives `null` as the default of this one.
    return found === null && field === 'correlation_id' ? [] : problemsIn(found, property, path)
  })
}

/** Whether the value itself is right, without its fields or items. */
function isAsAsked(value: unknown, schema: Schema): boolean {
  const { type, enum: words, pattern, format, minimum = -Infinity, maximum = Infinity } = schema
  if (type === 'object') return isObject(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'boolean') return typeof value === 'boolean'
  if (type === 'string') {
    if (typeof value !== 'string' || (words && !words.includes(value))) return false
    return (!pattern || pattern.test(value)) && (!format || parseDateTime(value) !== undefined)
  }
  if (typeof value !== 'number' || (type === 'integer' && !Number.isInteger(value))) return false
  return value >= minimum && value <= maximum
}

function missing(field: string, expected: string): FieldProblem {
  const message = `Missing required field: ${field}, expected ${expected}`
  return { code: 'MISSING_FIELD', field, expected, found: undefined, message }
}

function wrong(field: string, expected: string, value: unknown): FieldProblem {
  const found = shown(value)
  const message = `Invalid ${field || 'message'}: expected ${expected}, got ${found}`
  return { code: 'BAD_FIELD', field, expected, found, message }
}

const longest = 60

/** A value in a few words on one line, without control characters. */
function shown(value: unknown): string {
  if (typeof value === 'string') return `'${printableLine(cut(value))}'`
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return `a list of ${value.length}`
  return typeof value === 'object' ? 'an object' : 'nothing'
}

const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text)

/** Inputs and answers of operations as JSON Schema, for programs, tool servers and tests. */
import type { Field, Fields } from '../kernel/field.ts'
import { AnyOf, fieldsOf, isList, MapOf, OneOf, type Plain, type Shape } from '../kernel/shape.ts'
import type { Operation } from './define.ts'

const plainSchemas: Readonly<Record<Plain, object>> = {
  text: { type: 'string' },
  advice: { type: 'string' },
  time: { type: 'string', format: 'date-time' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  flag: { type: 'boolean' },
  nothing: { type: 'null' },
  record: { type: 'object' },
  anything: {},
}

/** The shape as JSON Schema. Objects have no other fields than those that are named. */
export function schemaOf(shape: Shape): object {
  if (typeof shape === 'string') return plainSchemas[shape]
  if (isList(shape)) return { type: 'array', items: schemaOf(shape[0]) }
  if (shape instanceof OneOf) return { enum: shape.words }
  if (shape instanceof MapOf) return { type: 'object', additionalProperties: schemaOf(shape.values) }
  if (shape instanceof AnyOf) return { anyOf: shape.shapes.map(schemaOf) }
  const fields = fieldsOf(shape)
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, of }) => [name, schemaOf(of)])),
    required: fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
    additionalProperties: shape['*'] === undefined ? false : schemaOf(shape['*']),
  }
}

/** What the operation takes. Older ways to name who acts are left out: the call itself says that. */
export function inputSchema(fields: Fields): object {
  const shown = Object.entries(fields).filter(([, field]) => !('isActor' in field && field.isActor))
  return {
    type: 'object',
    properties: Object.fromEntries(shown.map(([name, field]) => [name, fieldSchema(field)])),
    required: shown.filter(([, { required }]) => required).map(([name]) => name),
    additionalProperties: false,
  }
}

function fieldSchema(field: Field): object {
  const described = {
    description: field.help,
    ...('default' in field && field.default !== undefined ? { default: field.default } : {}),
  }
  switch (field.type) {
    case 'flag':
      return { ...described, type: 'boolean' }
    case 'integer':
    case 'duration':
      return {
        ...described,
        ...(field.type === 'duration' ? { description: `${field.help} In milliseconds.` } : {}),
        type: 'integer',
        ...(field.least === undefined ? {} : { minimum: field.least }),
        ...(field.most === undefined ? {} : { maximum: field.most }),
      }
    case 'choice':
      return { ...described, enum: field.choices }
    case 'json':
      return { ...described, type: ['object', 'array'] }
    case 'list':
      return { ...described, type: 'array', items: fieldSchema(field.of), ...(field.required ? { minItems: 1 } : {}) }
    case 'text':
      return { ...described, type: 'string', ...(field.pattern ? { pattern: field.pattern.source } : {}) }
  }
}

/** What the operation answers: one alternative for each outcome. */
export function outputSchema({ output, lists }: Operation): object {
  const left: Shape = lists ? { 'leftOut?': 'integer' } : {}
  return {
    oneOf: Object.entries(output).map(([outcome, fields]) =>
      schemaOf({ outcome: new OneOf([outcome]), ...fields, ...left }),
    ),
  }
}

/**
 * What an operation answers, as plain data. JSON Schema is made from it, and tests hold every answer to it.
 *
 * ```ts
 * const message = { id: 'text', createdAt: 'time', 'claim?': { by: 'text' }, tags: ['text'], state: oneOf('open', 'done') }
 * ```
 */

/**
 * `time`: ISO 8601. `advice`: a text that may name operations, which each surface spells (`call`). `record`: an object as its
 * protocol has it. `anything`: any JSON.
 */
export type Plain = 'text' | 'advice' | 'time' | 'integer' | 'number' | 'flag' | 'nothing' | 'record' | 'anything'

/** A plain value, a list of one shape, an object by its fields, one of some words, a map, or one of several shapes. */
export type Shape = Plain | readonly [Shape] | ShapeFields | OneOf | MapOf | AnyOf

/** By name; `name?` may be absent. */
export interface ShapeFields {
  readonly [name: string]: Shape
}

export class OneOf {
  readonly words: readonly string[]
  constructor(words: readonly string[]) {
    this.words = words
  }
}

export class MapOf {
  readonly values: Shape
  constructor(values: Shape) {
    this.values = values
  }
}

export class AnyOf {
  readonly shapes: readonly Shape[]
  constructor(shapes: readonly Shape[]) {
    this.shapes = shapes
  }
}

export const oneOf = (...words: readonly string[]): OneOf => new OneOf(words)
/** An object whose keys are data. */
export const mapOf = (values: Shape): MapOf => new MapOf(values)
export const anyOf = (...shapes: readonly Shape[]): AnyOf => new AnyOf(shapes)

/** The fields of an object, each with its name and whether it may be absent. */
export const fieldsOf = (shape: ShapeFields) =>
  Object.entries(shape).map(([key, of]) => {
    const isOptional = key.endsWith('?')
    return { name: isOptional ? key.slice(0, -1) : key, of, isOptional }
  })

/** The value with each text that its shape calls advice changed by `spell`. */
export function mapAdvice(value: unknown, shape: Shape | undefined, spell: (text: string) => string): unknown {
  if (shape === undefined || value === null || value === undefined) return value
  if (shape === 'advice') return typeof value === 'string' ? spell(value) : value
  if (typeof shape === 'string' || shape instanceof OneOf) return value
  if (shape instanceof AnyOf)
    return shape.shapes.reduce<unknown>((changed, one) => mapAdvice(changed, one, spell), value)
  if (isList(shape)) return Array.isArray(value) ? value.map((item) => mapAdvice(item, shape[0], spell)) : value
  if (typeof value !== 'object' || Array.isArray(value)) return value
  const changed: Record<string, unknown> = { ...value }
  const fields =
    shape instanceof MapOf ? Object.keys(changed).map((name) => ({ name, of: shape.values })) : fieldsOf(shape)
  for (const { name, of } of fields)
    if (Object.hasOwn(changed, name)) changed[name] = mapAdvice(changed[name], of, spell)
  return changed
}

export const isList = (shape: Exclude<Shape, Plain>): shape is readonly [Shape] => Array.isArray(shape)

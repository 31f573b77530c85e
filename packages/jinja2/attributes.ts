/**
 * `value.name` and `value[key]`. Attributes come from tables of known methods, items from own keys: nothing of JavaScript's
 * (`constructor`, `__proto__`) and nothing of Python's insides (`__class__`) can be reached.
 */
import { dictMethods, listMethods, tupleMethods } from './collection-methods.ts'
import { printInt } from './numbers.ts'
import { repr } from './print.ts'
import { refused, typeError } from './problem.ts'
import { itemAt, toIndex } from './sequences.ts'
import type { Builtin } from './signature.ts'
import { markupMethod, refusedTextMethods, textMethods } from './text-methods.ts'
import {
  Dict,
  Float,
  isInt,
  isText,
  type Kwargs,
  Markup,
  NativeFunction,
  noKwargs,
  Thing,
  Tuple,
  typeNameOf,
  Undefined,
  type Value,
} from './values.ts'

export type CallValue = (callee: Value, args: readonly Value[], kwargs?: Kwargs) => Value

export const call: CallValue = (callee, args, kwargs = noKwargs) => {
  if (callee instanceof Thing && callee.call !== undefined) return callee.call(args, kwargs)
  if (callee instanceof Undefined) callee.fail()
  throw typeError(`'${typeNameOf(callee)}' object is not callable`)
}

export const asFunction = ({ call: body }: Builtin): NativeFunction => new NativeFunction(body)

const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

/** What Python's `getattr` finds, or `undefined`. */
export function attributeOf(value: Value, name: string): Value | undefined {
  if (value instanceof Undefined) value.fail()
  const method = methodOf(value, name)
  if (method !== undefined) return asFunction(method)
  if (value instanceof Tuple) {
    const place = value.names.indexOf(name)
    return place < 0 ? undefined : value.items[place]
  }
  if (value instanceof Thing) return value.attribute(name)
  if (isInt(value) || value instanceof Float) return numberAttribute(value, name)
  return undefined
}

function methodOf(value: Value, name: string): Builtin | undefined {
  if (isText(value) && refusedTextMethods.includes(name)) {
    throw refused(`the method ${name}() of text`, 'Prepare the text before it is given to the template.')
  }
  if (typeof value === 'string') return own(textMethods, name)?.(value, attributeOf)
  if (value instanceof Markup)
    return Object.hasOwn(textMethods, name) ? markupMethod(name, value.text, attributeOf) : undefined
  if (Array.isArray(value)) return own(listMethods, name)?.(value, call)
  if (value instanceof Dict) return own(dictMethods, name)?.(value)
  return value instanceof Tuple ? own(tupleMethods, name)?.(value) : undefined
}

export const numberAttributes = ['real', 'imag', 'numerator', 'denominator', 'bit_length', 'is_integer', 'conjugate']
const refusedNumberAttributes = ['to_bytes', 'from_bytes', 'as_integer_ratio', 'bit_count', 'hex', 'fromhex']

function numberAttribute(value: number | bigint | boolean | Float, name: string): Value | undefined {
  const isWhole = !(value instanceof Float)
  const number = typeof value === 'boolean' ? Number(value) : value
  if (refusedNumberAttributes.includes(name)) throw refused(`${name}() of a number`, 'Prepare it before rendering.')
  if (name === 'real') return number
  if (name === 'imag') return isWhole ? 0 : new Float(0)
  if (name === 'conjugate') return new NativeFunction(() => number)
  if (name === 'is_integer' && !isWhole) return new NativeFunction(() => Number.isInteger(value.value))
  if (!isWhole) return undefined
  if (name === 'numerator') return number
  if (name === 'denominator') return 1
  if (name !== 'bit_length') return undefined
  return new NativeFunction(() => (value ? BigInt(value).toString(2).replace('-', '').length : 0))
}

const isInside = (name: string): boolean => name.startsWith('__') && name.endsWith('__') && name.length > 4

/** Python's classes and modules are reached by such names. Only a mapping can have one, as a key of its own. */
function refuseInside(name: string): void {
  if (isInside(name)) {
    throw refused(`the attribute ${name}`, 'Templates see plain data only; look up what the data itself holds.')
  }
}

/** `value.name`: the attribute, else the item. */
export function getAttribute(value: Value, name: string): Value {
  const attribute = attributeOf(value, name)
  if (attribute !== undefined) return attribute
  const item = itemOf(value, name)
  if (item !== undefined) return item
  refuseInside(name)
  return missing(value, name)
}

/** `value[key]`: the item, else the attribute. */
export function getItem(value: Value, key: Value): Value {
  if (value instanceof Undefined) value.fail()
  const found = itemOf(value, key)
  if (found !== undefined) return found
  if (isText(key)) {
    const name = typeof key === 'string' ? key : key.text
    const attribute = attributeOf(value, name)
    if (attribute !== undefined) return attribute
    if (!(value instanceof Dict)) refuseInside(name)
  }
  return missing(value, key)
}

function itemOf(value: Value, key: Value): Value | undefined {
  if (value instanceof Dict) return Array.isArray(key) || key instanceof Dict ? undefined : value.get(key)
  if (value instanceof Thing && value.item !== undefined) return value.item(key)
  return isInt(key) ? itemAt(value, toIndex(key)) : undefined
}

/** How Jinja2 names what has no such attribute or element. */
const describe = (value: Value): string => {
  if (value === null) return 'None'
  const modules: Readonly<Record<string, string>> = {
    Markup: 'markupsafe.Markup',
    _GroupTuple: 'jinja2.filters._GroupTuple',
    Namespace: 'jinja2.utils.Namespace',
    Cycler: 'jinja2.utils.Cycler',
    Joiner: 'jinja2.utils.Joiner',
    LoopContext: 'jinja2.runtime.LoopContext',
    Macro: 'jinja2.runtime.Macro',
    BlockReference: 'jinja2.runtime.BlockReference',
    TemplateReference: 'jinja2.runtime.TemplateReference',
    TemplateModule: 'jinja2.environment.TemplateModule',
  }
  const name = typeNameOf(value)
  return `${own(modules, name) ?? name} object`
}

export function missing(value: Value, key: Value): Undefined {
  if (isText(key)) {
    const name = typeof key === 'string' ? key : key.text
    return new Undefined(`${repr(describe(value))} has no attribute ${repr(name)}`, name)
  }
  const name = isInt(key) && typeof key !== 'boolean' ? printInt(key) : repr(key)
  return new Undefined(`${describe(value)} has no element ${name}`, name)
}

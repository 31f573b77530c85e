/** `'{0:>8} {name!r}'.format(…)`: the newer way of formatting. */
import { printGeneral, reprFloat } from './floats.ts'
import { fillBetween, formatFloat, formatInt, isNegative, padEnd, padStart } from './format-number.ts'
import { grow } from './limits.ts'
import { toFloat } from './numbers.ts'
import { ascii, repr, str } from './print.ts'
import { failure, type TemplateError, typeError, valueError } from './problem.ts'
import { itemAt } from './sequences.ts'
import { Dict, Float, isInt, isText, type Kwargs, textOf, typeNameOf, Undefined, type Value } from './values.ts'

export type GetAttribute = (value: Value, name: string) => Value | undefined

interface Source {
  readonly args: readonly Value[]
  readonly named: (name: string) => Value | undefined
  readonly getAttribute: GetAttribute
  /** Markup escapes what is put into it. */
  readonly finish: (text: string) => string
  /** The next number for `{}`, or whether numbers were given by hand. */
  next: number | 'by hand'
}

export function formatBraces(
  format: string,
  args: readonly Value[],
  kwargs: Kwargs | Dict,
  getAttribute: GetAttribute,
  finish: (text: string) => string = (text) => text,
): string {
  const named = (name: string) => (kwargs instanceof Dict ? kwargs.get(name) : kwargs.get(name))
  return expand(format, { args, named, getAttribute, finish, next: 0 }, 0)
}

function expand(format: string, source: Source, level: number): string {
  if (level > 1) throw valueError('Max string recursion exceeded')
  let result = ''
  let at = 0
  while (at < format.length) {
    const sign = format[at]!
    if ((sign === '{' || sign === '}') && format[at + 1] === sign) {
      result += sign
      at += 2
    } else if (sign === '}') {
      throw valueError("Single '}' encountered in format string")
    } else if (sign === '{') {
      const end = endOfField(format, at + 1)
      const text = source.finish(field(format.slice(at + 1, end), source, level))
      grow(text.length)
      result += text
      at = end + 1
    } else {
      const next = format.slice(at).search(/[{}]/)
      result += next < 0 ? format.slice(at) : format.slice(at, at + next)
      at = next < 0 ? format.length : at + next
    }
  }
  return result
}

function endOfField(format: string, from: number): number {
  let depth = 1
  for (let i = from; i < format.length; i++) {
    // Braces inside an index are plain characters.
    if (format[i] === '[' && depth === 1) {
      const closed = format.indexOf(']', i)
      if (closed > i) i = closed
    } else if (format[i] === '{') depth++
    else if (format[i] === '}' && --depth === 0) return i
  }
  throw valueError(
    from >= format.length ? "Single '{' encountered in format string" : "expected '}' before end of string",
  )
}

function field(text: string, source: Source, level: number): string {
  const match = /^([^!:[{]*(?:\[[^\]]*\][^!:[{]*)*)(?:!([^:]*))?(?::([\s\S]*))?$/.exec(text)
  if (match === null) throw valueError("expected '}' before end of string")
  const [, path = '', conversion, spec = ''] = match
  let value = lookUp(path, source)
  if (conversion !== undefined) {
    if (!['s', 'r', 'a'].includes(conversion)) throw valueError(`Unknown conversion specifier '${conversion}'`)
    value = conversion === 's' ? str(value) : conversion === 'r' ? repr(value) : ascii(value)
  }
  return formatValue(value, spec.includes('{') ? expand(spec, source, level + 1) : spec)
}

function lookUp(path: string, source: Source): Value {
  const first = /^[^.[]*/.exec(path)![0]
  let value = firstValue(first, source)
  const rest = path.slice(first.length)
  const parts = [...rest.matchAll(/\.([^.[]+)|\[([^\]]+)\]/gy)]
  if (parts.map(([whole]) => whole).join('') !== rest) throw valueError('Empty attribute in format string')
  for (const [, attribute, index] of parts)
    value = attribute !== undefined ? member(value, attribute, source) : item(value, index!)
  return value
}

function firstValue(name: string, source: Source): Value {
  if (name !== '' && !/^\d+$/.test(name)) {
    const value = source.named(name)
    if (value === undefined) throw failure('KeyError', repr(name))
    return value
  }
  if (name === '' ? source.next === 'by hand' : typeof source.next === 'number' && source.next > 0) {
    const [from, to] =
      name === ''
        ? ['manual field specification', 'automatic field numbering']
        : ['automatic field numbering', 'manual field specification']
    throw valueError(`cannot switch from ${from} to ${to}`)
  }
  const index = name === '' ? (source.next as number) : Number(name)
  source.next = name === '' ? index + 1 : 'by hand'
  const value = source.args[index]
  if (value === undefined) {
    throw failure('IndexError', `Replacement index ${index} out of range for positional args tuple`)
  }
  return value
}

function member(value: Value, name: string, source: Source): Value {
  if (value instanceof Undefined) value.fail()
  const found = source.getAttribute(value, name)
  if (found !== undefined) return found
  throw failure('AttributeError', `'${typeNameOf(value)}' object has no attribute '${name}'`)
}

function item(value: Value, index: string): Value {
  if (value instanceof Undefined) value.fail()
  const key = /^\d+$/.test(index) ? Number(index) : index
  const found = value instanceof Dict ? value.get(key) : typeof key === 'number' ? itemAt(value, key) : undefined
  if (found !== undefined) return found
  if (value instanceof Dict) throw failure('KeyError', repr(key))
  throw typeof key === 'number'
    ? failure('IndexError', `${typeNameOf(value)} index out of range`)
    : typeError(`${typeNameOf(value)} indices must be integers or slices, not str`)
}

const specPattern = /^(?:([\s\S])?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/u

interface Spec {
  readonly fill: string
  readonly align: string | undefined
  readonly sign: string
  readonly isAlternate: boolean
  readonly width: number
  readonly group: string | undefined
  readonly precision: number | undefined
  readonly type: string | undefined
}

/** Python's `format(value, spec)`. */
function formatValue(value: Value, text: string): string {
  if (text === '') return str(value)
  if (value instanceof Undefined) value.fail()
  const match = specPattern.exec(text)
  if (match === null) throw valueError(`Invalid format specifier '${text}' for object of type '${typeNameOf(value)}'`)
  const [, fill, align, sign, noNegativeZero, alternate, zero, width, group, precision, type] = match
  if (noNegativeZero !== undefined) {
    if (!(value instanceof Float)) throw valueError('Negative zero coercion (z) not allowed')
    const plain = formatValue(value, text.replace('z', ''))
    return /[1-9]/.test(plain) ? plain : formatValue(new Float(0), text.replace('z', ''))
  }
  const isFilled = zero !== undefined
  const spec: Spec = {
    fill: fill ?? (isFilled ? '0' : ' '),
    align: align ?? (isFilled && !isText(value) ? '=' : undefined),
    sign: sign === undefined || sign === '-' ? '' : sign,
    isAlternate: alternate !== undefined,
    width: Number(width ?? 0),
    group,
    precision: precision === undefined ? undefined : Number(precision),
    type,
  }
  if (isText(value)) return formatText(textOf(value), spec, sign)
  if (isInt(value) && (typeof value !== 'boolean' || type !== undefined)) return formatWhole(value, spec)
  if (value instanceof Float) return formatBroken(value.value, spec)
  if (typeof value === 'boolean') return formatWhole(value, spec)
  throw typeError(`unsupported format string passed to ${typeNameOf(value)}.__format__`)
}

const unknownCode = (type: string | undefined, of: string): TemplateError =>
  valueError(`Unknown format code '${type}' for object of type '${of}'`)

function formatText(text: string, spec: Spec, sign: string | undefined): string {
  if (spec.type !== undefined && spec.type !== 's') throw unknownCode(spec.type, 'str')
  if (sign !== undefined) throw valueError('Sign not allowed in string format specifier')
  if (spec.align === '=') throw valueError("'=' alignment not allowed in string format specifier")
  if (spec.group !== undefined) throw valueError(`Cannot specify '${spec.group}' with 's'.`)
  const cut = spec.precision === undefined ? text : [...text].slice(0, spec.precision).join('')
  return align('', cut, spec, '<')
}

function formatWhole(value: number | bigint | boolean, spec: Spec): string {
  const { type = 'd' } = spec
  if ('eEfFgG%'.includes(type)) return formatBroken(toFloat(value), spec)
  if (!'dnxXobc'.includes(type)) throw unknownCode(type, 'int')
  if (spec.precision !== undefined) throw valueError('Precision not allowed in integer format specifier')
  const number = BigInt(value)
  if (type === 'c') return align('', String.fromCodePoint(Number(number)), spec, '<')
  const prefix = spec.isAlternate && 'xXob'.includes(type) ? `0${type}` : ''
  const digits = formatInt(number, type === 'n' ? 'd' : type)
  const before = (number < 0n ? '-' : spec.sign) + prefix
  return align(before, grouped(digits, spec, before, 'dn'.includes(type) ? 3 : 4), spec, '>')
}

function formatBroken(x: number, spec: Spec): string {
  const { type, precision } = spec
  if (type !== undefined && !'eEfFgGn%'.includes(type)) throw unknownCode(type, 'float')
  let text: string
  if (type === undefined && precision === undefined) text = reprFloat(Math.abs(x))
  else if (type === undefined) {
    text = printGeneral(Math.abs(x), precision!, false, true)
    if (/^\d+$/.test(text)) text += '.0'
  } else if (type === '%') text = `${formatFloat(x * 100, 'f', precision ?? 6, spec.isAlternate)}%`
  else text = formatFloat(x, type === 'n' ? 'g' : type, precision ?? 6, spec.isAlternate)
  const before = isNegative(x) ? '-' : spec.sign
  const [, whole = '', rest = ''] = /^(\d*)([\s\S]*)$/.exec(text)!
  const filled = whole === '' ? rest : grouped(whole, spec, before, 3, rest.length) + rest
  return align(before, filled, spec, '>')
}

/** With commas or low lines. Zeros that fill up to the width are grouped too. */
function grouped(digits: string, spec: Spec, before: string, size: number, behind = 0): string {
  if (spec.group === undefined) return digits
  let count = digits.length
  if (spec.align === '=' && spec.fill === '0') {
    const room = spec.width - before.length - behind
    const fitting = room - Math.floor(room / (size + 1))
    count = Math.max(count, fitting + Math.floor((fitting - 1) / size) < room ? fitting + 1 : fitting)
  }
  grow(count * 2)
  const all = digits.padStart(count, '0')
  const parts = [all.slice(0, count % size)]
  for (let at = count % size; at < count; at += size) parts.push(all.slice(at, at + size))
  return parts.filter((part) => part !== '').join(spec.group)
}

function align(before: string, text: string, spec: Spec, usual: string): string {
  const { fill, width } = spec
  switch (spec.align ?? usual) {
    case '<':
      return padEnd(before + text, width, fill)
    case '^': {
      const missing = width - before.length - [...text].length
      const left = Math.floor(Math.max(0, missing) / 2)
      return padEnd(padStart(before + text, width - Math.max(0, missing) + left, fill), width, fill)
    }
    case '=':
      return fillBetween(before, text, width, fill)
    default:
      return padStart(before + text, width, fill)
  }
}

/** `'%s of %d' % (…)`: the older way of formatting, used by the operator and by the filter `format`. */
import { fillBetween, formatFloat, formatInt, isNegative, padEnd, padStart } from './format-number.ts'
import { grow } from './limits.ts'
import { isNumber, toFloat } from './numbers.ts'
import { ascii, like, repr, str, toMarkup } from './print.ts'
import { failure, typeError, valueError } from './problem.ts'
import { Range, toIndex } from './sequences.ts'
import { Dict, Float, isInt, isText, Markup, Tuple, textOf, typeNameOf, Undefined, type Value } from './values.ts'

const pattern = /%(?:\(([^)]*)\))?([#0\- +]*)(\*|\d+)?(?:\.(\*|\d+)?)?([hlL])?([\s\S]?)/g

interface Flags {
  readonly isAlternate: boolean
  readonly isLeft: boolean
  readonly sign: string
  readonly isZeroFilled: boolean
  readonly precision: number | undefined
}

export function formatPercent(format: string | Markup, values: Value): Value {
  const args = new Arguments(values)
  // Markup escapes what is put into it.
  const print = format instanceof Markup ? (value: Value) => toMarkup(value).text : str
  const text = textOf(format).replace(pattern, (whole, key, marks, width, precision, _size, letter, at: number) => {
    if (letter === '%') return '%'
    if (letter === '') throw valueError('incomplete format')
    const hasPoint = /\.[^.]*$/.test(whole.slice(0, -1)) && whole.includes('.')
    let isLeft = marks.includes('-')
    let wide = width === '*' ? args.count() : Number(width ?? 0)
    if (wide < 0) {
      isLeft = true
      wide = -wide
    }
    const places = precision === '*' ? Math.max(0, args.count()) : Number(precision ?? 0)
    const flags: Flags = {
      isAlternate: marks.includes('#'),
      isLeft,
      sign: marks.includes('+') ? '+' : marks.includes(' ') ? ' ' : '',
      isZeroFilled: marks.includes('0') && !isLeft,
      precision: hasPoint ? places : undefined,
    }
    const value = key === undefined ? args.next() : args.named(key)
    const [before, body] = convert(letter, value, flags, print, at + whole.length - 1)
    grow(body.length)
    if (flags.isLeft) return padEnd(before + body, wide)
    if (flags.isZeroFilled && !'srac'.includes(letter)) return fillBetween(before, body, wide, '0')
    return padStart(before + body, wide)
  })
  args.finish()
  return like(format, text)
}

class Arguments {
  private readonly values: Value
  private readonly items: readonly Value[]
  private at = 0

  constructor(values: Value) {
    this.values = values
    this.items = values instanceof Tuple ? values.items : [values]
  }
  next(): Value {
    const value = this.items[this.at++]
    if (value === undefined) throw typeError('not enough arguments for format string')
    return value
  }
  count(): number {
    const value = this.next()
    if (!isInt(value)) throw typeError('* wants int')
    return toIndex(value)
  }
  named(key: string): Value {
    if (!(this.values instanceof Dict)) throw typeError('format requires a mapping')
    this.at = this.items.length
    const value = this.values.get(key)
    if (value === undefined) throw failure('KeyError', repr(key))
    return value
  }
  finish(): void {
    // What can be indexed may also be the argument of a format that names its values, or none.
    const { values } = this
    const isIndexed =
      values instanceof Dict || Array.isArray(values) || values instanceof Range || values instanceof Undefined
    if (this.at < this.items.length && !isIndexed) {
      throw typeError('not all arguments converted during string formatting')
    }
  }
}

/** The sign or prefix, behind which zeros are filled in, and the rest. */
function convert(
  letter: string,
  value: Value,
  flags: Flags,
  print: (value: Value) => string,
  at: number,
): [before: string, text: string] {
  const cut = (text: string) => (flags.precision === undefined ? text : [...text].slice(0, flags.precision).join(''))
  switch (letter) {
    case 's':
      return ['', cut(print(value))]
    case 'r':
      return ['', cut(repr(value))]
    case 'a':
      return ['', cut(ascii(value))]
    case 'c':
      return ['', character(value)]
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return wholeNumber(letter, value, flags)
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': {
      if (value instanceof Undefined) value.fail()
      if (!isNumber(value)) throw typeError(`must be real number, not ${typeNameOf(value)}`)
      const x = toFloat(value)
      return [isNegative(x) ? '-' : flags.sign, formatFloat(x, letter, flags.precision ?? 6, flags.isAlternate)]
    }
    default:
      throw valueError(
        `unsupported format character '${letter}' (0x${letter.codePointAt(0)!.toString(16)}) at index ${at}`,
      )
  }
}

function wholeNumber(letter: string, value: Value, flags: Flags): [string, string] {
  if (value instanceof Undefined) value.fail()
  const isDecimal = 'diu'.includes(letter)
  let number: bigint
  if (isInt(value)) number = BigInt(value)
  else if (isDecimal && value instanceof Float) {
    if (!Number.isFinite(value.value)) {
      throw Number.isNaN(value.value)
        ? valueError('cannot convert float NaN to integer')
        : failure('OverflowError', 'cannot convert float infinity to integer')
    }
    number = BigInt(Math.trunc(value.value))
  } else {
    const wanted = isDecimal ? 'a real number is required' : 'an integer is required'
    throw typeError(`%${letter} format: ${wanted}, not ${typeNameOf(value)}`)
  }
  const digits = fillBetween('', formatInt(number, isDecimal ? 'd' : letter), flags.precision ?? 0, '0')
  const prefix = flags.isAlternate && !isDecimal ? `0${letter}` : ''
  return [(number < 0n ? '-' : flags.sign) + prefix, digits]
}

function character(value: Value): string {
  if (isInt(value)) {
    const code = Number(value)
    if (code < 0 || code > 0x10ffff) throw failure('OverflowError', '%c arg not in range(0x110000)')
    return String.fromCodePoint(code)
  }
  if (isText(value) && [...textOf(value)].length === 1) return textOf(value)
  throw typeError('%c requires int or char')
}

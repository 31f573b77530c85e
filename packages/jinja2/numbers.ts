/** Arithmetic as in Python: whole numbers of any size, `//` and `%` rounded down, `/` always a broken number. */
import { divideBig, reprFloat } from './floats.ts'
import { currentLimits, limitError } from './limits.ts'
import { failure, refused, valueError } from './problem.ts'
import { Float, isInt, type Value } from './values.ts'

export type Numeric = number | bigint | boolean | Float

export const isNumber = (value: Value): value is Numeric => isInt(value) || value instanceof Float

/** A result that fits is a plain number again, so that most arithmetic never meets a bigint. */
export function toInt(big: bigint): number | bigint {
  const small = Number(big)
  return Number.isSafeInteger(small) ? small : big
}

const big = (value: number | bigint | boolean): bigint => BigInt(value)
const plain = (value: number | boolean): number => (value === true ? 1 : value === false ? 0 : value)

/** As a float. A whole number that no float can hold is an error, as in Python. */
export function toFloat(value: Numeric): number {
  if (value instanceof Float) return value.value
  const x = Number(value)
  if (!Number.isFinite(x)) throw failure('OverflowError', 'int too large to convert to float')
  return x
}

export const isZero = (value: Numeric): boolean => Number(value instanceof Float ? value.value : value) === 0

type Whole = number | bigint

function whole(
  left: Whole | boolean,
  right: Whole | boolean,
  small: (a: number, b: number) => number,
  large: (a: bigint, b: bigint) => bigint,
): Whole {
  if (typeof left !== 'bigint' && typeof right !== 'bigint') {
    const result = small(plain(left), plain(right))
    if (Number.isSafeInteger(result)) return result === 0 ? 0 : result
  }
  return bounded(large(big(left), big(right)))
}

function bounded(result: bigint): Whole {
  const { digits } = currentLimits()
  // A little more than what can be printed, since what is large may become small again.
  if (BigInt.asIntN(digits * 4, result) !== result) throw tooManyDigits()
  return toInt(result)
}

const tooManyDigits = () => limitError('digits', `a number has more than ${currentLimits().digits} digits`)

export function addNumbers(left: Numeric, right: Numeric): Value {
  if (left instanceof Float || right instanceof Float) return new Float(toFloat(left) + toFloat(right))
  return whole(
    left,
    right,
    (a, b) => a + b,
    (a, b) => a + b,
  )
}

export function subtract(left: Numeric, right: Numeric): Value {
  if (left instanceof Float || right instanceof Float) return new Float(toFloat(left) - toFloat(right))
  return whole(
    left,
    right,
    (a, b) => a - b,
    (a, b) => a - b,
  )
}

export function multiplyNumbers(left: Numeric, right: Numeric): Value {
  if (left instanceof Float || right instanceof Float) return new Float(toFloat(left) * toFloat(right))
  return whole(
    left,
    right,
    (a, b) => a * b,
    (a, b) => a * b,
  )
}

export function divide(left: Numeric, right: Numeric): Value {
  const isFloat = left instanceof Float || right instanceof Float
  if (isZero(right)) throw failure('ZeroDivisionError', isFloat ? 'float division by zero' : 'division by zero')
  if (!isFloat && (typeof left === 'bigint' || typeof right === 'bigint')) {
    const quotient = divideBig(big(left as Whole), big(right as Whole))
    if (!Number.isFinite(quotient)) throw failure('OverflowError', 'integer division result too large for a float')
    return new Float(quotient)
  }
  return new Float(toFloat(left) / toFloat(right))
}

function floorBig(a: bigint, b: bigint): bigint {
  const quotient = a / b
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient
}

/** Quotient and rest of two floats, where the rest has the sign of the divisor. */
function divideFloats(x: number, y: number): { quotient: number; rest: number } {
  let rest = x % y
  let quotient = (x - rest) / y
  if (rest !== 0) {
    if (y < 0 !== rest < 0) {
      rest += y
      quotient -= 1
    }
  } else rest = y < 0 ? -0 : 0
  if (quotient === 0) return { quotient: x / y < 0 ? -0 : 0, rest }
  const floor = Math.floor(quotient)
  return { quotient: quotient - floor > 0.5 ? floor + 1 : floor, rest }
}

export function floorDivide(left: Numeric, right: Numeric): Value {
  const isFloat = left instanceof Float || right instanceof Float
  if (isZero(right)) {
    throw failure('ZeroDivisionError', isFloat ? 'float floor division by zero' : 'integer division or modulo by zero')
  }
  if (left instanceof Float || right instanceof Float) {
    return new Float(divideFloats(toFloat(left), toFloat(right)).quotient)
  }
  return whole(left, right, floorSmall, floorBig)
}

/** Takes the rest off first: dividing what is left is exact, where a plain quotient might be rounded up. */
function floorSmall(a: number, b: number): number {
  const rest = a % b
  const quotient = (a - rest) / b
  return rest !== 0 && rest < 0 !== b < 0 ? quotient - 1 : quotient
}

const modulo = (a: number, b: number): number => {
  const rest = a % b
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest
}

export function remainder(left: Numeric, right: Numeric): Value {
  const isFloat = left instanceof Float || right instanceof Float
  if (isZero(right)) {
    throw failure('ZeroDivisionError', isFloat ? 'float modulo' : 'integer division or modulo by zero')
  }
  if (left instanceof Float || right instanceof Float) {
    return new Float(divideFloats(toFloat(left), toFloat(right)).rest)
  }
  return whole(left, right, modulo, (a, b) => a - floorBig(a, b) * b)
}

export function power(left: Numeric, right: Numeric): Value {
  if (left instanceof Float || right instanceof Float || Number(right) < 0) {
    return powerOfFloats(toFloat(left), toFloat(right))
  }
  const exponent = Number(right)
  const base = Number(left)
  const quick = base ** exponent
  if (Number.isSafeInteger(quick)) return quick
  // Estimate before computing: 10 ** 10 ** 9 would take all memory there is.
  const bits = big(left).toString(16).length * 4
  if (bits * exponent > currentLimits().digits * 8) throw tooManyDigits()
  return bounded(big(left) ** big(right))
}

function powerOfFloats(x: number, y: number): Value {
  if (x === 0 && y < 0) throw failure('ZeroDivisionError', '0.0 cannot be raised to a negative power')
  if (x < 0 && Number.isFinite(x) && Number.isFinite(y) && !Number.isInteger(y)) {
    throw refused('a complex number', 'Raise only positive numbers to broken powers.')
  }
  // JavaScript finds no answer to 1 ** inf and 1 ** nan; Python's is 1.
  if (x === 1 || (x === -1 && !Number.isFinite(y) && !Number.isNaN(y))) return new Float(1)
  const result = x ** y
  if (!Number.isFinite(result) && Number.isFinite(x) && Number.isFinite(y)) {
    throw failure('OverflowError', "(34, 'Numerical result out of range')")
  }
  return new Float(result)
}

export function negate(value: Numeric): Value {
  if (value instanceof Float) return new Float(-value.value)
  return typeof value === 'bigint' ? toInt(-value) : 0 - plain(value)
}

/** Whole numbers and floats compare by what they are worth, also beyond 2^53. */
export function compareNumbers(left: Numeric, right: Numeric): number {
  const a = left instanceof Float ? left.value : typeof left === 'bigint' ? left : plain(left)
  const b = right instanceof Float ? right.value : typeof right === 'bigint' ? right : plain(right)
  // Without `===`, which tells a bigint from a number of the same worth.
  return a < b ? -1 : a > b ? 1 : a >= b ? 0 : Number.NaN
}

export function printInt(value: number | bigint): string {
  if (typeof value === 'number') return String(value)
  const text = value.toString()
  const { digits } = currentLimits()
  if (text.length - (value < 0n ? 1 : 0) > digits) {
    throw valueError(`Exceeds the limit (${digits} digits) for integer string conversion`)
  }
  return text
}

export const printNumber = (value: number | bigint | Float): string =>
  value instanceof Float ? reprFloat(value.value) : printInt(value)

/** Digits of other scripts count too. Each script has its ten in a row. */
function asciiDigits(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text
  return text.replace(/\p{Nd}/gu, (sign) => {
    const code = sign.codePointAt(0)!
    if (code >= 0x1d7ce && code <= 0x1d7ff) return String((code - 0x1d7ce) % 10)
    let worth = 0
    while (worth < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - worth - 1))) worth++
    return String(worth)
  })
}

/** Python's `int(text, base)`, or `undefined` where that fails. */
export function parseInteger(text: string, base = 10): Whole | undefined {
  const match = /^\s*([+-]?)(0[xX]_?|0[oO]_?|0[bB]_?)?([0-9a-zA-Z]+(?:_[0-9a-zA-Z]+)*)\s*$/.exec(asciiDigits(text))
  if (match === null) return undefined
  const [, sign, prefix = '', written = ''] = match
  const named = { x: 16, o: 8, b: 2 }[prefix[1]?.toLowerCase() ?? ''] ?? 0
  let digits = written.replaceAll('_', '').toLowerCase()
  let radix = base
  // Without the right base `0b1` is a number whose digits happen to be 0, b and 1.
  if (named !== 0 && base !== 0 && base !== named) digits = prefix.replaceAll('_', '').toLowerCase() + digits
  else if (base === 0) {
    if (named === 0 && /^0+[1-9a-z]/.test(digits)) return undefined
    radix = named || 10
  }
  let result = 0n
  if (digits.length > currentLimits().digits) return undefined
  for (const digit of digits) {
    const worth = Number.parseInt(digit, 36)
    if (worth >= radix) return undefined
    result = result * BigInt(radix) + BigInt(worth)
  }
  return toInt(sign === '-' ? -result : result)
}

/** Python's `float(text)`, or `undefined` where that fails. */
export function parseFloating(text: string): number | undefined {
  const trimmed = asciiDigits(text).trim().toLowerCase()
  if (/^[+-]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)(e[+-]?\d+(_\d+)*)?$/.test(trimmed)) {
    return Number(trimmed.replaceAll('_', ''))
  }
  const special = /^([+-]?)(inf|infinity|nan)$/.exec(trimmed)
  if (special === null) return undefined
  const size = special[2] === 'nan' ? Number.NaN : Number.POSITIVE_INFINITY
  return special[1] === '-' ? -size : size
}

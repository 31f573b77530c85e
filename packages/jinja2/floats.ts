/** Broken numbers as Python prints and rounds them: exact decimals, ties to even. */

/** `repr` of a float: the shortest digits that read back as the same number, with an exponent below 1e-4 and from 1e16. */
export function reprFloat(x: number): string {
  if (Number.isNaN(x)) return 'nan'
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf'
  if (x === 0) return Object.is(x, -0) ? '-0.0' : '0.0'
  const [, sign = '', head = '', tail = '', power = '0'] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(x.toExponential())!
  const exponent = Number(power)
  if (exponent < -4 || exponent >= 16) return `${sign}${head}${tail && `.${tail}`}e${printExponent(exponent)}`
  const digits = head + tail
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`
}

const printExponent = (exponent: number): string =>
  `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`

/** A finite number as a fraction of two whole ones, the lower one a power of two. */
function asFraction(x: number): [top: bigint, bottom: bigint] {
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, x)
  const high = bits.getUint32(0)
  const power = (high >>> 20) & 0x7ff
  const low = (BigInt(high & 0xfffff) << 32n) | BigInt(bits.getUint32(4))
  const mantissa = power === 0 ? low : low | (1n << 52n)
  const shift = (power === 0 ? 1 : power) - 1075
  const signed = high >>> 31 === 1 ? -mantissa : mantissa
  return shift >= 0 ? [signed << BigInt(shift), 1n] : [signed, 1n << BigInt(-shift)]
}

function divideToEven(top: bigint, bottom: bigint): bigint {
  let whole = top / bottom
  let rest = top % bottom
  if (rest < 0n) {
    whole -= 1n
    rest += bottom
  }
  const twice = rest * 2n
  return twice > bottom || (twice === bottom && whole % 2n !== 0n) ? whole + 1n : whole
}

const powerOfTen = (n: number): bigint => 10n ** BigInt(n)

/** x times ten to the `places`, rounded to a whole number. */
function scaled(x: number, places: number): bigint {
  const [top, bottom] = asFraction(x)
  return places >= 0 ? divideToEven(top * powerOfTen(places), bottom) : divideToEven(top, bottom * powerOfTen(-places))
}

const isSpecial = (x: number): string | undefined =>
  Number.isNaN(x) ? 'nan' : Number.isFinite(x) ? undefined : x > 0 ? 'inf' : '-inf'

/** `'%.2f'` */
export function printFixed(x: number, places: number): string {
  const special = isSpecial(x)
  if (special !== undefined) return special
  const digits = scaled(Math.abs(x), places)
    .toString()
    .padStart(places + 1, '0')
  const cut = digits.length - places
  const sign = x < 0 || Object.is(x, -0) ? '-' : ''
  return `${sign}${digits.slice(0, cut)}${places > 0 ? `.${digits.slice(cut)}` : ''}`
}

/** The digits of x without a point, as many as asked for, and the exponent of the first. */
function significant(x: number, count: number): { digits: string; exponent: number } {
  if (x === 0) return { digits: '0'.repeat(count), exponent: 0 }
  let exponent = Number(/e([+-]\d+)$/.exec(x.toExponential())![1])
  let digits = scaled(Math.abs(x), count - 1 - exponent).toString()
  if (digits.length > count) digits = scaled(Math.abs(x), count - 1 - ++exponent).toString()
  return { digits, exponent }
}

const signOf = (x: number): string => (x < 0 || Object.is(x, -0) ? '-' : '')

/** `'%.2e'` */
export function printScientific(x: number, places: number): string {
  const special = isSpecial(x)
  if (special !== undefined) return special
  const { digits, exponent } = significant(x, places + 1)
  return `${signOf(x)}${digits[0]}${places > 0 ? `.${digits.slice(1)}` : ''}e${printExponent(exponent)}`
}

/** `'%g'`: fixed or scientific, whichever is shorter, without zeros at the end unless `keepZeros`. */
export function printGeneral(x: number, precision: number, keepZeros = false, isRepr = false): string {
  const special = isSpecial(x)
  if (special !== undefined) return special
  const count = precision === 0 ? 1 : precision
  const { digits, exponent } = significant(x, count)
  const trim = (text: string) => (keepZeros || !text.includes('.') ? text : text.replace(/\.?0+$/, ''))
  // `str.format` without a type keeps one digit behind the point, and counts it.
  if (exponent < -4 || exponent >= (isRepr ? count - 1 : count)) {
    const mantissa = `${digits[0]}${count > 1 ? `.${digits.slice(1)}` : ''}`
    return `${signOf(x)}${trim(mantissa)}e${printExponent(exponent)}`
  }
  return trim(printFixed(x, Math.max(0, count - 1 - exponent)))
}

/** Python's `round` for floats: what lies exactly between two goes to the even one. */
export function roundFloat(x: number, places: number): number {
  if (!Number.isFinite(x) || places > 323) return x
  if (places < -308) return x * 0
  const digits = scaled(x, places)
  return digits === 0n && (x < 0 || Object.is(x, -0)) ? -0 : Number(`${digits}e${-places}`)
}

/** The float next to top / bottom, also where neither fits into one. */
export function divideBig(top: bigint, bottom: bigint): number {
  const places = 25 + Math.max(0, bottom.toString().length - top.toString().length)
  const enlarged = top * powerOfTen(places)
  // One more digit stands for all that is cut off, so that a tie is told from what is just above it.
  const sticky = enlarged % bottom === 0n ? '0' : '1'
  return Number(`${enlarged / bottom}${sticky}e-${places + 1}`)
}

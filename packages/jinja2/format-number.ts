/** What both ways of formatting share: numbers by type and precision, and filling up to a width. */
import { printFixed, printGeneral, printScientific } from './floats.ts'
import { grow } from './limits.ts'
import { valueError } from './problem.ts'
import { lengthOfText } from './text.ts'

/** The number without its sign, by one of the letters e, E, f, F, g and G. */
export function formatFloat(x: number, letter: string, precision: number, isAlternate: boolean): string {
  // The digits of a number are at most some hundred; what is asked beyond is zeros, and must be paid for.
  grow(Math.abs(precision) * 4)
  if (precision > 10_000) throw valueError('precision too large')
  const size = Math.abs(x)
  const lower = letter.toLowerCase()
  let text =
    lower === 'f'
      ? printFixed(size, precision)
      : lower === 'e'
        ? printScientific(size, precision)
        : printGeneral(size, precision, isAlternate)
  if (isAlternate && Number.isFinite(x) && !text.includes('.')) text = text.replace(/^\d+/, '$&.')
  return letter === lower ? text : text.toUpperCase()
}

export const isNegative = (x: number): boolean => x < 0 || Object.is(x, -0)

/** A whole number without its sign, by one of the letters d, x, X, o and b. */
export function formatInt(value: bigint, letter: string): string {
  const size = value < 0n ? -value : value
  const radix = { x: 16, X: 16, o: 8, b: 2 }[letter] ?? 10
  const text = size.toString(radix)
  return letter === 'X' ? text.toUpperCase() : text
}

export function fillBetween(before: string, text: string, width: number, sign: string): string {
  const missing = width - lengthOfText(before) - lengthOfText(text)
  if (missing <= 0) return before + text
  grow(missing)
  return before + sign.repeat(missing) + text
}

export const padStart = (text: string, width: number, sign = ' '): string => fillBetween('', text, width, sign)
export const padEnd = (text: string, width: number, sign = ' '): string => {
  const missing = width - lengthOfText(text)
  if (missing <= 0) return text
  grow(missing)
  return text + sign.repeat(missing)
}

/** `str.center` leaves the odd blank to the left only when both width and rest are odd. */
export function padBoth(text: string, width: number, sign = ' '): string {
  const missing = width - lengthOfText(text)
  if (missing <= 0) return text
  grow(missing)
  const left = Math.floor(missing / 2) + (missing & width & 1)
  return sign.repeat(left) + text + sign.repeat(missing - left)
}

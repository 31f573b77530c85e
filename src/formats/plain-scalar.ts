/** What an unquoted scalar means in the core schema of YAML 1.2. */
import { dot, hyphen, isDigit, isLetter, plus, tilde } from './codes.ts'
import type { Scalar } from './header-field.ts'

const words = new Map<string, Scalar>([
  ['~', null],
  ...['null', 'Null', 'NULL'].map((word): [string, Scalar] => [word, null]),
  ...['true', 'True', 'TRUE'].map((word): [string, Scalar] => [word, true]),
  ...['false', 'False', 'FALSE'].map((word): [string, Scalar] => [word, false]),
])
const longestWord = 5
const decimal = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/
const special = /^(?:0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/

export function resolvePlain(text: string): Scalar {
  const first = text.charCodeAt(0)
  if (isLetter(first) || first === tilde) {
    const word = text.length > longestWord ? undefined : words.get(text)
    return word === undefined ? text : word
  }
  if (isDigit(first)) {
    const count = shortInteger(text)
    if (count >= 0) return count
  } else if (first !== hyphen && first !== plus && first !== dot) return text
  // The package reads whole numbers with parseInt, which may round very long ones differently.
  if (decimal.test(text)) return /[.eE]/.test(text) ? Number.parseFloat(text) : Number.parseInt(text, 10)
  return special.test(text) ? resolveSpecial(text) : text
}

/** Digits that make an exact number, else -1: nearly all numbers in headers, without a regular expression. */
function shortInteger(text: string): number {
  if (text.length > 15) return -1
  let count = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (!isDigit(code)) return -1
    count = count * 10 + code - 48
  }
  return count
}

function resolveSpecial(text: string): number {
  if (text.startsWith('0o')) return Number.parseInt(text.slice(2), 8)
  if (text.startsWith('0x')) return Number.parseInt(text.slice(2), 16)
  if (/n$/i.test(text)) return Number.NaN
  return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

/** `+`, `*` and the other operators, for all kinds of values. */
import { formatPercent } from './format-percent.ts'
import { grow, growItems, step } from './limits.ts'
import {
  addNumbers,
  divide,
  floorDivide,
  isNumber,
  multiplyNumbers,
  type Numeric,
  negate,
  power,
  remainder,
  subtract,
} from './numbers.ts'
import { toMarkup } from './print.ts'
import { refused, type TemplateError, typeError } from './problem.ts'
import { toIndex } from './sequences.ts'
import { repeatText } from './text.ts'
import { isInt, isText, Markup, Thing, Tuple, textOf, typeNameOf, Undefined, type Value } from './values.ts'

export type Operator = '+' | '-' | '*' | '/' | '//' | '%' | '**'

function unsupportedOperands(operator: Operator, left: Value, right: Value): TemplateError {
  for (const side of [left, right]) {
    if (side instanceof Undefined) side.fail()
    if (side instanceof Thing && /^dict_(keys|values|items)$/.test(side.typeName)) {
      return refused(`an operator on ${side.typeName}`, 'Make lists of them with |list.')
    }
  }
  const sign = operator === '**' ? '** or pow()' : operator
  return typeError(`unsupported operand type(s) for ${sign}: '${typeNameOf(left)}' and '${typeNameOf(right)}'`)
}

const onNumbers: Readonly<Record<Operator, (left: Numeric, right: Numeric) => Value>> = {
  '+': addNumbers,
  '-': subtract,
  '*': multiplyNumbers,
  '/': divide,
  '//': floorDivide,
  '%': remainder,
  '**': power,
}

export function operate(operator: Operator, left: Value, right: Value): Value {
  if (isNumber(left) && isNumber(right)) return onNumbers[operator](left, right)
  switch (operator) {
    case '+':
      return concatenate(left, right)
    case '*':
      return repeat(left, right)
    case '%':
      if (isText(left)) return formatPercent(left, right)
      throw unsupportedOperands(operator, left, right)
    default:
      throw unsupportedOperands(operator, left, right)
  }
}

function concatenate(left: Value, right: Value): Value {
  if (left instanceof Undefined) left.fail()
  if (right instanceof Undefined) right.fail()
  if (isText(left) && isText(right)) {
    grow(textOf(left).length + textOf(right).length)
    if (typeof left === 'string' && typeof right === 'string') return left + right
    return new Markup(toMarkup(left).text + toMarkup(right).text)
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    growItems(left.length + right.length)
    return [...left, ...right]
  }
  if (left instanceof Tuple && right instanceof Tuple) {
    growItems(left.items.length + right.items.length)
    return new Tuple([...left.items, ...right.items])
  }
  const name = typeNameOf(left)
  if (isText(left)) throw typeError(`can only concatenate str (not "${typeNameOf(right)}") to str`)
  if (Array.isArray(left) || left instanceof Tuple) {
    throw typeError(`can only concatenate ${name} (not "${typeNameOf(right)}") to ${name}`)
  }
  throw unsupportedOperands('+', left, right)
}

const isSequence = (value: Value): value is string | Markup | Value[] | Tuple =>
  isText(value) || Array.isArray(value) || value instanceof Tuple

function repeat(left: Value, right: Value): Value {
  if (isInt(left) && isSequence(right)) return repeat(right, left)
  if (!isSequence(left) || right instanceof Undefined) throw unsupportedOperands('*', left, right)
  if (!isInt(right)) throw typeError(`can't multiply sequence by non-int of type '${typeNameOf(right)}'`)
  const times = Math.max(0, toIndex(right))
  if (typeof left === 'string') return repeatText(left, times)
  if (left instanceof Markup) return new Markup(repeatText(left.text, times))
  const items = Array.isArray(left) ? left : left.items
  growItems(items.length * times)
  step(items.length * times)
  const all = items.length === 0 ? [] : Array.from({ length: times }, () => items).flat()
  return Array.isArray(left) ? all : new Tuple(all)
}

export function signed(sign: '+' | '-', value: Value): Value {
  if (isNumber(value)) return sign === '-' ? negate(value) : typeof value === 'boolean' ? Number(value) : value
  if (value instanceof Undefined) value.fail()
  throw typeError(`bad operand type for unary ${sign}: '${typeNameOf(value)}'`)
}

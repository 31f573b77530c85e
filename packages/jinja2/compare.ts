/** Equality, order and membership as in Python. */
import { step } from './limits.ts'
import { compareNumbers, isNumber } from './numbers.ts'
import { typeError } from './problem.ts'
import { iterate } from './sequences.ts'
import { chargeSearch, compareText } from './text.ts'
import { Dict, isText, Thing, Tuple, textOf, typeNameOf, Undefined, type Value } from './values.ts'

export function equals(left: Value, right: Value): boolean {
  if (left instanceof Undefined || right instanceof Undefined) return equalsUndefined(left, right)
  if (typeof left === 'string' && typeof right === 'string') return left === right
  if (isNumber(left)) return isNumber(right) && compareNumbers(left, right) === 0
  if (isText(left)) return isText(right) && textOf(left) === textOf(right)
  if (left === right) return true
  if (Array.isArray(left)) return Array.isArray(right) && equalItems(left, right)
  if (left instanceof Tuple) return right instanceof Tuple && equalItems(left.items, right.items)
  if (left instanceof Dict) return right instanceof Dict && equalDicts(left, right)
  return left instanceof Thing && right instanceof Thing && (left.equals?.(right) ?? false)
}

function equalsUndefined(left: Value, right: Value): boolean {
  if (left instanceof Undefined && left.isStrict) left.fail()
  if (right instanceof Undefined && right.isStrict) right.fail()
  return left instanceof Undefined && right instanceof Undefined
}

function equalItems(left: readonly Value[], right: readonly Value[]): boolean {
  step(left.length)
  return left.length === right.length && left.every((item, i) => isSame(item, right[i]!))
}

function equalDicts(left: Dict, right: Dict): boolean {
  step(left.size)
  if (left.size !== right.size) return false
  return left.list().every(({ key, value }) => {
    const other = right.get(key)
    return other !== undefined && isSame(value, other)
  })
}

/** What containers ask: the same object counts as equal, so that a list that holds `nan` equals itself. */
const isSame = (left: Value, right: Value): boolean =>
  (left === right && typeof left === 'object' && !(left instanceof Undefined)) || equals(left, right)

export type Order = '<' | '<=' | '>' | '>='

const fits: Readonly<Record<Order, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

export function isOrdered(left: Value, order: Order, right: Value): boolean {
  if (isNumber(left) && isNumber(right)) return fits[order](compareNumbers(left, right))
  if (isText(left) && isText(right)) return fits[order](compareText(textOf(left), textOf(right)))
  if (left instanceof Undefined) left.fail()
  if (right instanceof Undefined) right.fail()
  if (Array.isArray(left) && Array.isArray(right)) return compareItems(left, order, right)
  if (left instanceof Tuple && right instanceof Tuple) return compareItems(left.items, order, right.items)
  throw typeError(`'${order}' not supported between instances of '${typeNameOf(left)}' and '${typeNameOf(right)}'`)
}

function compareItems(left: readonly Value[], order: Order, right: readonly Value[]): boolean {
  for (let i = 0; i < left.length && i < right.length; i++) {
    step()
    if (!isSame(left[i]!, right[i]!)) return isOrdered(left[i]!, order, right[i]!)
  }
  return fits[order](left.length - right.length)
}

export function contains(container: Value, item: Value): boolean {
  if (isText(container)) {
    if (item instanceof Undefined) item.fail()
    if (!isText(item)) throw typeError(`'in <string>' requires string as left operand, not ${typeNameOf(item)}`)
    chargeSearch(textOf(container), textOf(item))
    return textOf(container).includes(textOf(item))
  }
  if (container instanceof Dict) return container.has(item)
  if (container instanceof Undefined) return container.isStrict ? container.fail() : false
  if (container instanceof Thing && container.contains !== undefined) {
    const answer = container.contains(item)
    if (answer !== undefined) return answer
  }
  const items = iterate(container, `argument of type '${typeNameOf(container)}' is not iterable`)
  for (let next = items.next(); !next.done; next = items.next()) {
    step()
    if (isSame(next.value, item)) return true
  }
  return false
}

/** Sorts by keys, stable in both directions, with the one comparison that Python uses. */
export function sortBy<T>(items: readonly T[], keyOf: (item: T) => Value, isReversed = false): T[] {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }))
  step(keyed.length)
  keyed.sort((a, b) => {
    step()
    const [left, right] = isReversed ? [b.key, a.key] : [a.key, b.key]
    return isOrdered(left, '<', right) ? -1 : isOrdered(right, '<', left) ? 1 : 0
  })
  return keyed.map(({ item }) => item)
}

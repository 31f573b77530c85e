/** The tests behind `is`. */
import { contains, equals, isOrdered, type Order } from './compare.ts'
import { isNumber } from './numbers.ts'
import { operate } from './operators.ts'
import { str } from './print.ts'
import { TemplateError } from './problem.ts'
import { iterate, Range } from './sequences.ts'
import { type Builtin, builtin } from './signature.ts'
import { isLower, isUpper } from './text-methods.ts'
import { Dict, Float, isInt, isText, Markup, Thing, Tuple, textOf, Undefined, type Value } from './values.ts'

const about = (name: string, test: (value: Value) => boolean): Builtin => builtin(`test_${name}(value)`, test)
const between = (name: string, test: (value: Value, other: Value) => boolean): Builtin => builtin(`${name}(a, b)`, test)
const ordered = (order: Order): Builtin => between('compare', (a, b) => isOrdered(a, order, b))

function isIterable(value: Value): boolean {
  try {
    iterate(value)
    return true
  } catch (error) {
    if (error instanceof TemplateError && error.kind === 'TypeError') return false
    throw error
  }
}

const isSequence = (value: Value): boolean =>
  isText(value) || Array.isArray(value) || value instanceof Tuple || value instanceof Dict || value instanceof Range

/** Equal texts and small numbers are one object in Python too, in most cases. */
const isSame = (value: Value, other: Value): boolean => value === other

const isCallable = (value: Value): boolean =>
  value instanceof Undefined || (value instanceof Thing && value.call !== undefined)

const known = (table: object, value: Value): boolean => {
  if (value instanceof Undefined) value.fail()
  return isText(value) && Object.hasOwn(table, textOf(value))
}

export function makeTests(all: () => { filters: object; tests: object }): Record<string, Builtin> {
  const equal = between('eq', equals)
  const unequal = between('ne', (a, b) => !equals(a, b))
  const [less, lessOrEqual, greater, greaterOrEqual] = (['<', '<=', '>', '>='] as const).map(ordered) as [
    Builtin,
    Builtin,
    Builtin,
    Builtin,
  ]
  return {
    '!=': unequal,
    '<': less,
    '<=': lessOrEqual,
    '==': equal,
    '>': greater,
    '>=': greaterOrEqual,
    boolean: about('boolean', (value) => typeof value === 'boolean'),
    callable: about('callable', isCallable),
    defined: about('defined', (value) => !(value instanceof Undefined)),
    divisibleby: builtin('test_divisibleby(value, num)', (value: Value, by: Value) =>
      equals(operate('%', value, by), 0),
    ),
    eq: equal,
    equalto: equal,
    escaped: about('escaped', (value) => value instanceof Markup),
    even: about('even', (value) => equals(operate('%', value, 2), 0)),
    false: about('false', (value) => value === false),
    filter: about('filter', (value) => known(all().filters, value)),
    float: about('float', (value) => value instanceof Float),
    ge: greaterOrEqual,
    greaterthan: greater,
    gt: greater,
    in: builtin('test_in(value, seq)', (value: Value, seq: Value) => contains(seq, value)),
    integer: about('integer', (value) => isInt(value) && typeof value !== 'boolean'),
    iterable: about('iterable', isIterable),
    le: lessOrEqual,
    lessthan: less,
    lower: about('lower', (value) => isLower(str(value))),
    lt: less,
    mapping: about('mapping', (value) => value instanceof Dict),
    ne: unequal,
    none: about('none', (value) => value === null),
    number: about('number', isNumber),
    odd: about('odd', (value) => equals(operate('%', value, 2), 1)),
    sameas: builtin('test_sameas(value, other)', isSame),
    sequence: about('sequence', isSequence),
    string: about('string', isText),
    test: about('test', (value) => known(all().tests, value)),
    true: about('true', (value) => value === true),
    undefined: about('undefined', (value) => value instanceof Undefined),
    upper: about('upper', (value) => isUpper(str(value))),
  }
}

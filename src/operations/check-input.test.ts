import { describe, expect, it } from 'vitest'
import { SignalboxError } from '../kernel/errors.ts'
import { choice, duration, type Field, flag, type InputOf, integer, list, text } from '../kernel/field.ts'
import { checkInput, expectedOf, type Spelling, valueFromText } from './check-input.ts'

const fields = {
  mission: text('The mission.', { required: true, positional: true }),
  to: text('Who gets it.', { pattern: /^[a-z]+$/, expected: 'a lower-case name' }),
  priority: integer('How urgent.', { least: 1, most: 5, default: 3 }),
  queue: choice('Which queue.', ['pending', 'failed']),
  olderThan: duration('How old.', { least: 0 }),
  blocked: flag('Only blocked ones.'),
  depends: list('What must come first.', text('A reference.')),
  body: text('The text.', { longest: 8 }),
}

function refusal(run: () => unknown): SignalboxError {
  try {
    run()
  } catch (error) {
    if (error instanceof SignalboxError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('checking an input', () => {
  it('fills in defaults and leaves out what nobody gave', () => {
    expect(checkInput(fields, { mission: 'alpha' })).toEqual({
      mission: 'alpha',
      priority: 3,
      blocked: false,
      depends: [],
    })
  })

  it('infers the type of the input from the fields', () => {
    const input: InputOf<typeof fields> = checkInput(fields, { mission: 'alpha', queue: 'failed' })
    const queue: 'pending' | 'failed' | undefined = input.queue
    const priority: number = input.priority
    // @ts-expect-error: an optional field may be absent
    const to: string = input.to
    expect({ queue, priority, to }).toEqual({ queue: 'failed', priority: 3, to: undefined })
  })

  const wrong: readonly [unknown, string, RegExp][] = [
    [{}, 'MISSING_INPUT', /^mission is missing: the mission\.$/],
    [{ mission: 1 }, 'WRONG_TYPE', /^mission must be text; found 1\.$/],
    [{ mission: 'a', priority: 9 }, 'OUT_OF_RANGE', /^priority must be a whole number from 1 to 5; found 9\.$/],
    [{ mission: 'a', priority: 1.5 }, 'WRONG_TYPE', /found 1\.5/],
    [{ mission: 'a', priority: '2' }, 'WRONG_TYPE', /found "2"/],
    [{ mission: 'a', priority: Number.NaN }, 'WRONG_TYPE', /found NaN/],
    [{ mission: 'a', to: 'UPPER' }, 'WRONG_FORM', /^to must be a lower-case name; found "UPPER"\.$/],
    [{ mission: 'a', queue: 'pendign' }, 'NOT_A_CHOICE', /one of pending, failed; found "pendign"/],
    [{ mission: 'a', olderThan: -1 }, 'OUT_OF_RANGE', /0s or more; found -1/],
    [{ mission: 'a', blocked: 'yes' }, 'WRONG_TYPE', /true or false/],
    [{ mission: 'a', depends: 'x' }, 'WRONG_TYPE', /found "x"/],
    [{ mission: 'a', depends: [1] }, 'WRONG_TYPE', /found 1/],
    [{ mission: 'a', depends: null }, 'WRONG_TYPE', /found nothing \(null\)/],
    [{ mission: 'a', body: '123456789' }, 'TOO_LONG', /at most 8 bytes; found 9 bytes/],
    [{ mission: 'a', body: '\ud800' }, 'NOT_UNICODE', /body/],
    [{ mission: 'a', missoin: 'b' }, 'UNKNOWN_INPUT', /no input "missoin"/],
    [{ mission: 'a', __proto__x: 1 }, 'UNKNOWN_INPUT', /__proto__x/],
    [JSON.parse('{"mission":"a","__proto__":{"to":"x"}}'), 'UNKNOWN_INPUT', /"__proto__"/],
    [null, 'WRONG_TYPE', /object of named values, not nothing/],
    [['alpha'], 'WRONG_TYPE', /not a list/],
  ]
  it.each(wrong)('refuses %j with %s', (given, code, message) => {
    const error = refusal(() => checkInput(fields, given))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
    expect(error.exit).toBe(2)
  })

  it('suggests the nearest name and the nearest choice', () => {
    expect(refusal(() => checkInput(fields, { mission: 'a', missoin: 1 })).hint).toBe('Did you mean mission?')
    expect(refusal(() => checkInput(fields, { mission: 'a', queue: 'pendign' })).hint).toBe('Did you mean pending?')
    expect(refusal(() => checkInput({}, { zebra: 1 })).hint).toBe('Leave it out; nothing can be given.')
  })

  it('names fields as the surface spells them', () => {
    const spell: Spelling = (name) => `--${name}`
    expect(refusal(() => checkInput(fields, { mission: 'a', priority: 0 }, spell)).message).toMatch(/^--priority must/)
  })

  it('tells programs what was expected and found', () => {
    expect(refusal(() => checkInput(fields, { mission: 'a', priority: 0 })).details).toEqual({
      field: 'priority',
      expected: 'a whole number from 1 to 5',
      found: '0',
    })
  })
})

describe('values from text', () => {
  const read: readonly [Field, string, unknown][] = [
    [integer('n'), '-5', -5],
    [integer('n'), '+5', 5],
    [duration('t'), '90', 90_000],
    [duration('t'), '1h30m', 5_400_000],
    [flag('f'), 'true', true],
    [flag('f'), '0', false],
    [text('t'), '007', '007'],
    [list('l', integer('n')), '7', 7],
  ]
  it.each(read)('%j reads %s as %j', (field, written, value) => {
    expect(valueFromText('x', field, written)).toBe(value)
  })

  it.each([
    [integer('n'), '1e3'],
    [integer('n'), ''],
    [integer('n'), '99999999999999999999'],
    [duration('t'), 'soon'],
    [flag('f'), 'maybe'],
  ] as const)('%j does not take %j', (field, written) => {
    expect(refusal(() => valueFromText('x', field, written)).code).toBe('WRONG_TYPE')
  })
})

describe('a time that needs its unit', () => {
  const field = duration('How old.', { least: 0, needsUnit: true })

  it.each([
    ['7d', 604_800_000],
    ['90s', 90_000],
    ['0', 0],
  ])('takes %s', (written, value) => {
    expect(valueFromText('olderThan', field, written)).toBe(value)
  })

  it.each(['7', '7.5', '604800'])('refuses %s, and says how to write it', (written) => {
    expect(refusal(() => valueFromText('olderThan', field, written))).toMatchObject({
      code: 'UNIT_MISSING',
      message: `olderThan needs a unit of time; found "${written}".`,
      hint: `Write ${written}d, ${written}h, ${written}m or ${written}s: days, hours, minutes or seconds.`,
    })
  })

  it('says so where it says what it takes', () => {
    expect(expectedOf(field)).toBe('a duration with its unit, such as 90s, 15m or 7d, 0s or more')
  })
})

it.each([
  [
    text('The mission: NAME, or PARENT/CHILD.', { required: true }),
    'x is missing: the mission.',
    'Give x: NAME, or PARENT/CHILD.',
  ],
  [text('Why.', { required: true, longest: 9 }), 'x is missing: why.', 'Give x.'],
  [text('Who.', { required: true, expected: 'a name' }), 'x is missing: who.', 'Give x: a name.'],
])('of a value that is missing it says what is known: %#', (field, message, hint) => {
  expect(refusal(() => checkInput({ x: field }, {}))).toMatchObject({ message, hint })
})

it('what a field takes is said as a phrase', () => {
  expect(expectedOf(integer('n', { most: 10 }))).toBe('a whole number, 10 or less')
  expect(expectedOf(list('l', choice('c', ['a', 'b'])))).toBe('one of a, b; may be given more than once')
})

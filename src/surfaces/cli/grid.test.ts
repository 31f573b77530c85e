import { describe, expect, it } from 'vitest'
import { grid } from './grid.ts'
import { printJson } from './lines.ts'
import { screenOn } from './terminal.ts'
import { fitted, widthOf } from './width.ts'

const pipe = { isTerminal: false, columns: 80 }
const columns = [
  { title: 'id', text: (row: readonly string[]) => row[0]!, colour: () => 'red' as const },
  { title: 'text', text: (row: readonly string[]) => row[1]! },
]

describe('how wide a text is', () => {
  it.each([
    ['abc', 3],
    ['', 0],
    ['äöü', 3],
    ['e\u0301', 1],
    ['日本', 4],
    ['한', 2],
    ['👍', 2],
    ['👩‍👩‍👧', 2],
    ['❤️', 2],
    ['\u200b', 0],
    ['ｗ', 2],
  ])('%j takes %i columns', (text, width) => {
    expect(widthOf(text)).toBe(width)
  })

  it('cuts at whole characters', () => {
    expect(fitted('日本語', 5)).toBe('日本…')
    expect(fitted('日本語', 4)).toBe('日…')
    expect(fitted('abc', 3)).toBe('abc')
  })
})

describe('a grid', () => {
  it('aligns by width, not by length', () => {
    const rows = [
      ['日本', 'x'],
      ['abc', 'y'],
    ]
    expect(grid(rows, columns, screenOn(pipe, { flag: undefined, environment: {} }))).toBe(
      'id    text\n日本  x\nabc   y\n',
    )
  })

  it('makes data harmless before it adds colours', () => {
    const screen = screenOn(pipe, { flag: true, environment: {} })
    expect(grid([['\u001b[2J', 'a\nb\u202e']], columns, screen)).toBe(
      '\u001b[2mid\u001b[22m       \u001b[2mtext\u001b[22m\n\u001b[31m\\x1b[2J\u001b[39m  a\\nb\\u202e\n',
    )
  })

  it('the last column gives way on a terminal, and only there', () => {
    const row = ['id', 'x'.repeat(100)]
    const terminal = screenOn({ isTerminal: true, columns: 40 }, { flag: false, environment: {} })
    expect(grid([row], columns, terminal).split('\n')[1]).toBe(`id  ${'x'.repeat(35)}…`)
    expect(grid([row], columns, screenOn(pipe, { flag: false, environment: {} }))).toContain('x'.repeat(100))
  })

  it('of nothing is nothing', () => {
    expect(grid([], columns, screenOn(pipe, { flag: false, environment: {} }))).toBe('')
  })
})

describe('colours', () => {
  const terminal = { isTerminal: true, columns: 80 }
  it.each([
    [terminal, undefined, {}, true],
    [pipe, undefined, {}, false],
    [terminal, undefined, { TERM: 'dumb' }, false],
    [terminal, undefined, { NO_COLOR: '1' }, false],
    [terminal, undefined, { NO_COLOR: '' }, true],
    [pipe, undefined, { FORCE_COLOR: '1' }, true],
    [terminal, undefined, { FORCE_COLOR: '0' }, false],
    [pipe, undefined, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    [terminal, false, { FORCE_COLOR: '1' }, false],
    [pipe, true, { NO_COLOR: '1' }, true],
  ])('on %j with flag %j and %j: %j', (stream, flag, environment, isColoured) => {
    const painted = screenOn(stream, { flag, environment }).paint('red', 'x')
    expect(painted === 'x').toBe(!isColoured)
  })
})

it('JSON is one line that cannot steer a terminal, and means the same', () => {
  const value = { text: 'a\u001b[2J\u009b2J\u202e\u2028\u007fé日\ud800', list: [1, null, true] }
  const printed = printJson(value)
  expect(printed).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u2028\u202e]*\n$/)
  expect(JSON.parse(printed)).toEqual(value)
})

import { describe, expect, it } from 'vitest'
import { parseDuration, printDuration } from './duration.ts'

describe('durations', () => {
  it.each([
    ['7d', 604_800_000, '7d'],
    ['2w', 1_209_600_000, '14d'],
    ['90s', 90_000, '1m30s'],
    ['1h30m', 5_400_000, '1h30m'],
    ['500ms', 500, '500ms'],
    ['1m5ms', 60_005, '1m5ms'],
    ['1.5h', 5_400_000, '1h30m'],
    ['1.1', 1100, '1s100ms'],
    ['30', 30_000, '30s'],
    ['0', 0, '0s'],
  ])('%s is %i ms, printed %s', (text, milliseconds, printed) => {
    expect(parseDuration(text)).toBe(milliseconds)
    expect(printDuration(milliseconds)).toBe(printed)
    expect(parseDuration(printed)).toBe(milliseconds)
  })

  it.each([
    '',
    ' ',
    '1x',
    'h',
    '-1s',
    '1h 30m',
    '30m1h',
    '1s1s',
    '1e3',
    '0.0001s',
    '9'.repeat(15),
    '9'.repeat(400),
    '١s',
    '1h30',
  ])('refuses %j', (text) => {
    expect(() => parseDuration(text)).toThrow(expect.objectContaining({ kind: 'InvalidInput', code: 'BAD_DURATION' }))
  })

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('does not print %s', (milliseconds) => {
    expect(() => printDuration(milliseconds)).toThrow(expect.objectContaining({ code: 'BAD_DURATION' }))
  })
})

import { describe, expect, it } from 'vitest'
import { asUtc, timeInName, toTheMoment } from './times.ts'

describe('times', () => {
  it.each([
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00Z'],
    ['2026-03-01T10:00:00.250Z', '2026-03-01T10:00:00.250Z'],
    ['2026-03-01T10:00:00,5Z', '2026-03-01T10:00:00.500Z'],
    ['2026-03-01T10:00:00', '2026-03-01T10:00:00Z'],
    ['2026-03-01 12:00:00+02:00', '2026-03-01T10:00:00Z'],
    ['2026-03-01', '2026-03-01T00:00:00Z'],
    ['yesterday', 'yesterday'],
  ])('%s in UTC is %s', (text, utc) => expect(asUtc(text)).toBe(utc))

  it('a whole second has no milliseconds', () => {
    expect([toTheMoment(0), toTheMoment(1)]).toEqual(['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.001Z'])
  })

  it.each([
    ['20250704103000-by-hand.md', '2025-07-04T10:30:00Z'],
    ['20250704103000-1a2b3c4d-from-a-to-b.md', '2025-07-04T10:30:00Z'],
    ['20250704103000.md', '2025-07-04T10:30:00Z'],
    ['20251304103000-x.md', undefined],
    ['202507041030001-x.md', undefined],
    ['by-hand.md', undefined],
  ])('%s begins with %s', (name, time) => expect(timeInName(name)).toBe(time))
})

import { expect, it } from 'vitest'
import { figuresOf } from './report-figures.ts'
import type { ReportMessage } from './report-picture.ts'

it('what was done within a second has a duration: results tell whole seconds', () => {
  const message = {
    from: 'a',
    to: 'b',
    status: 'completed',
    createdAt: '2026-11-18T04:48:30.726Z',
    finishedAt: Date.parse('2026-11-18T04:48:30Z'),
  } as ReportMessage
  expect(figuresOf([message]).print(2)).toContain('| b | 0 | 1 | 0 | under 1 min |')
})

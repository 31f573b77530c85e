import { describe, expect, it } from 'vitest'
import { heldClock } from '../kernel/clock.ts'
import { conflict } from '../kernel/errors.ts'
import { integer } from '../kernel/field.ts'
import { type Context, defineOperation, exitOf, type Run } from './define.ts'

const clock = heldClock()

const divide = defineOperation({
  name: 'divide',
  summary: 'Divide ten.',
  input: { by: integer('By what.', { required: true }) },
  outcomes: { divided: 'done', nothing: 'nothing' },
  output: { divided: {}, nothing: {} },
  effects: 'reads',
  examples: [{ command: 'divide 5', does: 'two' }],
  run(_context, { by }) {
    clock.advance(7)
    if (by === 0) throw conflict('BY_ZERO', 'Not by zero.')
    return by > 10 ? { outcome: 'nothing' } : { outcome: 'divided', result: 10 / by }
  },
})

function listener() {
  const runs: Run[] = []
  const report = { tell() {}, progress() {}, finished: (run: Run) => void runs.push(run) }
  return { runs, context: { clock, report } as unknown as Context }
}

describe('an operation', () => {
  it('reports every run with its time and how it ended, failed ones too', async () => {
    const { runs, context } = listener()
    expect(await divide.invoke(context, { by: 5 })).toEqual({ outcome: 'divided', result: 2 })
    await expect(divide.invoke(context, { by: 0 })).rejects.toThrow('Not by zero.')
    await expect(divide.invoke(context, { by: 'x' })).rejects.toThrow('by must be a whole number')
    expect(runs).toEqual([
      { operation: 'divide', milliseconds: 7, ended: 'divided' },
      { operation: 'divide', milliseconds: 7, ended: 'BY_ZERO' },
      { operation: 'divide', milliseconds: 0, ended: 'WRONG_TYPE' },
    ])
  })

  it('maps what an outcome means to an exit status', () => {
    expect((['done', 'nothing', 'Corrupt', 'Unavailable'] as const).map(exitOf)).toEqual([0, 1, 5, 8])
  })
})

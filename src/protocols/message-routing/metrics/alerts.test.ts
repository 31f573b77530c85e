import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/support/verifies.ts'
import { alertFor, freshMs, standingAlerts } from './alerts.ts'
import { addLatency, emptySnapshot } from './snapshot.ts'

describe('alerts', () => {
  const cases = [
    [
      'message_write_latency_ms',
      100,
      100.1,
      'Writing a message to coder-1 took 100.1 ms; the alert is at more than 100.',
    ],
    ['message_read_latency_ms', 200, 201, 'Reading the inbox of coder-1 took 201 ms; the alert is at more than 200.'],
    ['inbox_depth', 80, 81, 'The inbox of coder-1 holds 81 messages; the alert is at more than 80.'],
  ] as const
  for (const [metric, at, above, message] of cases) {
    verifies('MR-8b', `${metric} is raised above ${at}, not at it`, () => {
      expect(alertFor(metric, at, 'coder-1')).toBeUndefined()
      const threshold = at
      expect(alertFor(metric, above, 'coder-1')).toEqual({ metric, value: above, threshold, agent: 'coder-1', message })
    })
  }

  it('there is none on evictions', () => {
    expect(alertFor('eviction_count', 1_000_000, 'coder-1')).toBeUndefined()
  })

  it('stand while a slow step is news and an inbox is nearly full', () => {
    const latencies = addLatency(emptySnapshot, 'message_read_latency_ms', 250, 1_000_000)
    const depths = new Map([
      ['a', 80],
      ['b', 99],
    ])
    const metricsAt = (now: number) => standingAlerts({ latencies, depths }, now).map(({ metric }) => metric)
    expect(metricsAt(1_000_000 + freshMs)).toEqual(['message_read_latency_ms', 'inbox_depth'])
    expect(metricsAt(1_000_001 + freshMs)).toEqual(['inbox_depth'])
    expect(standingAlerts({ latencies, depths }, 1_000_000)[0]).toMatchObject({ at: '1970-01-01T00:16:40.000Z' })
  })
})

import { describe, expect, it } from 'vitest'
import { decide, detailFor, type MergingState, nothingYet, readState, withDecisions, withRate } from './merging.ts'
import { idsInSnapshot, printSnapshot } from './snapshot.ts'

const minute = 60_000
const now = 1_800_000_000_000

/** A mission that gets so many messages a minute for some hours; nothing ever leaves the queue. */
function simulate(perMinute: number, hours: number): { snapshots: number; details: Set<string> } {
  let state = nothingYet(now)
  const arrived: number[] = []
  let snapshots = 0
  const details = new Set<string>()
  let owed = 0
  for (let m = 1; m <= hours * 60; m++) {
    const at = now + m * minute
    for (owed += perMinute; owed >= 1; owed--) arrived.push(at)
    state = withRate(state, arrived, at)
    const decision = decide(state, 'pending', arrived, at)
    if (decision.did === 'snapshot') {
      snapshots++
      details.add(detailFor(state.rate))
      state = { ...state, last: { pending: { at, count: arrived.length } } }
    }
    state = withDecisions(state, [decision])
  }
  return { snapshots, details }
}

describe('merging', () => {
  it('[AC-14.2] a fast mission has frequent, brief snapshots, a slow one rare, full ones', () => {
    expect(simulate(20, 8)).toEqual({ snapshots: 37, details: new Set(['summaries']) })
    expect(simulate(0.2, 24)).toEqual({ snapshots: 5, details: new Set(['full']) })
    expect(simulate(0.01, 24).snapshots).toBe(0)
  })

  it('[AC-14.2b] a queue that stays large is left alone until it has changed by its threshold', () => {
    const state: MergingState = { ...nothingYet(now), last: { pending: { at: now, count: 500 } } }
    const still = Array.from({ length: 500 }, () => now - minute)
    expect(decide(state, 'pending', still, now + minute)).toMatchObject({
      did: 'waited',
      reason: '0 came or went since the last snapshot, and the threshold is 50',
    })
    const churned = [...still.slice(30), ...Array.from({ length: 30 }, () => now + 1)]
    expect(decide(state, 'pending', churned, now + minute)).toMatchObject({
      did: 'snapshot',
      reason: '60 came or went since the last snapshot, which reaches the threshold of 50',
    })
  })

  it('[AC-14.2b] what waited is remembered once', () => {
    const waited = (at: number) => ({ at, queue: 'pending', did: 'waited', reason: '3 messages' }) as const
    const state = withDecisions(withDecisions(nothingYet(now), [waited(1)]), [waited(2)])
    expect(state.decisions).toEqual([waited(1)])
  })

  it.each([
    '',
    '[]',
    'null',
    '{"samples":7,"last":{"pending":{"at":9e99,"count":-1}},"threshold":"x"}',
    '{"decisions":[null,{"at":1}]}',
    '{"coveredBy":"../../../etc/passwd"}',
  ])('[X-notes] a state that a stranger wrote counts as none: %s', (text) =>
    expect(readState(text, now)).toEqual(nothingYet(now)),
  )
})

it('[AC-14.1] a snapshot is a table, and full ones quote what messages say', () => {
  const message = {
    id: 'aaaaaaaa',
    name: '20261117150000-aaaaaaaa-from-a-to-b.md',
    createdAt: '2026-11-17T15:00:00Z',
    from: 'a',
    to: 'b',
    priority: 3,
    summary: 'One | two',
    body: '## Heading\n```',
  }
  const snapshot = {
    mission: 'alpha',
    queue: 'pending',
    takenAt: '2026-11-17T16:00:00Z',
    rate: 1,
    messages: [message],
  } as const
  const full = printSnapshot({ ...snapshot, detail: 'full' }, 10_000)
  expect(full).toBe(`# Queue Snapshot: pending

<!-- made by Signalbox -->

**Mission:** alpha
**Taken:** 2026-11-17T16:00:00Z
**Messages:** 1
**Rate:** 1 messages in the last hour
**Detail:** full

| Timestamp | Id | From | To | Priority | Summary |
| --- | --- | --- | --- | --- | --- |
| 20261117150000 | aaaaaaaa | a | b | 3 | One \\| two |

## Messages

### \`20261117150000-aaaaaaaa-from-a-to-b.md\`

~~~text quoted
## Heading
\`\`\`
~~~
`)
  expect(idsInSnapshot(full)).toEqual(['aaaaaaaa'])
  expect(
    idsInSnapshot(printSnapshot({ ...snapshot, detail: 'full', messages: [{ ...message, id: 'a_b.c-1' }] }, 0)),
  ).toEqual(['a_b.c-1'])
  expect(printSnapshot({ ...snapshot, detail: 'summaries' }, 10_000)).not.toContain('Heading')
  expect(printSnapshot({ ...snapshot, detail: 'full' }, 10)).toContain('The texts of 1 more did not fit.')
})

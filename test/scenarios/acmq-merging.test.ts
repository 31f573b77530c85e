/** Snapshots that supervision takes by itself, and what becomes of the messages they cover. */
import { beforeEach, describe, expect } from 'vitest'
import { heldClock } from '../../src/kernel/clock.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { type AcmqBox, memoryBox } from '../support/acmq.ts'
import { verifies } from '../support/verifies.ts'

let box: AcmqBox
let clock: ReturnType<typeof heldClock>
beforeEach(async () => {
  clock = heldClock(Date.parse('2026-11-17T15:00:00Z'))
  box = await memoryBox({ clock })
})
const send = (id: string, dependencies: readonly string[] = []) =>
  box.mission.sending.send({ from: 'claude', to: 'gemini', id, body: `Body of ${id}`, dependencies })
const snapshots = async () =>
  (await box.tree.list(treePath('llm/missions/alpha/artifacts/queue-snapshots'))).map(({ name }) => name)
const ids = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `m${1000000 + from + i}`)

describe('snapshots', () => {
  verifies('AC-14.1', 'on request one of each queue, and nothing moves', async () => {
    await send('m1000000')
    const taken = await (await box.mission.memory()).snapshot()
    expect(taken.map(({ queue, messages, detail }) => [queue, messages, detail])).toEqual([
      ['pending', 1, 'full'],
      ['processing', 0, 'full'],
      ['completed', 0, 'full'],
      ['failed', 0, 'full'],
    ])
    expect(await snapshots()).toEqual(
      ['completed', 'failed', 'pending', 'processing'].map((queue) => `${queue}-20261117150000.md`),
    )
    await (await box.mission.memory()).snapshot(['pending'])
    expect(await snapshots()).toContain('pending-20261117150000-2.md')
    expect(await (await box.mission.overview()).counts()).toMatchObject({ pending: 1 })
  })

  verifies(
    ['AC-14.2', 'AC-14.2b'],
    'completed messages that one covers are archived, others stay; then it waits',
    async () => {
      for (const id of ids(52)) await send(id)
      for (const id of ids(51)) {
        await box.mission.claims.next({ agent: 'gemini', id })
        await box.mission.settling.complete(id, { agent: 'gemini' })
      }
      // Something unfinished depends on one of them.
      await send('needs000', ['msg:m1000007'])
      const merged = await (await box.mission.memory()).merge()
      expect(merged.snapshots).toMatchObject([
        { queue: 'completed', messages: 51, reason: '51 messages reach the threshold of 50' },
      ])
      expect(merged.archived).toBe(50)
      expect((await (await box.mission.overview()).list('completed')).messages.map(({ id }) => id)).toEqual([
        'm1000007',
      ])
      expect((await (await box.mission.overview()).listArchived()).length).toBe(50)
      expect((await (await box.mission.overview()).show('m1000001')).body).toContain('Body of m1000001')
      expect(await (await box.mission.memory()).merge()).toEqual({ snapshots: [], archived: 0 })
      const state = await (await box.mission.memory()).merging()
      expect(state).toMatchObject({ rate: 53, threshold: 50 })
      expect(state.decisions.some(({ queue, did }) => queue === 'completed' && did === 'snapshot')).toBe(true)
    },
  )

  verifies('AC-14.2b', 'a queue that stays large is not put down again', async () => {
    for (const id of ids(60)) await send(id)
    expect((await (await box.mission.memory()).merge()).snapshots).toHaveLength(1)
    clock.advance(60_000)
    for (const id of ids(20, 60)) await send(id)
    expect((await (await box.mission.memory()).merge()).snapshots).toHaveLength(0)
    clock.advance(60_000)
    for (const id of ids(30, 80)) await send(id)
    expect((await (await box.mission.memory()).merge()).snapshots).toMatchObject([
      { queue: 'pending', detail: 'summaries' },
    ])
  })

  verifies('AC-14.2', 'two at once take each once', async () => {
    for (const id of ids(60)) await send(id)
    const merged = await Promise.all([(await box.mission.memory()).merge(), (await box.mission.memory()).merge()])
    expect(merged.flatMap(({ snapshots: taken }) => taken)).toHaveLength(1)
  })
})

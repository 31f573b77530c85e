import { afterEach, expect, vi } from 'vitest'
import { verifies } from '../../test/support/verifies.ts'
import { openMemoryTree } from '../engines/memory/index.ts'
import { heldClock } from '../kernel/clock.ts'
import type { Context } from '../operations/define.ts'
import { acmq } from '../protocols/ac-mq/index.ts'
import { superviseMission } from './supervise-mission.ts'

afterEach(() => vi.useRealTimers())

verifies(
  'AC-8.2b',
  'a supervisor that waited long for the turn of another one is in time for the next stall',
  async () => {
    const clock = heldClock(Date.parse('2026-11-17T15:00:00Z'))
    const tree = openMemoryTree({ clock })
    const missions = await acmq.open({ tree, clock, settings: acmq.defaults })
    const { mission } = await missions.create('alpha')
    const about = { from: 'claude', to: 'gemini', timeoutSeconds: 1 }
    // A chain that is done, so that there is a document to write.
    for (const [id, ...dependencies] of [['first000'], ['second00', 'msg:first000']] as [string, ...string[]][]) {
      await mission.send({ ...about, id, body: 'Do it', dependencies })
      await mission.claim({ agent: 'gemini', id })
      await mission.complete(id, { agent: 'gemini' })
    }
    await mission.send({ ...about, id: 'slow0001', body: 'This takes long' })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    // Another supervisor writes documents for half a minute.
    let release: () => void = () => {}
    let isHeld = false
    const held = tree.exclusively(`ac-mq bus ${mission.path}`, () => {
      isHeld = true
      return new Promise<void>((resolve) => {
        release = resolve
      })
    })
    await vi.waitUntil(() => isHeld)
    const told: string[] = []
    const report = {
      ...{ tell: ({ text }: { text: string }) => told.push(text), notice() {}, finished() {}, progress() {} },
    }
    const configuration = async () => ({ agent: undefined, sections: { acmq: acmq.defaults } })
    const context = { clock, report, configuration, tree: async () => tree, store: async () => missions }
    const stop = new AbortController()
    const ended = superviseMission(context as unknown as Context, { mission: 'alpha' }, stop.signal)
    await vi.advanceTimersByTimeAsync(30_000)
    release()
    await held
    await vi.waitUntil(async () => {
      await vi.advanceTimersByTimeAsync(0)
      return told.some((line) => line.startsWith('made '))
    })
    await mission.claim({ agent: 'gemini', id: 'slow0001' })
    clock.advance(2000)
    await vi.advanceTimersByTimeAsync(5000)
    expect(told.at(-1)).toMatch(/^gemini stalled on slow0001 /)
    stop.abort()
    await ended
  },
)

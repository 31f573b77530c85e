import { describe, expect, it } from 'vitest'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { heldClock } from '../../../kernel/clock.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import { missionAddress } from '../names.ts'
import { withFailure, withResult } from '../reports.ts'
import { defaultSettings } from '../settings.ts'
import { Mission } from './mission.ts'

const hour = 60 * 60 * 1000

describe('the last hour', () => {
  it('counts what ended in it, not what a copy or a checkout gave a new file time', async () => {
    const clock = heldClock()
    const tree = openMemoryTree({ clock })
    const mission = new Mission({ tree, clock, settings: defaultSettings, root: treePath('') }, missionAddress('m'))
    const now = clock.now()
    const put = async (queue: 'completed' | 'failed', id: string, ending: (bytes: Uint8Array) => Uint8Array) => {
      const text = `---\nid: ${id}\nmission_id: m\ntimestamp: 2026-01-01T00:00:00Z\nfrom: ada\nto: bob\nstatus: ${queue}\nsummary: x\n---\nDo it.\n`
      await tree.create(treePath(`m/queue/${queue}/${id}.md`), ending(Buffer.from(text)))
    }
    const result = (at: number) => (bytes: Uint8Array) =>
      withResult(bytes, { agent: 'bob', at, text: 'Done', links: [] })
    const failure = (at: number) => (bytes: Uint8Array) => withFailure(bytes, { agent: 'bob', at, reason: 'No' })
    await put('completed', 'old', result(now - 2 * hour))
    await put('completed', 'new', result(now - hour / 2))
    await put('completed', 'silent', (bytes) => bytes)
    // Tried again after a failure long ago.
    await put('completed', 'second', (bytes) => result(now)(failure(now - 9 * hour)(bytes)))
    await put('failed', 'old', failure(now - 2 * hour))
    await put('failed', 'free', (bytes) =>
      Buffer.concat([bytes, Buffer.from('\n---\n\n**Failure Report**\n\nIt broke.\n')]),
    )
    expect(await (await mission.overview()).status()).toMatchObject({ completedLastHour: 3, failedLastHour: 1 })
    clock.advance(hour)
    expect(await (await mission.overview()).status()).toMatchObject({ completedLastHour: 0, failedLastHour: 0 })
  })
  it('counts what a snapshot archived as soon as it was completed', async () => {
    const clock = heldClock()
    const tree = openMemoryTree({ clock })
    const mission = new Mission({ tree, clock, settings: defaultSettings, root: treePath('') }, missionAddress('m'))
    const text =
      '---\nid: first\nmission_id: m\ntimestamp: 2026-01-01T00:00:00Z\nfrom: ada\nto: bob\nstatus: completed\n---\nDo.\n'
    await tree.create(treePath('m/queue/completed/first.md'), Buffer.from(text))
    expect(await (await mission.upkeep()).archive({ olderThanMs: 0 })).toMatchObject({ archived: 1 })
    expect(await (await mission.overview()).status()).toMatchObject({ completedLastHour: 1, archived: 1 })
    clock.advance(hour)
    expect(await (await mission.overview()).status()).toMatchObject({ completedLastHour: 0, archived: 1 })
  })
})

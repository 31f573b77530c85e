/** Times of messages: one order in one place, whatever they look like, and claims whose time lies in the future. */
import fs from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { heldClock } from '../../src/kernel/clock.ts'
import { type AcmqBox, boxOn } from '../support/acmq.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

const hour = 60 * 60_000

let root: string

beforeEach(() => {
  root = tempDir()
})

const at = (...path: string[]) => join(root, 'llm/missions/alpha/queue', ...path)

const open = (clock = heldClock(Date.now())) =>
  openFileTree({ root, clock }).then(async (tree) => ({ ...(await boxOn(tree, { clock })), clock }))

async function claimAll({ mission }: AcmqBox): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const claimed = await mission.claims.next({ agent: 'gemini' })
    if (claimed.outcome !== 'claimed') return ids
    ids.push(claimed.message.id)
  }
}

const write = (id: string, fields: string, writtenAt?: number) => {
  const path = at('pending', `${id}.md`)
  fs.writeFileSync(path, `---\nid: ${id}\nfrom: claude\nto: gemini\n${fields}---\nText\n`)
  if (writtenAt !== undefined) fs.utimesSync(path, writtenAt / 1000, writtenAt / 1000)
}

/** In the order in which they were sent. */
const sent = [
  ['zoned', 'timestamp: 2026-03-01T12:00:00+02:00\n', '2026-03-01T10:00:00Z'],
  ['zoneless', 'timestamp: 2026-03-01T10:00:00.250\n', '2026-03-01T10:00:00.250Z'],
  ['comma', 'timestamp: "2026-03-01T10:00:00,5Z"\n', '2026-03-01T10:00:00.500Z'],
  ['ours', 'timestamp: 2026-03-01T10:00:00.750Z\n', '2026-03-01T10:00:00.750Z'],
  ['by-file', '', '2026-03-01T10:00:00.875Z'],
  ['unreadable-time', 'timestamp: yesterday\n', '2026-03-01T10:00:01Z'],
  ['blank', 'timestamp: 2026-03-01 10:00:02\n', '2026-03-01T10:00:02Z'],
  ['west', 'timestamp: 2026-03-01T05:00:03-0500\n', '2026-03-01T10:00:03Z'],
] as const

describe('the time of a message', () => {
  verifies(['AC-4.2a', 'AC-3.2d'], 'is one, in UTC, to whoever lists, claims, shows or counts', async () => {
    const box = await open()
    // Files with other times, and in another order, than the messages.
    for (const [id, fields, time] of [...sent].reverse()) {
      write(id, fields, id === 'by-file' || id === 'unreadable-time' ? Date.parse(time) : Date.now())
    }
    const ids = sent.map(([id]) => id)
    const listed = (await (await box.mission.overview()).waiting()).messages
    expect(listed.map(({ id, createdAt }) => [id, createdAt])).toEqual(sent.map(([id, , time]) => [id, time]))
    for (const [id, , time] of sent) expect((await (await box.mission.overview()).show(id)).createdAt).toBe(time)
    const ready: string[] = []
    for await (const { id } of (await box.mission.overview()).readyFor('gemini')) ready.push(id)
    expect(ready).toEqual(ids)
    expect((await (await box.mission.overview()).status()).oldestPending?.id).toBe('zoned')
    expect(await claimAll(box)).toEqual(ids)
    await box.close()
  })

  it('[AC-4.2a] many at once are ordered the same: the quick way to read headers leaves out none of this', async () => {
    const box = await open()
    for (let i = 0; i < 40; i++)
      await box.mission.sending.send({ from: 'claude', to: 'gemini', body: `${i}`, id: `new-${i}` })
    for (const [id, fields, time] of sent) write(id, fields, Date.parse(time))
    expect((await claimAll(box)).slice(0, sent.length)).toEqual(sent.map(([id]) => id))
    await box.close()
  })

  it('[AC-3.2d] that of the file stays when the message is claimed, finished and tried again', async () => {
    const box = await open()
    const time = '2026-03-01T10:00:00Z'
    write('by-hand', '', Date.parse(time))
    const claimed = await box.mission.claims.next({ agent: 'gemini' })
    expect(claimed).toMatchObject({ message: { createdAt: time } })
    expect((await (await box.mission.overview()).list('processing')).messages).toMatchObject([{ createdAt: time }])
    expect(await box.mission.settling.fail('by-hand', { agent: 'gemini' }, { reason: 'no' })).toMatchObject({
      message: { createdAt: time },
    })
    expect(await box.mission.settling.retry('by-hand')).toMatchObject({ message: { createdAt: time } })
    await box.mission.claims.next({ agent: 'gemini' })
    await box.mission.settling.complete('by-hand', { agent: 'gemini' })
    box.clock.advance(hour)
    await (await box.mission.upkeep()).archive({ olderThanMs: 0 })
    expect(await (await box.mission.overview()).listArchived()).toMatchObject([{ createdAt: time }])
    expect(await (await box.mission.overview()).show('by-hand')).toMatchObject({ createdAt: time })
    await box.close()
  })
})

describe('a claim whose time lies in the future', () => {
  const ahead = async () => {
    const box = await open()
    await box.mission.sending.send({ from: 'claude', to: 'gemini', body: 'x', id: 'held', timeoutSeconds: 3600 })
    await box.mission.claims.next({ agent: 'gemini' })
    const [name] = fs.readdirSync(at('processing')) as [string]
    const future = Date.now() / 1000 + 30 * 24 * 3600
    fs.utimesSync(at('processing', name), future, future)
    return box
  }

  verifies(['AC-8.2a', 'X-clock'], 'stalls, counted from when it was first seen, whoever looks', async () => {
    const { mission, clock, close } = await ahead()
    expect(await (await mission.supervision()).findStalled()).toEqual([])
    clock.advance(hour / 2)
    // Another process: the first look is noted, not remembered.
    const other = await open(clock)
    expect((await (await other.mission.upkeep()).supervise()).stalled).toEqual([])
    expect(await (await other.mission.supervision()).nextStallAt()).toBe(clock.now() + hour / 2)
    clock.advance(hour / 2 + 1000)
    expect(await (await mission.supervision()).findStalled()).toMatchObject([
      { message: { id: 'held' }, overdueSeconds: 1 },
    ])
    expect((await (await other.mission.upkeep()).supervise()).stalled).toMatchObject([{ message: { id: 'held' } }])
    expect(fs.readdirSync(at('failed'))).toHaveLength(1)
    const notes = join(root, '.signalbox/state/delivery/ac-mq/ahead/alpha.mission')
    expect(fs.readdirSync(notes)).toEqual([])
    await other.close()
    await close()
  })

  verifies('AC-8.2a', 'begins anew when it is renewed', async () => {
    const { mission, clock, close } = await ahead()
    await (await mission.supervision()).findStalled()
    clock.advance(hour - 1000)
    await mission.settling.renew('held', { agent: 'gemini' })
    clock.advance(2000)
    expect(await (await mission.supervision()).findStalled()).toEqual([])
    clock.advance(hour)
    expect(await (await mission.supervision()).findStalled()).toHaveLength(1)
    await close()
  })

  it('[X-clock] a note that is cut off, or lies in the future itself, is written anew', async () => {
    const { mission, clock, close } = await ahead()
    const note = join(root, '.signalbox/state/delivery/ac-mq/ahead/alpha.mission/held.1')
    await (await mission.supervision()).findStalled()
    const written = JSON.parse(fs.readFileSync(note, 'utf8'))
    for (const text of ['{"chan', JSON.stringify({ ...written, seenAt: written.seenAt + 24 * hour })]) {
      fs.writeFileSync(note, text)
      expect(await (await mission.supervision()).findStalled()).toEqual([])
      expect(JSON.parse(fs.readFileSync(note, 'utf8'))).toEqual({ ...written, seenAt: clock.now() })
    }
    clock.advance(hour + 1000)
    expect(await (await mission.supervision()).findStalled()).toHaveLength(1)
    await close()
  })
})

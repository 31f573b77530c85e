import { readdirSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { aMessage } from '../../../../test/support/message-routing-messages.ts'
import { tempDir } from '../../../../test/support/temp.ts'
import { openFileTree } from '../../../engines/file-system/index.ts'
import { Replays, seenHome } from './replay.ts'

const day = 24 * 60 * 60 * 1000
const windowMs = 7 * day
const now = Date.parse('2026-01-01T00:00:10.000Z')
const agent = 'coordinator-main'

let root: string
const open = async () => new Replays(await openFileTree({ root }), { windowMs })
beforeEach(() => {
  root = tempDir()
})

const folder = () => join(root, seenHome, agent, 'coder-1')
/** Time passes: the files of all days were last written that long ago. */
const age = (milliseconds: number) => {
  const then = new Date(now - milliseconds)
  for (const name of readdirSync(folder())) utimesSync(join(folder(), name), then, then)
}

describe('a copy of a message', () => {
  it('is recognised, by the same process and by the next one', async () => {
    const replays = await open()
    expect(await replays.admit(agent, aMessage(), now)).toBeUndefined()
    const copy = { code: 'REPLAYED', issues: [expect.stringContaining('msg_b4e2a7c1')] }
    expect(await replays.admit(agent, aMessage(), now)).toMatchObject(copy)
    rmSync(join(root, '.signalbox/cache'), { recursive: true, force: true })
    rmSync(join(root, '.signalbox/engine'), { recursive: true, force: true })
    expect(await (await open()).admit(agent, aMessage(), now)).toMatchObject(copy)
  })

  it('is told from another message with the same id, and from the same text to another agent', async () => {
    const replays = await open()
    await replays.admit(agent, aMessage(), now)
    expect(await replays.admit(agent, aMessage({ sequence: 1 }), now)).toBeUndefined()
    expect(await replays.admit('other', aMessage({ to: 'other' }), now)).toBeUndefined()
  })

  it('is recognised under another signature', async () => {
    const replays = await open()
    await replays.admit(agent, aMessage({ signature: { value: 'a' } }), now)
    expect(await replays.admit(agent, aMessage({ signature: { value: 'b' } }), now)).toMatchObject({ code: 'REPLAYED' })
  })

  it('can be looked at without being handed out', async () => {
    const replays = await open()
    expect(await replays.look(agent, aMessage())).toBeUndefined()
    expect(await replays.admit(agent, aMessage(), now)).toBeUndefined()
    expect(await replays.look(agent, aMessage())).toMatchObject({ code: 'REPLAYED' })
  })

  it('is handed out to one of many that ask at once', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, open))
    for (let turn = 1; turn <= 10; turn++) {
      const message = aMessage({ sequence: turn })
      const answers = await Promise.all([...all, ...all].map((one) => one.admit(agent, message, now)))
      expect(answers.filter((answer) => answer === undefined)).toHaveLength(1)
    }
  })

  it('is handed out once more when a person puts it back', async () => {
    const replays = await open()
    await replays.admit(agent, aMessage(), now)
    await replays.permit(agent, aMessage())
    expect(await replays.look(agent, aMessage())).toBeUndefined()
    expect(await replays.admit(agent, aMessage(), now)).toBeUndefined()
    expect(await replays.admit(agent, aMessage(), now)).toMatchObject({ code: 'REPLAYED' })
  })
})

describe('what is too old to tell', () => {
  it('is refused, and what is remembered does not grow for ever', async () => {
    const replays = await open()
    for (let back = 0; back < 5; back++) {
      const timestamp = new Date(now - back * day).toISOString()
      for (let sequence = 1; sequence <= 20; sequence++)
        await replays.admit(agent, aMessage({ timestamp, sequence }), now)
    }
    age(windowMs + 1000)
    const [later, then] = [await open(), now + 8 * day]
    const fresh = aMessage({ timestamp: new Date(then).toISOString() })
    expect(await later.admit(agent, fresh, then)).toBeUndefined()
    expect(readdirSync(folder()).sort()).toEqual(['2026-01-01.floor', '2026-01-09.seen'])
    for (const back of [0, 4, 100]) {
      const timestamp = new Date(now - back * day).toISOString()
      expect(await later.admit(agent, aMessage({ timestamp, sequence: 1 }), then)).toMatchObject({ code: 'TOO_OLD' })
    }
    await later.permit(agent, aMessage({ sequence: 1 }))
    expect(await later.admit(agent, aMessage({ sequence: 1 }), then)).toBeUndefined()
  })

  it('is not a message that merely waited for a recipient that was away', async () => {
    const replays = await open()
    const waited = (sequence: number) => aMessage({ timestamp: '2025-06-01T12:00:00.000Z', sequence })
    expect(await replays.admit(agent, waited(1), now)).toBeUndefined()
    expect(await (await open()).admit(agent, waited(2), now + day)).toBeUndefined()
  })

  it('is nothing of today, when a sender whose clock was ahead dated a message to the day after tomorrow', async () => {
    const replays = await open()
    const dated = (at: number, sequence: number) => aMessage({ timestamp: new Date(at).toISOString(), sequence })
    expect(await replays.admit(agent, dated(now + 9 * day, 1), now)).toBeUndefined()
    // A week later that day is still to come, and nobody has added to it since.
    age(windowMs + 1000)
    const then = now + 7.5 * day
    const later = await open()
    expect(await later.admit(agent, dated(then, 2), then)).toBeUndefined()
    expect(await later.admit(agent, dated(now + 9 * day, 1), then)).toMatchObject({ code: 'REPLAYED' })
  })

  it('is not forgotten while messages of that day are still being handed out', async () => {
    const replays = await open()
    await replays.admit(agent, aMessage(), now)
    age(windowMs - 1000)
    expect(await (await open()).admit(agent, aMessage(), now)).toMatchObject({ code: 'REPLAYED' })
  })
})

/** What a living process holds is nobody's rubbish; what a dead one held is finished; what cannot be known is kept. */
import fs from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { Holders } from '../../src/engines/file-system/holder.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { queueNames } from '../../src/protocols/ac-mq/schema.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { openBox } from '../support/acmq.ts'
import { type Child, spawnChild } from '../support/child.ts'
import { steppingDisk } from '../support/stepping-disk.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

const at = treePath
const bytes = (text: string) => Buffer.from(text)
const twoHours = 2 * 60 * 60 * 1000
const later = { now: () => Date.now() + twoHours }
const everywhere = [at('llm'), at('a'), at('b')]

let root: string
let tree: Tree
beforeEach(async () => {
  root = join(tempDir(), 'root')
  tree = await openFileTree({ root })
})
afterEach(() => tree.close())

const [ownPid = '', , where = ''] = new Holders(realDisk()).self.split('-')
const dead = `${ownPid}-1-${where}-dead00`
/** On a machine that nobody here can ask. */
const unknown = `5-5-0_otherb_others-aaaaaa`
const engine = (...path: string[]) => join(root, '.signalbox/engine', ...path)
const shown = (path: string) => fs.readdirSync(join(root, path)).sort()
const put = (path: string, text: string) => {
  fs.mkdirSync(join(path, '..'), { recursive: true })
  fs.writeFileSync(path, text, { mode: 0o600 })
}

/** A file system that has gone on by so much since: what is new says so, and nobody's clock does. */
const diskAhead = (milliseconds: number) =>
  steppingDisk(realDisk(), (step, _values, call) => {
    const stats = call() as fs.Stats | undefined
    const isNew = step === 'statOpen' && stats?.isFile() === true && stats.size <= 1
    return isNew ? Object.assign(stats, { mtimeMs: stats.mtimeMs + milliseconds }) : stats
  })

/** Only root can give files away. */
const cannotGive = process.getuid?.() === 0 ? undefined : 'only root can give files away'

describe('a process that is stopped in the middle of completing', () => {
  verifies(
    'X-held',
    'keeps all it holds from doctor --fix two hours on, and when it is killed the message is there once',
    async () => {
      let stopAt = 1
      for (let isStopped = true; isStopped; stopAt++) {
        const place = join(tempDir(), 'root')
        const box = await openBox(place)
        const id = 'held-message'
        await box.mission.sending.send({ from: 'claude', to: 'gemini', body: 'The body\n', id })
        const child = spawnChild('stopped-completer', [place, id, String(stopAt)])
        isStopped = (await child.nextLine()) === 'stopping'
        if (isStopped) await hasStopped(child)
        const doctor = await openBox(place, { clock: later as never })
        await doctor.tree.inspect({ repair: true, within: everywhere })
        await (await doctor.mission.overview()).list('processing')
        child.kill()
        await child.exited
        const next = await openBox(place)
        const found: string[] = []
        for (const queue of queueNames) {
          const { messages } = await (await next.mission.overview()).list(queue)
          found.push(...messages.map((message) => `${queue}: ${message.id}`))
        }
        expect(found, `stopped before change ${stopAt}`).toHaveLength(1)
        const [queue = ''] = found[0]!.split(':')
        const [name = ''] = shownIn(place, queue)
        const text = fs.readFileSync(join(place, 'llm/missions/alpha/queue', queue, name), 'utf8')
        expect(text, `stopped before change ${stopAt}`).toContain('The body')
        if (queue === 'completed') expect(text).toContain('A result of some length')
        for (const one of [box, doctor, next]) await one.close()
      }
      // As many as the steps of the engine; fewer would mean that nothing was tried.
      expect(stopAt).toBeGreaterThan(5)
    },
    120_000,
  )
})

const shownIn = (place: string, queue: string) => fs.readdirSync(join(place, 'llm/missions/alpha/queue', queue))

/** Until the system says so; the signal was sent before the line that we have read. */
async function hasStopped({ pid }: Child): Promise<void> {
  for (;;) {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    if (stat.slice(stat.lastIndexOf(')') + 2).startsWith('T')) return
    await new Promise(setImmediate)
  }
}

describe('temporary files', () => {
  verifies(
    ['X-held', 'X-doctor'],
    'of the dead are removed, of the living and the unknown kept, whatever the clock',
    async () => {
      await tree.create(at('a/m.md'), bytes('x'))
      const alive = new Holders(realDisk()).self
      const names = [`${dead}-d_0`, `${alive}-d_zzz`, `${unknown}-d_0`, 'of-nobody']
      for (const name of names) put(engine('tmp', name), 'half')
      const future = await openFileTree({ root, clock: later })
      const found = await future.inspect({ repair: true })
      expect(found.map(({ code, path, repaired }) => [code, path.split('/').at(-1), repaired]).sort()).toEqual(
        [
          ['ORPHANED_DRAFT', `${dead}-d_0`, true],
          ['ORPHANED_DRAFT', 'of-nobody', false],
          ['UNKNOWN_HOLDER', `${unknown}-d_0`, false],
        ].sort(),
      )
      expect(fs.readdirSync(engine('tmp')).sort()).toEqual([`${alive}-d_zzz`, `${unknown}-d_0`, 'of-nobody'].sort())
      await future.close()
    },
  )

  verifies.unless(
    cannotGive,
    'X-held',
    'of a dead process stay while it has a note that nobody could finish',
    async () => {
      // The draft would be taken for one that has arrived, and the private file thrown away.
      put(engine('moves', `${dead}-0`), noteOf({ from: 'a/m.md', to: 'b/m.md', draft: '.signalbox/engine/tmp' }))
      put(engine('tmp', `${dead}-0`), 'after')
      put(join(root, 'a', `.own-${dead}-0-m.md`), 'before')
      fs.chownSync(engine('moves', `${dead}-0`), 12345, 12345)
      await tree.inspect({ repair: true, within: everywhere })
      expect(fs.existsSync(engine('tmp', `${dead}-0`))).toBe(true)
    },
  )

  verifies('X-held', 'of others survive a process that does much', async () => {
    await tree.create(at('a/0'), bytes('x'))
    for (const name of [`${dead}-d_0`, `${unknown}-d_0`, 'of-nobody']) put(engine('tmp', name), 'half')
    for (let i = 1; i < 200; i++) await tree.create(at(`a/${i}`), bytes('x'))
    expect(fs.readdirSync(engine('tmp')).sort()).toEqual([`${unknown}-d_0`, 'of-nobody'].sort())
  })
})

const noteOf = (fields: Readonly<Record<string, unknown>>, by = dead) =>
  `${JSON.stringify({ operation: `${by}-0`, file: 1, links: 1, ...fields })}\n`

describe('a process that cannot be asked', () => {
  const ownFile = `.own-${unknown}-0-m.md`
  const setUp = () => {
    put(join(root, 'a', ownFile), 'the message')
    put(engine('moves', `${unknown}-0`), noteOf({ from: 'a/m.md', to: 'b/m.md', file: inode(`a/${ownFile}`) }, unknown))
    // Long ago, by every clock that can be set.
    for (const path of [join(root, 'a', ownFile), engine('moves', `${unknown}-0`)]) fs.utimesSync(path, 1, 1)
  }
  const inode = (path: string) => fs.statSync(join(root, path)).ino

  verifies(
    ['X-held', 'X-doctor'],
    'keeps its note and its private file; both are told, and listed as before',
    async () => {
      setUp()
      const next = await openFileTree({ root, clock: later })
      expect(await next.list(at('a'))).toEqual([{ name: 'm.md', kind: 'leaf' }])
      const found = await next.inspect({ repair: true, within: everywhere })
      expect(found).toMatchObject([
        { code: 'UNKNOWN_HOLDER', severity: 'warning', path: join(root, 'a/m.md'), repaired: false },
        { code: 'UNKNOWN_HOLDER', severity: 'warning', path: join(root, 'a', ownFile), repaired: false },
      ])
      expect(found[0]?.hint).toContain('`doctor {"fix":true,"assumeGone":true}`')
      expect([shown('a'), fs.readdirSync(engine('moves'))]).toEqual([[ownFile], [`${unknown}-0`]])
      await next.close()
    },
  )

  verifies(['X-held', 'X-doctor'], 'is taken for dead when a person says so, and its move is finished', async () => {
    setUp()
    await tree.inspect({ assumeGone: true, within: everywhere })
    expect(shown('a'), 'without repair nothing is done').toEqual([ownFile])
    await tree.inspect({ repair: true, assumeGone: true, within: everywhere })
    expect([shown('a'), shown('b'), fs.readdirSync(engine('moves'))]).toEqual([[], ['m.md'], []])
    expect(await tree.inspect({ within: everywhere })).toEqual([])
  })
})

describe('a note in another user’s hand', () => {
  const setUp = () => {
    put(join(root, 'a', `.own-${dead}-0-m.md`), 'the message')
    put(
      engine('moves', `${dead}-0`),
      noteOf({ from: 'a/m.md', to: 'b/planted.md', file: fs.statSync(join(root, 'a', `.own-${dead}-0-m.md`)).ino }),
    )
  }
  for (const [what, give] of [
    ['that is somebody’s', () => fs.chownSync(engine('moves', `${dead}-0`), 12345, 12345)],
    ['in a folder that is somebody’s', () => fs.chownSync(engine('moves'), 12345, 12345)],
  ] as const) {
    verifies.unless(cannotGive, 'X-notes', `${what} is not acted on, and told`, async () => {
      setUp()
      give()
      await tree.inspect({ repair: true, assumeGone: true, within: everywhere })
      const next = await openFileTree({ root })
      expect([fs.existsSync(join(root, 'b')), fs.readdirSync(engine('moves'))]).toEqual([false, [`${dead}-0`]])
      expect((await next.inspect()).map(({ code }) => code)).toContain('FOREIGN_NOTE')
      await next.close()
    })
  }

  verifies('X-notes', 'that is our own is acted on', async () => {
    setUp()
    await (await openFileTree({ root })).close()
    expect([shown('a'), shown('b')]).toEqual([[], ['planted.md']])
  })
})

describe('what is no note', () => {
  verifies('X-notes', 'is set aside once, kept as it was, and told until somebody deletes it', async () => {
    put(engine('moves', `${dead}-0`), '{}\n')
    put(engine('moves', 'whatever'), 'hello')
    for (let i = 0; i < 2; i++) await (await openFileTree({ root })).close()
    expect(fs.readdirSync(engine('moves'))).toEqual([])
    const aside = fs.readdirSync(engine('set-aside')).sort()
    expect(aside.map((name) => name.replace(/\.\w{10}\./, ' '))).toEqual(['bad-name whatever', `bad-note ${dead}-0`])
    expect(fs.readFileSync(engine('set-aside', aside[1]!), 'utf8')).toBe('{}\n')
    const told = await tree.inspect()
    expect(told.map(({ code, severity }) => [code, severity])).toEqual(Array(2).fill(['SET_ASIDE', 'warning']))
    expect(told[1]?.message).toContain('it does not say what a note about a move says')
    for (const name of aside) fs.rmSync(engine('set-aside', name))
    expect(await tree.inspect()).toEqual([])
  })

  verifies('X-notes', 'but bears the name of a process that may live stays where that writes its next', async () => {
    put(engine('moves', `${unknown}-0`), '{}\n')
    await (await openFileTree({ root })).close()
    expect(fs.readdirSync(engine('moves'))).toEqual([`${unknown}-0`])
    expect(await tree.inspect()).toMatchObject([{ code: 'STRANGE_ENGINE_FILE', severity: 'warning', repaired: false }])
  })
})

describe('leases', () => {
  const file = () => engine('leases', 'job.json')
  const day = 24 * 60 * 60 * 1000

  verifies('X-notes', 'whose file is cut off are given anew, with a higher number than any before', async () => {
    const { lease } = await tree.lease('job', 'one', 60_000)
    for (const text of ['', '{"resource":"jo', 'null', '[]']) {
      const before = JSON.parse(fs.readFileSync(file(), 'utf8')).fence as number
      fs.writeFileSync(file(), text)
      expect(await tree.inspect()).toContainEqual(
        expect.objectContaining({ code: 'STRANGE_ENGINE_FILE', path: file() }),
      )
      const next = await tree.lease('job', `after ${text}`, 60_000)
      expect(next).toMatchObject({ outcome: 'held' })
      expect(next.lease.fence).toBeGreaterThan(before)
      expect(await tree.create(at('a/x'), bytes('x'), { under: lease })).toEqual({ outcome: 'fenced' })
    }
  })

  verifies('X-notes', 'whose file is cut off are put right by doctor --fix, and the count goes on', async () => {
    const { lease } = await tree.lease('job', 'one', 60_000)
    fs.writeFileSync(file(), '')
    expect(await tree.inspect({ repair: true })).toMatchObject([{ code: 'STRANGE_ENGINE_FILE', repaired: true }])
    const next = await tree.lease('job', 'two', 60_000)
    expect(next.lease.fence).toBeGreaterThan(lease.fence)
  })

  verifies('X-notes', 'count for a day at most from when they were written, whatever they say', async () => {
    await tree.lease('job', 'one', 60_000)
    const text = fs.readFileSync(file(), 'utf8')
    fs.writeFileSync(file(), text.replace(/"until":\d+(\.\d+)?/, '"until":8640000000000000'))
    const busy = await tree.lease('job', 'two', 1000)
    expect(busy.outcome).toBe('busy')
    expect(busy.lease.until - Date.now()).toBeLessThanOrEqual(day + 1000)
    const tomorrow = await openFileTree({ root, disk: diskAhead(day + 1) })
    expect((await tomorrow.lease('job', 'two', 1000)).outcome).toBe('held')
    await tomorrow.close()
  })

  verifies('X-notes', 'are not given for longer than a day', async () => {
    await expect(tree.lease('job', 'me', day + 1)).rejects.toMatchObject({ code: 'BAD_LEASE', kind: 'InvalidInput' })
    expect((await tree.lease('job', 'me', day)).outcome).toBe('held')
  })
})

describe('a lock whose holder cannot be asked', () => {
  verifies(
    'X-notes',
    'is waited for no longer than its bound by the file system’s time, whatever is written in it',
    async () => {
      for (const family of ['path', 'turn', 'lease'])
        for (let n = 0; n < 64; n++)
          put(engine('locks', `${family}-${n.toString(36)}`, 'lock.1'), `H-${unknown} 99999999999999\n`)
      const soon = await openFileTree({
        root,
        disk: diskAhead(29_000),
        patience: { unknownHolderMs: 30_000, giveUpMs: 1 },
      })
      expect(await soon.inspect()).toEqual([])
      await soon.close()
      const late = await openFileTree({
        root,
        disk: diskAhead(30_001),
        patience: { unknownHolderMs: 30_000, giveUpMs: 1 },
      })
      expect(await late.exclusively('x', async () => 'done')).toBe('done')
      await late.close()
    },
  )
})

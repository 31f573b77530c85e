/** What a process that claims once knows from those before it, and that nothing but the time depends on it. */
import fs from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { heldClock } from '../../src/kernel/clock.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import type { Claimed } from '../../src/protocols/ac-mq/store/outcomes.ts'
import { candidateOf } from '../../src/protocols/ac-mq/store/waiting/candidate.ts'
import { printBase } from '../../src/protocols/ac-mq/store/waiting/pending-cache-format.ts'
import { openBox } from '../support/acmq.ts'
import { steppingDisk } from '../support/stepping-disk.ts'
import { tempDir, withTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

/** It stands still: what is read again with time, and when somebody looks again, is then known. */
const clock = heldClock(Date.now())
const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)

verifies('X-memory', 'a process that only sent, by the thousand, then claims all of them in order', async () => {
  await withTempDir(async (root) => {
    const box = await openBox(root)
    const other = await openBox(root)
    const send = (priority: number, n: number) =>
      box.mission.sending.send({
        from: 'boss',
        to: 'gemini',
        body: `${n}`,
        priority,
        timestamp: new Date(1_751_625_000_000 + n * 1000).toISOString(),
      })
    for (let n = 0; n < 4200; n++) await send(n % 2 === 0 ? 3 : 4, n)
    const urgent = await send(1, 4200)
    const first = await box.mission.claims.next({ agent: 'gemini' })
    expect(first).toMatchObject({ outcome: 'claimed', message: { id: urgent.message.id } })
    const bodies: number[] = []
    for (;;) {
      const claimed = await box.mission.claims.next({ agent: 'gemini' })
      if (claimed.outcome !== 'claimed') break
      bodies.push(Number(claimed.message.body))
    }
    const inOrder = (odd: number) => Array.from({ length: 2100 }, (_, n) => 2 * n + odd)
    expect(bodies).toEqual([...inOrder(0), ...inOrder(1)])
    expect(await other.mission.claims.next({ agent: 'gemini' })).toMatchObject({ outcome: 'nothing' })
    await box.close()
    await other.close()
  })
})

/** A mission whose messages are put there and taken away by a program that knows nothing of us. */
class Place {
  readonly root: string
  #number = 0

  constructor(root: string) {
    this.root = root
    fs.mkdirSync(join(root, 'outside'), { recursive: true })
  }

  at = (...parts: string[]) => join(this.root, 'llm/missions/alpha/queue', ...parts)
  get cache() {
    return join(this.root, '.signalbox/cache/acmq/alpha/queue/pending')
  }

  /** Does something in `pending/`, and sees to it that the folder's time shows it: some clocks tick every 4 ms. */
  foreign(change: () => void): void {
    const stamp = () => fs.statSync(this.at('pending')).ctimeMs
    const before = stamp()
    change()
    while (stamp() === before) {
      fs.writeFileSync(this.at('pending', '.tick'), '')
      fs.unlinkSync(this.at('pending', '.tick'))
    }
  }

  /** `printf` to a temporary name, then `mv`. */
  arrive(message: { to: string; priority: number; seconds: number; dependencies?: string[] }): Waiting {
    const id = `m-${String(++this.#number).padStart(5, '0')}`
    const { to, priority, seconds, dependencies = [] } = message
    const time = new Date(1_751_625_000_000 + seconds * 1000).toISOString()
    const lines = [`id: ${id}`, `timestamp: ${time}`, 'from: harold', `to: ${to}`, `priority: ${priority}`]
    const list = dependencies.map((text) => `\n  - ${text}`).join('') || ' []'
    const text = `---\n${lines.join('\n')}\ndependencies:${list}\n---\nWork ${id}\n`
    const name = `${id}-by-hand.md`
    fs.writeFileSync(join(this.root, 'outside', name), text)
    this.foreign(() => fs.renameSync(join(this.root, 'outside', name), this.at('pending', name)))
    return { id, name, to, priority, key: `${priority} ${time} ${id}` }
  }

  edit(name: string, change: (text: string) => string): void {
    fs.writeFileSync(this.at('pending', name), change(fs.readFileSync(this.at('pending', name), 'utf8')))
  }

  /** One claim by a process that has just started. */
  async claim(agent = 'gemini', options: { rememberFrom?: number; disk?: ReturnType<typeof realDisk> } = {}) {
    const { rememberFrom = 1, disk } = options
    const tree = await openFileTree({ root: this.root, clock, ...(disk ? { disk } : {}) })
    try {
      const missions = await acmq.open({ tree, clock, settings: { ...acmq.defaults, rememberFrom } })
      return await (await missions.open('alpha')).claims.next({ agent })
    } finally {
      await tree.close()
    }
  }

  bases = () => fs.readdirSync(this.cache).filter((name) => name.endsWith('.base'))
}

interface Waiting {
  readonly id: string
  readonly name: string
  readonly to: string
  readonly priority: number
  /** Sorts as it is claimed. */
  readonly key: string
}

const idOf = (claimed: Claimed) => (claimed.outcome === 'claimed' ? claimed.message.id : undefined)

async function placeIn(root: string): Promise<Place> {
  await (await openBox(root)).close()
  return new Place(root)
}

describe('the order of cold claims', () => {
  const op = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constant('claim' as const), agent: fc.constantFrom('gemini', 'codex') }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('arrive' as const),
        to: fc.constantFrom('gemini', 'codex', 'all'),
        priority: fc.integer({ min: 1, max: 5 }),
        seconds: fc.integer({ min: 0, max: 3 }),
      }),
    },
    fc.record({ do: fc.constantFrom('leave' as const, 'return' as const, 'demote' as const), which: fc.nat(1000) }),
    fc.record({ do: fc.constantFrom('forget' as const, 'spoil' as const, 'cut' as const), which: fc.nat(1000) }),
  )

  verifies(
    ['X-index', 'AC-4.2a'],
    'is by priority, time and id, whatever strangers do to the queue and the cache in between',
    async () => {
      const run = async (ops: readonly (typeof op extends fc.Arbitrary<infer T> ? T : never)[]) =>
        withTempDir(async (root) => {
          const place = await placeIn(root)
          let waiting = [1, 2, 3, 4, 5].map((priority) => place.arrive({ to: 'gemini', priority, seconds: 0 }))
          const taken: Waiting[] = []
          for (const step of ops) {
            const which = 'which' in step ? step.which : 0
            const chosen = waiting[which % Math.max(1, waiting.length)]
            if (step.do === 'arrive') waiting.push(place.arrive(step))
            else if (step.do === 'claim') {
              const mine = waiting.filter(({ to }) => to === step.agent || to === 'all')
              const best = mine.sort((a, b) => (a.key < b.key ? -1 : 1))[0]
              expect(idOf(await place.claim(step.agent))).toBe(best?.id)
              waiting = waiting.filter((one) => one !== best)
              if (best) taken.push({ ...best, to: step.agent })
            } else if (step.do === 'leave' && chosen) {
              place.foreign(() => fs.unlinkSync(place.at('pending', chosen.name)))
              waiting = waiting.filter((one) => one !== chosen)
            } else if (step.do === 'return' && taken.length > 0) {
              const back = taken.pop()!
              place.foreign(() => fs.renameSync(place.at('processing', back.name), place.at('pending', back.name)))
              waiting.push(back)
            } else if (step.do === 'demote' && chosen) {
              place.edit(chosen.name, (text) => text.replace(/priority: \d/, 'priority: 5'))
              waiting = waiting.filter((one) => one !== chosen)
              waiting.push({ ...chosen, priority: 5, key: chosen.key.replace(/^\d/, '5') })
            } else if (step.do === 'forget') {
              fs.rmSync(join(root, '.signalbox/cache'), { recursive: true, force: true })
            } else if (fs.existsSync(place.cache)) {
              const files = fs.readdirSync(place.cache)
              const file = files.length > 0 ? join(place.cache, files[which % files.length]!) : undefined
              if (file && step.do === 'cut')
                fs.truncateSync(file, Math.floor((fs.statSync(file).size * (which % 100)) / 100))
              if (file && step.do === 'spoil') fs.writeFileSync(file, `${which}`.repeat(50))
            }
          }
        })
      await fc.assert(fc.asyncProperty(fc.array(op, { minLength: 10, maxLength: 30 }), run), {
        numRuns: 25 * scale,
        seed: 20261116,
        endOnFailure: true,
      })
    },
    300_000,
  )
})

describe('what others left', () => {
  let place: Place
  beforeEach(async () => {
    place = await placeIn(tempDir())
  })

  /** Puts another base in place of all that is there. */
  const pretend = (names: readonly string[], readAt: number) => {
    const base = join(place.cache, place.bases()[0]!)
    const record = { mission_id: 'alpha', from: 'x', status: 'pending', timeout_seconds: 1, summary: '', attempt: 1 }
    const candidates = names.map((name) =>
      candidateOf(name, {
        ...record,
        id: name.slice(0, 7),
        to: 'gemini',
        priority: 3,
        timestamp: '2025-07-04T10:30:00Z',
        dependencies: [],
      }),
    )
    for (const name of fs.readdirSync(place.cache)) fs.unlinkSync(join(place.cache, name))
    fs.writeFileSync(base, printBase(candidates, readAt))
  }

  it('is nothing for a queue that is read as quickly', async () => {
    place.arrive({ to: 'gemini', priority: 3, seconds: 0 })
    place.arrive({ to: 'gemini', priority: 3, seconds: 1 })
    expect(idOf(await place.claim('gemini', { rememberFrom: 1000 }))).toBe('m-00001')
    expect(fs.existsSync(join(place.root, '.signalbox/cache'))).toBe(false)
  })

  it('is one base, followed by another when it has become old, and nothing when the queue is small again', async () => {
    const all = Array.from({ length: 6 }, (_, i) => place.arrive({ to: 'gemini', priority: 3, seconds: i }))
    const left = (from: number) => all.slice(from).map(({ name }) => name)
    await place.claim()
    const [first] = place.bases()
    await place.claim()
    expect(place.bases()).toEqual([first])
    pretend(left(2), 0)
    expect(idOf(await place.claim())).toBe('m-00003')
    expect(place.bases()).toHaveLength(1)
    expect(place.bases()).not.toEqual([first])
    pretend(left(3), 0)
    expect(idOf(await place.claim('gemini', { rememberFrom: 5 }))).toBe('m-00004')
    expect(fs.readdirSync(place.cache)).toEqual([])
  })

  it('is followed by another when too much has come since', async () => {
    for (let i = 0; i < 3; i++) place.arrive({ to: 'gemini', priority: 3, seconds: i })
    await place.claim()
    const [first] = place.bases()
    for (let i = 0; i < 501; i++) {
      const text = `---\nid: n-${i}\ntimestamp: 2025-07-04T10:30:00Z\nfrom: a\nto: gemini\npriority: 4\n---\n`
      fs.writeFileSync(place.at('pending', `n-${i}.md`), text)
    }
    expect(idOf(await place.claim())).toBe('m-00002')
    expect(place.bases()).toHaveLength(1)
    expect(place.bases()).not.toEqual([first])
    expect(idOf(await place.claim())).toBe('m-00003')
  })

  verifies('X-index', 'never makes anyone say that nothing is there', async () => {
    const one = place.arrive({ to: 'gemini', priority: 3, seconds: 0 })
    const two = place.arrive({ to: 'gemini', priority: 3, seconds: 1 })
    expect(idOf(await place.claim())).toBe(one.id)
    pretend([], clock.now())
    expect(idOf(await place.claim())).toBe(two.id)
    expect(await place.claim()).toEqual({ outcome: 'nothing', blocked: [] })
  })

  verifies('X-index', 'is not believed for longer than a round: then an edit in place shows', async () => {
    const all = [0, 1, 2, 3].map((seconds) => place.arrive({ to: 'gemini', priority: 3, seconds }))
    expect(idOf(await place.claim())).toBe(all[0]!.id)
    place.edit(all[3]!.name, (text) => text.replace('priority: 3', 'priority: 1'))
    // As if the headers had been read long ago.
    pretend(
      all.slice(1).map(({ name }) => name),
      0,
    )
    expect(idOf(await place.claim())).toBe(all[3]!.id)
    expect(idOf(await place.claim())).toBe(all[1]!.id)
  })

  it.each([
    ['a file that is no message any more', (name: string) => fs.writeFileSync(place.at('pending', name), 'nonsense')],
    [
      'a folder in place of a message',
      (name: string) => {
        fs.unlinkSync(place.at('pending', name))
        fs.mkdirSync(place.at('pending', name))
      },
    ],
  ])('may be %s: the others flow', async (_, spoil) => {
    const all = [0, 1, 2].map((seconds) => place.arrive({ to: 'gemini', priority: 3, seconds }))
    expect(idOf(await place.claim())).toBe(all[0]!.id)
    spoil(all[1]!.name)
    pretend(
      all.slice(1).map(({ name }) => name),
      clock.now(),
    )
    expect(idOf(await place.claim())).toBe(all[2]!.id)
  })

  it('may lie behind a link, or be a file: it is left alone', async () => {
    for (let i = 0; i < 3; i++) place.arrive({ to: 'gemini', priority: 3, seconds: i })
    fs.mkdirSync(join(place.root, 'elsewhere'))
    fs.symlinkSync(join(place.root, 'elsewhere'), join(place.root, '.signalbox/cache'))
    expect(idOf(await place.claim())).toBe('m-00001')
    expect(fs.readdirSync(join(place.root, 'elsewhere'))).toEqual([])
    fs.unlinkSync(join(place.root, '.signalbox/cache'))
    fs.writeFileSync(join(place.root, '.signalbox/cache'), '')
    expect(idOf(await place.claim())).toBe('m-00002')
  })

  it('knows what waits for what', async () => {
    fs.mkdirSync(place.at('../context'), { recursive: true })
    place.arrive({ to: 'gemini', priority: 5, seconds: 0 })
    place.arrive({ to: 'gemini', priority: 1, seconds: 0, dependencies: ['path:context/a.md'] })
    place.arrive({ to: 'gemini', priority: 4, seconds: 0 })
    expect(idOf(await place.claim())).toBe('m-00003')
    fs.writeFileSync(place.at('../context/a.md'), '')
    expect(idOf(await place.claim())).toBe('m-00002')
    place.arrive({ to: 'gemini', priority: 1, seconds: 0, dependencies: ['msg:m-00001'] })
    expect(idOf(await place.claim())).toBe('m-00001')
    const blocked = [{ id: 'm-00004', summary: 'Work m-00004', to: 'gemini', reason: 'waits for m-00001 (processing)' }]
    expect(await place.claim()).toMatchObject({
      outcome: 'nothing',
      blocked: [{ ...blocked[0], summary: expect.any(String) }],
    })
  })
})

verifies(
  'X-scale',
  'a cold claim among 1,500 takes no more calls than one among 100, also after a foreign mv',
  async () => {
    const places = await Promise.all([tempDir(), tempDir()].map(placeIn))
    const [small, large] = places as [Place, Place]
    const fill = (place: Place, count: number) => {
      for (let i = 0; i < count; i++) {
        const text = `---\nid: n-${i}\ntimestamp: 2025-07-04T10:30:00Z\nfrom: a\nto: gemini\npriority: 4\n---\n`
        fs.writeFileSync(place.at('pending', `n-${i}.md`), text)
      }
    }
    fill(small, 100)
    fill(large, 1500)
    const callsOf = async (place: Place) => {
      let calls = 0
      const disk = steppingDisk(realDisk(), (_step, _values, call) => {
        calls++
        return call()
      })
      const claimed = await place.claim('gemini', { rememberFrom: 1000, disk })
      return { calls, id: idOf(claimed) }
    }
    const amongFew = await callsOf(small)
    const first = await callsOf(large)
    expect(first.calls).toBeGreaterThan(1500)
    for (let i = 0; i < 5; i++) {
      expect((await callsOf(large)).calls).toBeLessThan(amongFew.calls / 2)
      const { id } = large.arrive({ to: 'gemini', priority: 1, seconds: i })
      const { calls, id: claimed } = await callsOf(large)
      expect(calls).toBeLessThan(amongFew.calls / 2)
      expect(claimed).toBe(id)
    }
  },
  300_000,
)

describe('whoever looks at a mission again', () => {
  const opened = async (root: string) => {
    const counts = { opened: 0, listed: 0 }
    const disk = steppingDisk(realDisk(), (step, _values, call) => {
      if (step === 'open') counts.opened++
      if (step === 'list') counts.listed++
      return call()
    })
    const tree = await openFileTree({ root, disk, clock })
    const missions = await acmq.open({ tree, clock, settings: { ...acmq.defaults, rememberFrom: 1 } })
    return { tree, counts, mission: await missions.open('alpha') }
  }
  const openedBy = async (counts: { opened: number }, look: () => Promise<unknown>) => {
    const before = counts.opened
    await look()
    return counts.opened - before
  }

  it('reads only what is new: supervision, and the status of what waits', async () => {
    const place = await placeIn(tempDir())
    for (let i = 0; i < 200; i++) place.arrive({ to: 'gemini', priority: 3, seconds: i })
    const { tree, counts, mission } = await opened(place.root)
    expect(await openedBy(counts, async () => (await mission.upkeep()).supervise())).toBeGreaterThan(200)
    expect(await openedBy(counts, async () => (await mission.upkeep()).supervise())).toBeLessThan(20)
    place.arrive({ to: 'gemini', priority: 3, seconds: 0 })
    fs.writeFileSync(place.at('completed', 'odd.md'), '---\nid: odd-1\nto: gemini\nfrom: a\nstatus: pending\n---\n')
    expect((await (await mission.upkeep()).supervise()).repairs.map(({ what }) => what)).toEqual(['status'])
    await tree.close()

    await place.claim()
    const cold = await opened(place.root)
    const { counts: queues } = await (await cold.mission.overview()).status()
    expect(queues).toEqual({ pending: 200, processing: 1, completed: 1, failed: 0 })
    expect(cold.counts.opened).toBeLessThan(60)
    await cold.tree.close()
  })

  it('[X-scale] does not list the queues once for every message that something depends on', async () => {
    const place = await placeIn(tempDir())
    const box = await openBox(place.root)
    const number = 100
    const waiting: string[] = []
    for (let i = 0; i < number; i++) {
      const { message } = await box.mission.sending.send({ from: 'claude', to: 'gemini', body: `first ${i}` })
      await box.mission.claims.next({ agent: 'gemini', id: message.id })
      await box.mission.settling.complete(message.id, { agent: 'gemini' })
      const dependencies = [`msg:${message.id}`]
      waiting.push(
        (await box.mission.sending.send({ from: 'claude', to: 'codex', body: 'then', dependencies })).message.id,
      )
    }
    await box.close()

    const { tree, counts, mission } = await opened(place.root)
    const claimed: string[] = []
    for (let i = 0; i < number; i++) {
      const next = await mission.claims.next({ agent: 'codex' })
      if (next.outcome === 'claimed') claimed.push(next.message.id)
    }
    expect(claimed.sort()).toEqual(waiting.sort())
    expect(counts.listed).toBeLessThan(number / 2)
    await tree.close()
  })

  it('sees a message that was retried between two passes where it is now', async () => {
    const place = await placeIn(tempDir())
    const { tree, mission } = await opened(place.root)
    const { message } = await mission.sending.send({ from: 'claude', to: 'gemini', body: 'x' })
    for (let attempt = 1; attempt <= 3; attempt++) {
      await mission.claims.next({ agent: 'gemini' })
      await (await mission.upkeep()).supervise()
      await mission.settling.fail(message, { agent: 'gemini' }, { reason: 'not yet' })
      await (await mission.upkeep()).supervise()
      await mission.settling.retry(message.id)
      expect((await (await mission.upkeep()).supervise()).repairs).toEqual([])
      expect(fs.readdirSync(place.at('pending'))).toEqual([message.name])
    }
    await tree.close()
  })
})

describe('what waits for something that is not there', () => {
  /** As many steps on files as a claim takes that finds nothing, with so many waiting and so many that are no messages. */
  async function stepsOfClaim(count: number): Promise<number> {
    return withTempDir(async (root) => {
      let steps = 0
      const disk = steppingDisk(realDisk(), (_, __, call) => {
        steps++
        return call()
      })
      const box = await openBox(root)
      const queue = (name: string, file: string) => join(root, 'llm/missions/alpha/queue', name, file)
      for (let i = 0; i < count; i++) {
        fs.writeFileSync(queue('failed', `odd-${i}.md`), 'no message')
        fs.writeFileSync(
          queue('pending', `waits-${i}.md`),
          `---\nid: waits-${i}\nfrom: claude\nto: gemini\ntimestamp: 2026-01-01T00:00:00Z\ndependencies:\n  - "msg:absent-${i}"\n---\n`,
        )
      }
      await box.close()
      const tree = await openFileTree({ root, disk })
      const missions = await acmq.open({ tree, clock, settings: acmq.defaults })
      const mission = await missions.open('alpha')
      steps = 0
      const claimed = await mission.claims.next({ agent: 'gemini' })
      expect(claimed).toMatchObject({ outcome: 'nothing', blocked: { length: count } })
      await tree.close()
      return steps
    })
  }

  verifies('X-scale', 'costs as much as there is of both, and not of one for each of the other', async () => {
    const [few, many] = [await stepsOfClaim(50), await stepsOfClaim(200)]
    expect(many / few).toBeLessThan(6)
    // 400 files; each of the 200 searches would read 200 of them.
    expect(many).toBeLessThan(15_000)
  })
})

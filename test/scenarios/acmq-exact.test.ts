/** AC-MQ where several act on one thing at once, and where a file is not ours alone. */
import fs from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { heldClock } from '../../src/kernel/clock.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { type AcmqBox, openBox } from '../support/acmq.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

const clock = heldClock(Date.now())
const three = [0, 1, 2]
let base: string
let root: string
let boxes: AcmqBox[]

beforeEach(async () => {
  base = quickTempDir()
  root = join(base, 'root')
  boxes = []
  for (const _ of three) boxes.push(await openBox(root, { clock, settings: { largestBody: 4096 } }))
})
afterEach(() => Promise.all(boxes.map((box) => box.close())))

const queue = (name: string) => join(root, 'llm/missions/alpha/queue', name)
const files = (name: string) => (fs.existsSync(queue(name)) ? fs.readdirSync(queue(name)) : [])
const [first, second, third] = [0, 1, 2].map((i) => () => boxes[i]!.mission) as [
  () => AcmqBox['mission'],
  () => AcmqBox['mission'],
  () => AcmqBox['mission'],
]
const ask = (body: string, id?: string) =>
  first().sending.send({ from: 'claude', to: 'gemini', body, timeoutSeconds: 60, ...(id === undefined ? {} : { id }) })

describe('one id', () => {
  verifies(['AC-8.3', 'X-held'], 'sent by three at once is one message, and handed out once', async () => {
    for (let round = 0; round < 20; round++) {
      const id = `order-${round}`
      const sent = await Promise.all(
        boxes.map(({ mission }) => mission.sending.send({ from: 'claude', to: 'gemini', body: 'Once', id })),
      )
      expect(sent.map(({ outcome }) => outcome).sort()).toEqual(['sent', 'unchanged', 'unchanged'])
      expect(files('pending')).toHaveLength(1)
      const claimed = await Promise.all(boxes.map(({ mission }) => mission.claims.next({ agent: 'gemini' })))
      expect(claimed.filter(({ outcome }) => outcome === 'claimed')).toHaveLength(1)
      await first().settling.complete(id, { agent: 'gemini' })
    }
    await expect(ask('Something else', 'order-1')).rejects.toMatchObject({ code: 'DUPLICATE_ID', exit: 4 })
    expect([files('pending'), files('completed').length]).toEqual([[], 20])
  })

  verifies(
    ['AC-8.3', 'X-held'],
    'is sent also when somebody else finishes the sending, and it is taken at once',
    async () => {
      for (let round = 0; round < 40; round++) {
        const id = `short-${round}`
        const finished = (await second().upkeep()).reconcile()
        const claimed = third().claims.next({ agent: 'gemini', waitMs: 2000 })
        expect((await ask('Quick', id)).message.id).toBe(id)
        await finished
        expect(await claimed).toMatchObject({ outcome: 'claimed', message: { id } })
        await third().settling.complete(id, { agent: 'gemini' })
      }
    },
  )

  verifies(['AC-8.3', 'AC-10.2'], 'with two large bodies at once keeps the one that counts', async () => {
    const large = (letter: string) => `${letter.repeat(100)}\n`.repeat(1000)
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'c'].map((letter, i) =>
        boxes[i]!.mission.sending.send({
          from: 'claude',
          to: 'gemini',
          body: large(letter),
          summary: 'Large',
          id: 'large-1',
        }),
      ),
    )
    const won = outcomes.findIndex((one) => one.status === 'fulfilled' && one.value.outcome === 'sent')
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const { dependencies } = await (await first().overview()).show('large-1')
    const body = fs.readFileSync(join(root, 'llm/missions/alpha', dependencies[0]!.slice('path:'.length)), 'utf8')
    expect(body).toBe(large('abc'[won]!))
  })
})

describe('stalls', () => {
  verifies(['AC-8.2d', 'X-held'], 'get one question each, whoever sweeps, and none that was finished', async () => {
    for (let i = 0; i < 30; i++) await ask(`Task ${i}`)
    const claims = []
    for (let i = 0; i < 30; i++) claims.push(await second().claims.next({ agent: 'gemini' }))
    clock.advance(2 * 60 * 1000)
    const [finished] = claims
    const swept = await Promise.all([
      (await first().upkeep()).supervise(),
      (await second().upkeep()).supervise(),
      (await third().upkeep()).supervise(),
      finished?.outcome === 'claimed'
        ? third()
            .settling.complete(finished.message, { agent: 'gemini' })
            .catch(() => 'lost')
        : '',
    ])
    const failed = (await (await first().overview()).list('failed')).messages.map(({ id }) => id)
    const asked = (await (await first().overview()).list('pending')).messages.map(({ id }) => id)
    expect(asked.sort()).toEqual(failed.map((id) => `investigate-${id}-1`).sort())
    expect(failed.length + files('completed').length).toBe(30)
    const told = swept.slice(0, 3).flatMap((one) => (one as { stalled: readonly unknown[] }).stalled)
    expect(told).toHaveLength(failed.length)
    // Nothing is left to be done.
    expect(await (await third().upkeep()).supervise()).toMatchObject({ outcome: 'nothing' })
    expect(fs.readdirSync(notes('supervision'))).toEqual([])
  })

  const notes = (kind: string) => join(root, `.signalbox/state/delivery/ac-mq/${kind}/alpha.mission`)
  const failed = async (reason: string, detail: string) => {
    const { message } = await ask('Task')
    await second().claims.next({ agent: 'gemini' })
    await second().settling.fail(message.id, { agent: 'gemini' }, { reason, detail })
    return message.id
  }

  verifies(
    ['AC-8.2d', 'X-journal'],
    'that an earlier version noted and did not ask about get their question',
    async () => {
      const stalled = await failed('Stalled: gemini did not finish within 60 seconds', 'Attempt 1.')
      const notStalled = await failed('It did not work', 'At all.')
      fs.mkdirSync(notes('stalls'), { recursive: true })
      for (const id of [stalled, notStalled, 'never-seen']) fs.writeFileSync(join(notes('stalls'), `${id}.1`), '')
      for (const one of [first(), third()]) await (await one.upkeep()).supervise()
      const asked = (await (await first().overview()).list('pending')).messages
      expect(asked.map(({ id }) => id)).toEqual([`investigate-${stalled}-1`])
      expect(fs.readdirSync(notes('stalls'))).toEqual(['never-seen.1'])
    },
  )

  verifies(
    ['AC-8.2d', 'X-journal'],
    'that a killed supervisor noted are failed and asked about; what others noted is left',
    async () => {
      const { message } = await ask('Task')
      await second().claims.next({ agent: 'gemini' })
      const path = join(queue('processing'), message.name)
      const changedAt = fs.statSync(path).ctimeMs
      const step = { id: message.id, attempt: 1, name: message.name, from: 'claude', to: 'gemini', timeoutSeconds: 60 }
      const steps = ['fail', 'ask'].map((one) => ({
        do: one,
        ...step,
        since: clock.now(),
        changedAt,
        by: 'supervisor',
      }))
      fs.mkdirSync(notes('supervision'), { recursive: true })
      const note = (subject: string, text: string) =>
        fs.writeFileSync(join(notes('supervision'), `${subject}~${crypto.randomUUID()}.json`), text)
      note(`${message.id}.1`, JSON.stringify({ steps }))
      note('another.1', JSON.stringify({ steps }))
      note(`${message.id}.2`, JSON.stringify({ steps: [{ do: 'remove' }] }))
      await (await first().upkeep()).reconcile()
      expect(files('failed')).toEqual([message.name])
      expect((await (await first().overview()).list('pending')).messages.map(({ id }) => id)).toEqual([
        `investigate-${message.id}-1`,
      ])
      expect(fs.readdirSync(notes('supervision'))).toHaveLength(2)
    },
  )
})

describe('a message', () => {
  const strange = '---\r\r\nid: odd-one\r\r\nfrom: claude\r\r\nto: gemini\r\r\nstatus: pending\r\r\n---\r\r\nBody\r\r\n'

  verifies(
    'AC-8.1',
    'whose header can be read and not changed stops nobody, and is set aside with the reason',
    async () => {
      fs.writeFileSync(join(queue('pending'), 'odd.md'), strange)
      await ask('Ordinary')
      expect(await first().claims.next({ agent: 'gemini' })).toMatchObject({
        outcome: 'claimed',
        message: { body: 'Ordinary' },
      })
      expect((await first().claims.next({ agent: 'gemini' })).outcome).toBe('nothing')
      clock.advance(60 * 60 * 1000)
      await (await first().upkeep()).supervise()
      await (await first().upkeep()).reconcile()
      expect(files('pending').filter((name) => name === 'odd.md')).toEqual([])
      expect(fs.readFileSync(join(queue('failed'), 'odd.md'), 'utf8')).toMatch(/\*\*Failure Report\*\*/)
    },
  )

  verifies('X-odd', 'with a second name outside the root is changed inside alone', async () => {
    const outside = join(base, 'outside.md')
    const steps: [string, (id: string) => Promise<unknown>][] = [
      ['pending', () => first().claims.next({ agent: 'gemini' })],
      ['processing', (id) => first().settling.renew(id, { agent: 'gemini' })],
      ['processing', (id) => first().settling.fail(id, { agent: 'gemini' }, { reason: 'no' })],
      ['failed', (id) => first().settling.retry(id)],
      ['pending', () => first().claims.next({ agent: 'gemini' })],
      ['processing', (id) => first().settling.complete(id, { agent: 'gemini' })],
    ]
    const { message } = await ask('Shared')
    for (const [from, act] of steps) {
      const [name] = files(from)
      fs.linkSync(join(queue(from), name!), outside)
      const before = { text: fs.readFileSync(outside, 'utf8'), times: fs.statSync(outside).mtimeMs }
      await act(message.id)
      expect({ text: fs.readFileSync(outside, 'utf8'), times: fs.statSync(outside).mtimeMs }, from).toEqual(before)
      expect(fs.statSync(outside).nlink, from).toBe(1)
      fs.unlinkSync(outside)
    }
    expect(files('completed')).toHaveLength(1)
  })

  verifies(['AC-4.3', 'X-held'], 'is settled by its holder also while another renews it', async () => {
    for (let round = 0; round < 20; round++) {
      const { message } = await ask(`Round ${round}`)
      await first().claims.next({ agent: 'gemini' })
      const [, completed] = await Promise.all([
        second()
          .settling.renew(message.id, { agent: 'gemini' })
          .catch(() => 'too late'),
        first().settling.complete(message.id, { agent: 'gemini' }, { text: 'done' }),
      ])
      expect(completed.outcome).toBe('completed')
    }
  })

  verifies(['AC-4.3', 'X-held'], 'is settled by its holder also while a repair has it in hand', async () => {
    const verbs = {
      completed: (id: string) => second().settling.complete(id, { agent: 'gemini' }, { text: 'done' }),
      failed: (id: string) => second().settling.fail(id, { agent: 'gemini' }, { reason: 'no' }),
      renewed: (id: string) => second().settling.renew(id, { agent: 'gemini' }),
    }
    for (const [outcome, settle] of Object.entries(verbs)) {
      const { message } = await ask(`Until it is ${outcome}`)
      await first().claims.next({ agent: 'gemini', id: message.id })
      const at = treePath(`llm/missions/alpha/queue/processing/${message.name}`)
      let letGo = () => {}
      const held = new Promise<void>((resolve) => {
        letGo = resolve
      })
      // What a tree needs to move is loaded with its first move.
      await boxes[2]!.tree.move(at, at)
      // As a repair does: it wins the file, judges it, and puts it back.
      const repair = boxes[2]!.tree.move(at, at, { change: (bytes) => held.then(() => Buffer.from(bytes)) })
      expect(files('processing').some((name) => name.startsWith('.own-'))).toBe(true)
      const settled = settle(message.id)
      setTimeout(letGo, 30)
      expect(await settled).toMatchObject({ outcome })
      await repair
      if (outcome === 'renewed') await second().settling.complete(message.id, { agent: 'gemini' })
    }
  })
})

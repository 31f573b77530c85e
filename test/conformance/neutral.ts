/**
 * What every protocol says in neutral words, whatever its messages look like. On trees in memory: what engines promise is
 * proven elsewhere.
 */
import { beforeEach, describe, expect, it } from 'vitest'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { type Clock, heldClock } from '../../src/kernel/clock.ts'
import { type Message, type Neutral, type Protocol, type Receipt, verbOf } from '../../src/protocols/contract.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { describeQuestions, type QuestionPlace } from './questions.ts'

const optionalVerbs = ['send', 'take', 'renew', 'release', 'done', 'failed', 'questions', 'answer', 'duties'] as const
type Verb = (typeof optionalVerbs)[number]

export interface NeutralPlace {
  readonly protocol: Pick<Protocol, 'name' | 'title'>
  /** Opens it as another process would. There is one mission or workspace, where the protocol has some. */
  open(tree: Tree, clock: Clock): Promise<Neutral>
  /** The verbs that it lacks. */
  readonly lacks: readonly Verb[]
  /** Whether it is on the shared half of the contract: keys, envelopes, watching. */
  readonly isShared: boolean
  /** The state of what waits. */
  readonly waiting: string
  /** Puts things where messages and folders belong: garbage, folders named like messages, files named like folders. */
  clutter(tree: Tree): Promise<void>
  /** For protocols with questions, which are held to `describeQuestions` by it. */
  readonly asks?: QuestionPlace['asks']
}

export function describeNeutral(name: string, place: NeutralPlace): void {
  const { protocol, open, lacks, isShared, waiting, clutter, asks } = place

  if (!lacks.includes('questions')) {
    if (!asks) throw new Error(`${name} puts questions to people: which kinds of them must be said in \`asks\`.`)
    describeQuestions(name, { open, asks })
  }

  describe(`${name} in neutral words`, () => {
    let tree: Tree
    let clock: ReturnType<typeof heldClock>
    let one: Neutral
    let other: Neutral
    beforeEach(async () => {
      clock = heldClock(Date.parse('2026-01-01T12:00:00Z'))
      tree = openMemoryTree({ clock })
      one = await open(tree, clock)
      other = await open(tree, clock)
    })

    // `runIf` is not in every runner.
    const ifShared = isShared ? it : it.skip
    const ifReleased = isShared && !lacks.includes('release') ? it : it.skip
    const verb = <V extends Verb>(neutral: Neutral, wanted: V) => verbOf(protocol, neutral, wanted)
    /** A millisecond apart, so that their order is known. */
    async function send(text: string, more: { to?: string; from?: string; summary?: string; replyTo?: string } = {}) {
      clock.advance(1)
      return (await verb(one, 'send')({ from: 'lead', to: 'coder-1', text, ...more })).message
    }
    async function take(neutral: Neutral, id?: string) {
      const taken = await verb(neutral, 'take')('coder-1', id === undefined ? {} : { id })
      if (taken.outcome !== 'taken') throw new Error('nothing to take')
      return taken
    }
    const textsOf = async (messages: AsyncIterable<Message>) => {
      const texts: (string | undefined)[] = []
      for await (const message of messages) texts.push(await message.text())
      return texts
    }
    const idsOf = async (messages: AsyncIterable<Message>) => {
      const ids: string[] = []
      for await (const { envelope } of messages) ids.push(envelope.id)
      return ids
    }
    const all = async <T>(stream: AsyncIterable<T>) => {
      const found: T[] = []
      for await (const item of stream) found.push(item)
      return found
    }

    it('what is sent waits, with its text, in the order in which it would be taken', async () => {
      const first = await send('One thing\nand why')
      await send('Another', { summary: 'In short' })
      await send('For somebody else', { to: 'coder-2' })
      expect(first).toMatchObject({ protocol: protocol.name, from: 'lead', to: 'coder-1', state: waiting })
      expect(await tree.look(first.path as never)).toBeDefined()
      const messages = await all(other.waitingFor('coder-1'))
      expect(messages.map(({ envelope }) => envelope.summary)).toEqual(['One thing', 'In short'])
      expect(messages.map(({ envelope }) => envelope.id)[0]).toBe(first.id)
      expect(await textsOf(other.waitingFor('coder-1'))).toEqual(['One thing\nand why', 'Another'])
      expect(await textsOf(other.waitingFor('coder-1', { limit: 1 }))).toEqual(['One thing\nand why'])
      expect(await textsOf(other.waitingFor('nobody'))).toEqual([])
      expect((await take(other)).message.envelope.id).toBe(first.id)
    })

    it('being written to is not being there; sending and taking is', async () => {
      expect(await all(one.seen())).toEqual([])
      await send('Anything')
      expect(await all(other.seen())).toEqual(['lead'])
      await take(other)
      expect((await all(one.seen())).sort()).toEqual(['coder-1', 'lead'])
    })

    it('an answer names what it answers, and urgency and ids are the protocol’s own', async () => {
      const asked = await send('A question')
      expect((await send('An answer', { from: 'coder-1', to: 'lead', replyTo: asked.id })).to).toBe('lead')
      for (const urgency of ['high', 'normal', 'low'] as const) {
        const sent = await verb(one, 'send')({ from: 'lead', to: 'coder-1', text: urgency, urgency })
        expect(sent).toMatchObject({ outcome: 'sent', notices: expect.any(Array) })
      }
    })

    ifShared('a key sends once, wherever its message is by now, and another draft under it is a conflict', async () => {
      const [mine, its] = [verb(one, 'send'), verb(other, 'send')]
      for (const key of ['0d9f7a44-1c5e-4a63-9a51-6f0a52f8c001', 'any text: ../what/ever?']) {
        const draft = { from: 'lead', to: 'coder-1', text: `Once, by ${key}` }
        const sent = await mine(draft, { key })
        expect(sent.outcome).toBe('sent')
        expect(await its(draft, { key })).toMatchObject({ outcome: 'unchanged', message: { id: sent.message.id } })
        const { receipt } = await take(other)
        expect((await mine(draft, { key })).outcome).toBe('unchanged')
        await verb(other, 'done')(receipt, { text: 'Did it' })
        expect((await its(draft, { key })).outcome).toBe('unchanged')
        expect((await verb(one, 'take')('coder-1')).outcome).toBe('nothing')
        await expect(its({ ...draft, text: 'Another' }, { key })).rejects.toMatchObject({ code: 'KEY_USED', exit: 4 })
      }
    })

    ifShared('what a draft says comes back in the envelope', async () => {
      const asked = await send('A question')
      expect(asked).toMatchObject({ kind: 'ask', stage: 'written', urgency: 'normal', needsAnswer: true })
      const draft = {
        from: 'coder-1',
        to: 'lead',
        text: 'An answer\nin two lines',
        summary: 'In short',
        kind: 'answer',
        replyTo: asked.id,
        thread: 'login',
        task: 'AUTH-12',
        urgency: 'high',
        deadline: '2026-02-01T00:00:00.000Z',
        needsAnswer: false,
        attachments: ['docs/plan.md'],
        origin: { protocol: 'toy', handle: 'toy:1', digest: 'f'.repeat(32), hops: 2 },
      } as const
      const { text, ...said } = draft
      const { message } = await verb(one, 'send')(draft)
      expect(message).toMatchObject(said)
      const [found] = await all(other.find(message.id))
      expect(found?.envelope).toMatchObject({ ...said, handle: message.handle })
      expect(found?.envelope.native).toBeDefined()
      expect(await found?.text()).toBe(text)
    })

    ifShared('the stage follows the life of a message', async () => {
      const { id } = await send('Work')
      const stageOf = async () => (await all(other.find(id)))[0]?.envelope.stage
      expect(await stageOf()).toBe('written')
      const { receipt } = await take(one)
      expect(await stageOf()).toBe('claimed')
      await verb(one, 'done')(receipt, { text: 'Did it' })
      expect(await stageOf()).toBe('finished')
    })

    ifShared('a change is told as long as somebody listens', async () => {
      const stop = new AbortController()
      const changes = other.watch!(stop.signal)[Symbol.asyncIterator]()
      const next = changes.next()
      await send('News')
      expect((await next).value?.path).toBeTypeOf('string')
      stop.abort()
      let ended = false
      while (!ended) ended = (await changes.next()).done === true
    })

    ifShared('who went away while waiting has taken nothing', async () => {
      const gone = new AbortController()
      const awaited = verb(one, 'take')('coder-1', { waitMs: 60_000, signal: gone.signal })
      gone.abort()
      expect((await awaited).outcome).toBe('nothing')
      await send('For who is there')
      const early = await verb(one, 'take')('coder-1', { signal: gone.signal })
      expect(early.outcome).toBe('nothing')
      expect((await take(other)).message.envelope.from).toBe('lead')
    })

    ifReleased('what is given back waits again, and the old receipt is no longer good', async () => {
      await send('Not for me')
      const first = await take(one)
      await verb(other, 'release')(first.receipt)
      const again = await take(other)
      expect(again.message.envelope.id).toBe(first.message.envelope.id)
      expect(await again.message.text()).toBe('Not for me')
      if (first.receipt.attempt !== undefined) {
        const late = verb(one, 'done')(first.receipt, { text: 'Late' })
        await expect(late).rejects.toMatchObject({ code: 'LOST_CLAIM', exit: 4 })
      }
      expect((await verb(other, 'done')(again.receipt, { text: 'Done' })).outcome).toBe('settled')
    })

    it('of all who ask one takes a message, and its receipt is plain data', async () => {
      await send('Once')
      const answers = await Promise.all([one, other].map((neutral) => verb(neutral, 'take')('coder-1')))
      expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['nothing', 'taken'])
      const taken = answers.find((answer) => answer.outcome === 'taken')!
      expect(await taken.message.text()).toBe('Once')
      expect(JSON.parse(JSON.stringify(taken.receipt))).toEqual(taken.receipt)
      expect(taken.receipt).toMatchObject({ id: taken.message.envelope.id, agent: 'coder-1' })
      expect(await idsOf(one.waitingFor('coder-1'))).toEqual([])
    })

    it('a certain message can be taken, and one that is still to come awaited', async () => {
      await send('First')
      const second = await send('Second')
      expect((await take(one, second.id)).message.envelope.id).toBe(second.id)
      expect((await verb(one, 'take')('coder-1', { id: second.id })).outcome).toBe('nothing')
      await take(one)
      const awaited = verb(other, 'take')('coder-1', { waitMs: 10_000 })
      await send('Third')
      expect((await awaited).outcome).toBe('taken')
    })

    it('who has it says that it is done, in any process; twice changes nothing', async () => {
      await send('Work')
      const receipt = JSON.parse(JSON.stringify((await take(one)).receipt)) as Receipt
      const done = verb(other, 'done')
      const settled = await done(receipt, { text: 'Did it' })
      expect(settled.message.id).toBe(receipt.id)
      expect(await done(receipt, { text: 'Did it' })).toMatchObject({ outcome: 'unchanged' })
      await expect(done({ ...receipt, id: 'msg_00000000' })).rejects.toMatchObject({ kind: 'NotFound' })
    })

    it('messages are found by their id or its beginning, wherever they lie', async () => {
      const { id } = await send('Find me')
      await send('Not me')
      for (const asked of [id, id.slice(0, 8), id.slice(0, -1)]) expect(await idsOf(other.find(asked))).toContain(id)
      expect(await idsOf(other.find(id))).toEqual([id])
      for (const asked of ['', id.slice(0, 3), `${id}0`, '../x', '*'])
        expect(await idsOf(other.find(asked))).toEqual([])
      await take(one, id)
      const [found] = await all(other.find(id))
      expect(found?.envelope.state).not.toBe(waiting)
      expect(await found?.text()).toBe('Find me')
    })

    it('messages are told by sender, recipient and state, and no more than asked for', async () => {
      const first = await send('a')
      await send('b', { to: 'coder-2' })
      await send('c', { from: 'coder-2' })
      await take(one, first.id)
      const texts = async (filter: Parameters<Neutral['messages']>[0]) =>
        (await textsOf(other.messages(filter))).toSorted()
      expect(await texts({})).toEqual(['a', 'b', 'c'])
      expect(await texts({ from: 'lead' })).toEqual(['a', 'b'])
      expect(await texts({ to: 'coder-1' })).toEqual(['a', 'c'])
      expect(await texts({ states: [waiting] })).toEqual(['b', 'c'])
      expect(await texts({ from: 'lead', to: 'coder-1', states: [waiting] })).toEqual([])
      expect(await texts({ states: ['no such state'] })).toEqual([])
      expect(await texts({ place: 'no-such-place' })).toEqual([])
      expect(await texts({ archived: true })).toEqual(['a', 'b', 'c'])
      expect(await texts({ limit: 2 })).toHaveLength(2)
      expect(await texts({ limit: 0 })).toEqual([])
    })

    it('who has seen enough stops asking: the rest is not read', async () => {
      for (let n = 0; n < 30; n++) await send(`Message ${n}`)
      let reads = 0
      const counted = new Proxy(tree, {
        get(target, key: keyof Tree) {
          if (key === 'read') reads++
          const found = target[key]
          return typeof found === 'function' ? found.bind(target) : found
        },
      })
      const neutral = await open(counted, clock)
      reads = 0
      for await (const { envelope } of neutral.messages()) {
        expect(envelope.from).toBe('lead')
        break
      }
      expect(reads).toBeLessThan(10)
      expect(await all(neutral.messages())).toHaveLength(30)
    })

    it('a text is told as long as its message is there', async () => {
      await send('Here')
      const [message] = await all(one.waitingFor('coder-1'))
      expect(await message?.text()).toBe('Here')
      await tree.remove(message!.envelope.path as never)
      expect(await message?.text()).toBeUndefined()
    })

    it('what is no message, or stands in the way, stops no stream', async () => {
      await send('Readable')
      await clutter(tree)
      expect(await textsOf(one.messages())).toEqual(['Readable'])
      expect(await textsOf(one.waitingFor('coder-1'))).toEqual(['Readable'])
      expect(await all(one.seen())).toContain('lead')
      const { id } = (await all(one.messages()))[0]!.envelope
      expect(await idsOf(one.find(id))).toEqual([id])
      clock.advance(60_000)
      for await (const { id: name, path, reason } of one.quarantined?.() ?? []) {
        expect(path.endsWith(`/${name}`)).toBe(true)
        expect(reason).not.toBe('')
      }
      for (const repair of [false, true]) {
        for (const finding of await one.inspect({ repair })) expect(finding.code).toMatch(/^[A-Z]+(_[A-Z]+)*$/)
      }
    })

    it.each(lacks)('it has no %s, and says so', (missing) => {
      expect(missing in one).toBe(false)
      expect(() => verbOf(protocol, one, missing)).toThrowError(
        expect.objectContaining({ code: 'UNSUPPORTED', exit: 7, details: { protocol: protocol.title, verb: missing } }),
      )
    })
    it.each(optionalVerbs.filter((has) => !lacks.includes(has)))('it has %s', (has) => {
      expect(verbOf(protocol, one, has)).toBeTypeOf('function')
    })
  })
}

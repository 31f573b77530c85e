/** The verbs for every agent hold in every protocol that an agent can be at home in. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Box } from '../../src/bridge/box.ts'
import type { Bus } from '../../src/bridge/bus.ts'
import { openWorkspace, type Workspace } from '../../src/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { AgentDirectory } from '../../src/messaging/agents/directory.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { type EnginePlace, onEveryEngine } from './every-engine.ts'

const homes = ['acmq', 'acmq:shop', 'mr', 'circe', 'dream', 'session']

onEveryEngine('the verbs for every agent', (title, prepare, nodes) => {
  // A workspace has no tree in memory, and one home shows what three nodes can.
  if (title === 'memory') return
  describe.each(nodes > 1 ? ['acmq'] : homes)(`on ${title}, an agent at home in %s`, (home) =>
    describeVerbs(home, prepare),
  )
})

function describeVerbs(home: string, prepare: () => Promise<EnginePlace>): void {
  let box: Workspace
  beforeEach(async () => {
    const { engine } = await prepare()
    box = await openWorkspace({ root: quickTempDir(), engine, environment: {} })
    await box.tree.create(treePath('.signalbox/agents/coder.yaml'), `home: ${home}\n`)
  })
  afterEach(() => box.close())

  const send = async (text: string, more = {}) => (await box.send({ from: 'lead', to: 'coder', text, ...more })).message
  const take = async () => {
    const taken = await box.take('coder')
    if (!taken) throw new Error('nothing was taken')
    return taken
  }

  verifies('X-neutral', 'gets what is sent in its own protocol, and a receipt is all that ends it', async () => {
    const sent = await send('Design the schema\nwith three tables', { urgency: 'high' })
    const [protocol, place] = home.split(':')
    expect(sent).toMatchObject({ protocol, from: 'lead', to: 'coder', kind: 'ask', stage: 'written', urgency: 'high' })
    if (place !== undefined) expect(sent.place).toBe(place)
    const waiting = await box.inbox('coder')
    expect(waiting.map(({ handle }) => handle)).toEqual([sent.handle])
    const taken = await take()
    expect(taken.message).toMatchObject({ handle: sent.handle, text: 'Design the schema\nwith three tables' })
    expect(taken.receipt.startsWith(`${sent.handle}@`)).toBe(true)
    expect(await box.inbox('coder')).toEqual([])
    expect(await box.take('coder')).toBeUndefined()
    expect((await box.done(taken.receipt, { text: 'Three tables.' })).outcome).toBe('settled')
    expect((await box.done(taken.receipt, { text: 'Three tables.' })).outcome).toBe('unchanged')
    const awaited = await box.wait(sent.handle)
    expect(awaited.outcome).toMatch(/^(finished|answered)$/)
    expect(awaited.result).toBe('Three tables.')
  })

  verifies('X-neutral', 'gives up with a reason, and whoever waits gets it', async () => {
    const { handle } = await send('Impossible')
    const { receipt } = await take()
    const awaited = box.wait(handle, { waitMs: 20_000 })
    await box.fail(receipt, { reason: 'No access' })
    expect(await awaited).toMatchObject({ outcome: 'failed', result: expect.stringContaining('No access') })
  })

  verifies(
    'X-neutral',
    'gives back what it cannot do; the next receipt counts, and the old one is told so',
    async () => {
      const { handle } = await send('For somebody else')
      const first = await take()
      expect((await box.release(first.receipt)).outcome).toBe('settled')
      const second = await take()
      expect(second.message.handle).toBe(handle)
      if (second.receipt !== first.receipt)
        await expect(box.done(first.receipt)).rejects.toMatchObject({ code: 'LOST_CLAIM', exit: 4 })
      expect((await box.done(second.receipt)).outcome).toBe('settled')
    },
  )

  verifies('X-neutral', 'is the only one who can end what it has', async () => {
    await send('Mine')
    const { receipt } = await take()
    await expect(box.done(receipt, {}, 'thief')).rejects.toMatchObject({ code: 'NOT_YOURS', exit: 6 })
    expect((await box.done(receipt, {}, 'coder')).outcome).toBe('settled')
  })

  verifies('X-key', 'gets a message once that is sent twice under a key', async () => {
    const draft = { from: 'lead', to: 'coder', text: 'Once' }
    const first = await box.send(draft, { key: 'k 1' })
    expect(await box.send(draft, { key: 'k 1' })).toMatchObject({
      outcome: 'unchanged',
      message: { handle: first.message.handle },
    })
    await take()
    expect(await box.take('coder')).toBeUndefined()
  })

  verifies('X-ladder', 'a message tells how far it has come, and why not further', async () => {
    const { handle } = await send('Climb')
    const stages = async () => (await box.show(handle)).ladder.map(({ stage }) => stage)
    expect(await stages()).toEqual(['written'])
    expect((await box.why(handle)).stage).toBe('written')
    const { receipt } = await take()
    expect(await stages()).toEqual(['written', 'claimed', 'shown'])
    expect(await box.why(handle)).toMatchObject({ stage: 'shown', why: expect.stringContaining('coder was shown it') })
    expect((await box.agents()).agents.find(({ name }) => name === 'coder')).toMatchObject({
      home,
      presence: 'busy',
      inHand: [handle],
    })
    await box.done(receipt, { text: 'Up' })
    expect((await box.why(handle)).why).toBe('coder has finished it.')
    expect((await stages()).at(-1)).toBe('finished')
    expect((await box.agents()).agents.find(({ name }) => name === 'coder')?.inHand).toEqual([])
  })

  verifies('X-neutral', 'is woken while it waits; a caller that went away has taken nothing', async () => {
    const gone = new AbortController()
    const abandoned = box.take('coder', { waitMs: 60_000, signal: gone.signal })
    gone.abort()
    expect(await abandoned).toBeUndefined()
    const awaited = box.take('coder', { waitMs: 60_000 })
    await send('Wake up')
    expect((await awaited)?.message.text).toBe('Wake up')
  })

  verifies('X-neutral', 'gets a long text whole, or its sender is told that it is too long', async () => {
    const text = `Long\n${'x'.repeat(300_000)}`
    const sent = await send(text).catch((error: { readonly exit?: number }) => error)
    if (!('handle' in sent)) expect(sent.exit).toBe(2)
    else expect((await take()).message.text).toBe(text)
  })

  verifies('X-neutral', 'a tell is finished when it was read', async () => {
    const { handle } = await send('News', { kind: 'tell' })
    expect((await take()).message).toMatchObject({ handle, kind: 'tell' })
    expect((await box.agents()).agents.find(({ name }) => name === 'coder')?.inHand).toEqual([])
  })

  verifies('X-threads', 'an answer belongs to what it answers, and tells who owes whom', async () => {
    const asked = await send('A question', { thread: 'login' })
    expect((await box.thread(asked.handle)).owed).toEqual([{ by: 'coder', to: 'lead', handle: asked.handle }])
    const answered = await box.send({ from: 'coder', to: 'lead', text: 'An answer', replyTo: asked.handle })
    const { messages } = await box.thread(answered.message.handle)
    expect(messages.map(({ handle }) => handle).toSorted()).toEqual([asked.handle, answered.message.handle].toSorted())
    expect(answered.message).toMatchObject({ thread: 'login', kind: 'answer' })
  })
}

describe('a handle', () => {
  verifies('X-neutral', 'means one message: the beginning of an id will do; several or none are told', async () => {
    const box = await openWorkspace({ root: quickTempDir(), environment: {} })
    const ids = []
    for (const text of ['One', 'Two']) ids.push((await box.send({ from: 'a', to: 'b', text })).message)
    const [one] = ids
    expect((await box.show(one!.id.slice(0, 8))).message.handle).toBe(one!.handle)
    await expect(box.show('acmq:main:nothing')).rejects.toMatchObject({ code: 'NO_SUCH_MESSAGE', exit: 3 })
    const mistyped = `${one!.id.slice(0, 7)}${one!.id[7] === '0' ? '1' : '0'}`
    await expect(box.show(mistyped)).rejects.toMatchObject({ exit: 3, hint: expect.stringContaining(one!.handle) })
    await expect(box.done('nonsense')).rejects.toMatchObject({ code: 'NO_RECEIPT', exit: 2 })
    await box.close()
  })
})

describe('the file of an agent', () => {
  it('with a mistake names file, line and hint, and stops nobody else', async () => {
    const root = quickTempDir()
    mkdirSync(join(root, '.signalbox/agents'), { recursive: true })
    writeFileSync(join(root, '.signalbox/agents/coder.yaml'), 'client: codex\nhoem: mr\n')
    const box = await openWorkspace({ root, environment: {} })
    await expect(box.send({ from: 'a', to: 'coder', text: 'x' })).rejects.toMatchObject({
      code: 'BAD_AGENT_FILE',
      exit: 5,
      message: '.signalbox/agents/coder.yaml, line 2: `hoem` means nothing here.',
      hint: 'Did you mean `home`?',
    })
    expect((await box.send({ from: 'a', to: 'other', text: 'x' })).outcome).toBe('sent')
    expect((await box.agents()).notices).toEqual([expect.stringContaining('coder.yaml, line 2')])
    await box.close()
  })
})

describe('several protocols', () => {
  verifies(
    'X-neutral',
    'are one inbox, the most urgent first, and one that is out of order stops no other',
    async () => {
      const root = quickTempDir()
      mkdirSync(join(root, '.signalbox/agents'), { recursive: true })
      writeFileSync(join(root, '.signalbox/agents/router.yaml'), 'home: mr\nnames: [coder]\n')
      const box = await openWorkspace({ root, environment: {} })
      await box.send({ from: 'lead', to: 'gemini', text: 'Later', urgency: 'low' })
      await box.mr.sending.send({
        from: 'lead',
        to: 'gemini',
        type: 'task-delegation',
        payload: { task: 'Now' },
        priority: 9,
      })
      expect((await box.inbox('gemini')).map(({ protocol, urgency }) => `${protocol} ${urgency}`)).toEqual([
        'mr high',
        'acmq low',
      ])
      expect((await box.take('gemini'))?.message.text).toBe('Now')
      await box.mr.sending.send({ from: 'lead', to: 'gemini', type: 'task-delegation', payload: { task: 'More' } })
      rmSync(join(root, 'state/agents/gemini/taken'), { recursive: true })
      writeFileSync(join(root, 'state/agents/gemini/taken'), 'a file where a folder belongs')
      expect((await box.take('gemini'))?.message.text).toBe('Later')
      await expect(box.take('gemini')).rejects.toMatchObject({ exit: 5 })
      // A name that no agent of Message Routing can have.
      await box.send({ from: 'lead', to: 'Reviewer', text: 'Look' })
      expect((await box.take('Reviewer'))?.message.text).toBe('Look')
      expect(await box.inbox('Reviewer')).toEqual([])
      // Another name of an agent, and another spelling of one, mean that agent.
      expect((await box.send({ from: 'lead', to: 'coder', text: 'x' })).message).toMatchObject({
        protocol: 'mr',
        to: 'router',
      })
      expect((await box.send({ from: 'lead', to: 'Gemini', text: 'x' })).message.to).toBe('gemini')
      await box.close()
    },
  )
})

describe('a thread', () => {
  verifies('X-threads', 'goes through several protocols, whether it is short or long', async () => {
    const root = quickTempDir()
    mkdirSync(join(root, '.signalbox/agents'), { recursive: true })
    for (const home of ['acmq', 'mr', 'circe', 'dream', 'session'])
      writeFileSync(
        join(root, `.signalbox/agents/in-${home}.yaml`),
        `home: ${home}\nnames: { circe: ${home}, dream: ${home} }\n`,
      )
    const box = await openWorkspace({ root, environment: {} })
    const handles: string[] = []
    const homes = ['acmq', 'mr', 'circe', 'dream', 'session']
    const say = async (n: number, more: { readonly replyTo?: string }) => {
      const draft = { from: `in-${homes[n % 5]}`, to: `in-${homes[(n + 1) % 5]}`, text: `Step ${n}`, ...more }
      handles.push((await box.send(draft)).message.handle)
    }
    const expected = () => handles.toSorted()
    const found = async (handle: string) => (await box.thread(handle)).messages.map((one) => one.handle).toSorted()
    for (let n = 0; n < 30; n++) {
      await say(n, n === 0 ? {} : { replyTo: handles.at(-1)! })
      // Of no thread: it must not appear in one.
      await box.send({ from: 'x', to: 'in-mr', text: `Noise ${n}` })
      if (![0, 1, 3, 29].includes(n)) continue
      for (const handle of [handles[0]!, handles.at(-1)!])
        expect(await found(handle), `of ${n + 1}`).toEqual(expected())
    }
    await box.close()
  })
})

describe.each(['mr', 'circe', 'session'] as const)('a claim without an end, in %s', (home) => {
  verifies('X-crash', 'is given again to its agent where a process was killed before it showed the text', async () => {
    const root = quickTempDir()
    mkdirSync(join(root, '.signalbox/agents'), { recursive: true })
    writeFileSync(join(root, '.signalbox/agents/coder.yaml'), `home: ${home}\n`)
    const box = await openWorkspace({ root, environment: {} })
    const store = home === 'session' ? box.sessions : box[home]
    const member = { name: home, title: home, neutral: await store.neutral() }
    const bus: Bus = {
      tree: box.tree,
      directory: new AgentDirectory(box.tree),
      names: [home],
      async *used() {
        yield member
      },
      member: async () => member,
      noticesAbout: async () => [],
    }
    const { message } = await new Box(bus).send({ from: 'lead', to: 'coder', text: 'Once' })
    // Notes of strangers do nothing.
    const handing = join(root, '.signalbox/state/shown/handing')
    mkdirSync(handing, { recursive: true })
    const reader = createHash('sha256').update('coder').digest('hex').slice(0, 24)
    for (const [n, text] of ['', 'null', '{"receipt":"x","times":1}', '{"receipt":"toy:1@1","times":1}'].entries())
      writeFileSync(join(handing, `${reader}~${n}.json`), text)
    /** Six seconds go by. */
    const age = () => {
      const before = Date.now() / 1000 - 6
      for (const name of readdirSync(handing)) utimesSync(join(handing, name), before, before)
    }
    // The process ends here, without a word.
    const unseen = (await new Box(bus).take('coder'))!
    expect(await box.take('coder')).toBeUndefined()
    age()
    const takers = await Promise.all([new Box(bus).take('coder'), new Box(bus).take('coder')])
    const [again] = takers.filter((taken) => taken !== undefined)
    expect(takers.filter((taken) => taken !== undefined)).toHaveLength(1)
    expect(again).toMatchObject({ receipt: unseen.receipt, isGivenAgain: true, message: { text: 'Once' } })
    await new Box(bus).shown(again!, 'coder', 'test')
    age()
    expect(await box.take('coder')).toBeUndefined()
    expect((await box.done(again!.receipt, { text: 'Did it' })).outcome).toBe('settled')
    expect((await box.wait(message.handle)).result).toBe('Did it')
    await box.close()
  })
})

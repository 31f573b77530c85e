/** One search finds the messages of every protocol, however far they have come. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { openWorkspace, type Workspace } from '../../src/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { onEveryEngine } from './every-engine.ts'

const homes = ['acmq', 'acmq:shop', 'mr', 'circe', 'dream', 'session'] as const

const car = 'Repair the car\nIt stands in the garage since Monday, with broken headlights.'
const orders = 'Slow orders\nThe orders table is scanned from end to end.'

/** What each protocol does with finished messages later on. */
async function putAway(box: Workspace, home: (typeof homes)[number]): Promise<void> {
  if (home.startsWith('acmq')) {
    const mission = await box.acmq.open(home.split(':')[1] ?? 'main')
    await (await mission.upkeep()).archive({ olderThanMs: 0 })
  } else if (home === 'session') await box.sessions.end((await box.sessions.current())!)
}

const finalStates: Readonly<Record<string, string>> = {
  acmq: 'archived',
  'acmq:shop': 'archived',
  mr: 'taken',
  circe: 'logged',
  dream: 'archive/inbox',
  session: 'completed',
}

onEveryEngine('search', (title, prepare, nodes) => {
  // A workspace has no tree in memory, and one home shows what three nodes can.
  if (title === 'memory') return
  describe.each(nodes > 1 ? (['acmq'] as const) : homes)(`on ${title}, in %s`, (home) => {
    let box: Workspace
    beforeEach(async () => {
      const { engine } = await prepare()
      box = await openWorkspace({ root: quickTempDir(), engine, environment: {} })
      await box.tree.create(treePath('.signalbox/agents/coder.yaml'), `home: ${home}\n`)
    })
    afterEach(() => box.close())

    const handles = async (...asked: Parameters<Workspace['search']>) =>
      (await box.search(...asked)).hits.map(({ message }) => message.handle)

    verifies(
      'X-search',
      'a message is found by a word and by meaning while it waits and when it is put away',
      async () => {
        const { handle } = (await box.send({ from: 'lead', to: 'coder', text: car })).message
        await box.send({ from: 'lead', to: 'coder', text: orders })
        expect(await handles('headlights', { only: 'words' })).toEqual([handle])
        expect(await handles('automobile', { stage: 'written' })).toEqual([handle])
        const taken = (await box.take('coder', { handle }))!
        expect(await handles('headlights', { stage: 'shown' })).toEqual([handle])
        await box.done(taken.receipt, { text: 'New bulbs.' })
        await putAway(box, home)
        for (const only of ['words', 'meaning'] as const) {
          const { hits } = await box.search(only === 'words' ? 'headlights' : 'automobile', { only })
          const [hit] = hits
          expect(hit).toMatchObject({ message: { handle, stage: 'finished' }, by: [only] })
          expect(hit?.message.state).toBe(finalStates[home])
          expect(hit?.excerpt).toContain('headlights')
        }
        expect(await handles('headlights', { stage: 'claimed' })).toEqual([])
        // What is found can be looked at.
        expect((await box.show(handle)).message.text).toContain('headlights')
      },
    )

    verifies('X-search', 'by sender, recipient, time and protocol', async () => {
      const [protocol] = home.split(':') as [string]
      const { handle } = (await box.send({ from: 'lead', to: 'coder', text: car })).message
      const now = await box.tree.now()
      for (const filter of [
        { from: 'lead' },
        { from: 'LEAD', to: 'Coder' },
        { to: 'coder', since: now - 60_000 },
        { protocol },
      ])
        expect({ filter, found: await handles('headlights', filter) }).toEqual({ filter, found: [handle] })
      for (const filter of [
        { from: 'coder' },
        { to: 'lead' },
        { since: now + 60_000 },
        { protocol: protocol === 'mr' ? 'circe' : 'mr' },
      ])
        expect({ filter, found: await handles('headlights', filter) }).toEqual({ filter, found: [] })
    })
  })
})

describe('the places of single protocols', () => {
  let root: string
  let box: Workspace
  beforeEach(async () => {
    root = quickTempDir()
    box = await openWorkspace({ root, environment: { SIGNALBOX_DREAM_PACK_AFTER: '0s' } })
  })
  afterEach(() => box.close())

  const found = async (query: string) =>
    (await box.search(query, { only: 'words' })).hits.map(({ message: { handle, state, stage, kind } }) => {
      return { handle, told: `${state} ${stage} ${kind}` }
    })

  verifies('X-search', 'Dream.OS: shared mailboxes, from waiting to packed', async () => {
    const { dream } = box
    await dream.mailboxes.init(1)
    await dream.mailboxes.claim('Coder')
    const params = { target: 'headlights.ts' }
    const { message } = await dream.messages.send({ mailbox: 1, from: 'Lead', command: 'refactor_file', params })
    const handle = `dream:${message.message_id}`
    expect(await found('headlights')).toEqual([{ handle, told: 'waiting written ask' }])
    await dream.messages.next(1, 'Coder')
    expect(await found('headlights')).toEqual([{ handle, told: 'given claimed ask' }])
    await dream.messages.done(1, 'Coder', message.message_id, { output: null })
    expect(await found('headlights')).toEqual([{ handle, told: 'processed finished ask' }])
    expect(await dream.messages.compact(1, 'Coder')).toMatchObject({ outcome: 'packed' })
    expect(await found('headlights')).toEqual([{ handle, told: 'packed finished ask' }])
    expect((await box.show(handle)).message).toMatchObject({ from: 'Lead', to: 'mailbox 1' })
  })

  verifies('X-search', 'sessions: what was said to one, to many and to a person, and results', async () => {
    const { sessions } = box
    const { session } = await sessions.start('crew')
    const say = (line: string, agent: string) => sessions.say(line, { session, agent })
    await say('#SUBSCRIBE:news', 'ann')
    await say('#SUBSCRIBE:news', 'bob')
    await say('#BROADCAST:news:headlights are broken', 'lead')
    await say('#DIRECT:ann:bring a jack', 'bob')
    await say('#ESCALATE:Who pays for the carburettor?', 'bob')
    const { message } = await box.sessions
      .neutral()
      .then((neutral) => neutral.send!({ from: 'lead', to: 'ann', text: 'Wash it', place: session }))
    const taken = await (await sessions.neutral()).take!('ann', { place: session, id: message.id })
    if (taken.outcome === 'taken') await (await sessions.neutral()).done!(taken.receipt, { text: 'sparkling' })
    const [broadcast] = await found('headlights')
    expect(broadcast).toMatchObject({ told: 'unread written tell' })
    expect(await found('jack')).toMatchObject([{ told: 'unread written tell' }])
    expect(await found('carburettor')).toMatchObject([{ told: 'asked written ask' }])
    expect(await found('sparkling')).toMatchObject([{ told: 'unread written answer' }])
    await sessions.inbox('ann', { session })
    expect(await found('jack')).toMatchObject([{ told: 'read finished tell' }])
    const shown = await box.show(broadcast!.handle)
    expect(shown.message.text).toBe('headlights are broken')
    expect(shown.ladder.map(({ stage, reader }) => [stage, reader])).toEqual([
      ['written', undefined],
      ['finished', 'ann'],
    ])
    expect((await box.thread((await found('sparkling'))[0]!.handle)).messages.map(({ id }) => id)).toContain(message.id)
  })

  verifies('X-search', 'AC-MQ: what failed, and a body that lies in a file of its own', async () => {
    const { message } = await box.send({ from: 'lead', to: 'coder', text: `Headlights\n${'x '.repeat(1_500_000)}` })
    const taken = (await box.take('coder'))!
    await box.fail(taken.receipt, { reason: 'No spare parts' })
    expect(await found('headlights')).toEqual([{ handle: message.handle, told: 'failed failed ask' }])
  })

  verifies('X-search', 'a protocol whose files are out of order stops no other, and is told', async () => {
    const { message } = await box.send({ from: 'lead', to: 'coder', text: car })
    mkdirSync(join(root, 'state'))
    writeFileSync(join(root, 'state/agents'), 'a file where a folder belongs')
    const { hits, notices } = await box.search('headlights')
    expect(hits.map(({ message: { handle } }) => handle)).toEqual([message.handle])
    expect(notices).toEqual([expect.stringMatching(/^Message Routing could not be searched to the end: .*folder/)])
  })
})

describe('what search keeps', () => {
  const index = '.signalbox/cache/search/texts.json'
  const open = (root: string) => openWorkspace({ root, environment: {} })

  verifies('X-search', 'can be deleted or damaged: the answer is the same, and it is made again', async () => {
    const root = quickTempDir()
    const first = await open(root)
    for (let n = 0; n < 520; n++) await first.send({ from: 'lead', to: 'coder', text: `Order ${n} of type ${n % 7}` })
    const { message } = await first.send({ from: 'lead', to: 'coder', text: car })
    const expected = await first.search('headlights', { only: 'words' })
    expect(expected.hits.map(({ message: { handle } }) => handle)).toEqual([message.handle])
    await first.close()
    const kept = readFileSync(join(root, index))
    const cut = kept.subarray(0, kept.length / 2)
    const forged = Buffer.from(kept.toString('latin1').replace('"sizes":[[', '"sizes":[[-'), 'latin1')
    for (const bytes of [undefined, Buffer.alloc(0), Buffer.from('{}'), cut, forged, Buffer.from([0xff, 10, 0])]) {
      if (bytes) writeFileSync(join(root, index), bytes)
      else rmSync(join(root, index))
      const box = await open(root)
      expect(await box.search('headlights', { only: 'words' })).toEqual(expected)
      await box.close()
      expect(readFileSync(join(root, index))).toEqual(kept)
    }
    // A folder in its place, and one that cannot be written.
    rmSync(join(root, index))
    mkdirSync(join(root, index))
    const box = await open(root)
    expect(await box.search('headlights', { only: 'words' })).toEqual(expected)
    await box.close()
  })

  verifies('X-search', 'stays as it is when less is searched', async () => {
    const root = quickTempDir()
    const box = await open(root)
    for (let n = 0; n < 520; n++)
      await box.mr.sending.send({ from: 'a', to: 'b', type: 'task-delegation', payload: { task: `Order ${n}` } })
    await box.search('order', { only: 'words' })
    const size = () => statSync(join(root, index)).size
    const whole = size()
    await box.search('order', { only: 'words', from: 'nobody' })
    expect(size()).toBe(whole)
    await box.close()
  })
})

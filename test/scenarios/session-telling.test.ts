/** What agents are told in a session (`#DIRECT`, `#BROADCAST`) is a message like any other: it is taken, finished and given back. */
import { beforeEach, describe, expect } from 'vitest'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import type { Message, Neutral, Receipt } from '../../src/protocols/contract.ts'
import type { Sessions } from '../../src/protocols/shared-agent/store/sessions.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { sessionsOn, speaker } from '../support/session.ts'
import { verifies } from '../support/verifies.ts'

const session = 's'
let tree: Tree
let sessions: Sessions
let neutral: Neutral
let say: (agent: string, line: string) => Promise<string>
beforeEach(async () => {
  tree = openMemoryTree()
  sessions = sessionsOn(tree, { settings: { handingMs: 50 } })
  neutral = await sessions.neutral()
  say = speaker(sessions, session)
  await sessions.start(session)
})

const textsOf = async (messages: AsyncIterable<Message>) => {
  const texts: string[] = []
  for await (const one of messages) texts.push(`${one.envelope.to} ${one.envelope.stage} ${await one.text()}`)
  return texts
}
const waiting = (agent: string) => textsOf(neutral.waitingFor(agent))
const inbox = async (agent: string, options = {}) =>
  (await sessions.inbox(agent, { session, ...options })).map(({ text }) => text)
async function take(agent: string, id?: string): Promise<{ message: Message; receipt: Receipt }> {
  const taken = await neutral.take!(agent, id === undefined ? {} : { id })
  if (taken.outcome !== 'taken') throw new Error('nothing to take')
  return taken
}
const tell = async (to: string, text: string, more = {}) =>
  (await neutral.send!({ from: 'Lead', to, text, kind: 'tell', place: session, ...more })).message

describe('what is told in a session', () => {
  verifies(['SA-12d', 'X-neutral'], 'a tell is a direct message, which its reader finds in the inbox', async () => {
    const told = await tell('Dev', 'The build is green')
    expect(told).toMatchObject({ id: 's:msg_002', kind: 'tell', stage: 'written', from: 'Lead', to: 'Dev' })
    expect(await say('Dev', '#NEXT')).toBe('not_found')
    expect(await sessions.inbox('Dev', { session })).toMatchObject([
      { kind: 'DIRECT', from: 'Lead', text: 'The build is green' },
    ])
    expect(await textsOf(neutral.find(told.id))).toEqual(['Dev finished The build is green'])
    expect(await waiting('Dev')).toEqual([])
    expect(await neutral.outcomeOf!(told.id, told)).toEqual({ state: 'completed', text: 'read' })
  })

  verifies(['SA-12d', 'X-neutral'], 'it is handed out once, by the inbox or by take', async () => {
    await say('Lead', '#DIRECT:Dev:one')
    await say('Dev', '#SUBSCRIBE:news')
    await say('Test', '#SUBSCRIBE:news')
    await say('Lead', '#BROADCAST:news:two')
    await say('Lead', '#DIRECT:Dev:three')
    expect(await waiting('Dev')).toEqual(['Dev written one', 'Dev written two', 'Dev written three'])
    expect(await waiting('Test')).toEqual(['Test written two'])
    const second = await take('Dev', 's:msg_005')
    expect(await textsOf(neutral.find('s:msg_005'))).toEqual(['Dev claimed two', 'Test written two'])
    // The inbox reads on without it, and a reader that has one in hand is left alone.
    expect(await inbox('Dev', { untilHandedOut: true })).toEqual(['one', 'three'])
    expect((await neutral.take!('Dev')).outcome).toBe('nothing')
    await new Promise((done) => setTimeout(done, 60))
    expect(await waiting('Dev')).toEqual(['Dev written one', 'Dev written three'])
    expect((await neutral.done!(second.receipt)).outcome).toBe('settled')
    expect((await neutral.done!(second.receipt)).outcome).toBe('unchanged')
    expect(await inbox('Dev')).toEqual(['one', 'three'])
    expect(await inbox('Dev')).toEqual([])
    expect((await neutral.take!('Dev')).outcome).toBe('nothing')
    expect(await textsOf(neutral.messages({ archived: true }))).toEqual([
      'Dev finished one',
      'Dev finished two',
      'Test written two',
      'Dev finished three',
    ])
    expect(await inbox('Test')).toEqual(['two'])
  })

  verifies('X-neutral', 'what is given back waits again, also when the inbox has read on', async () => {
    for (const text of ['one', 'two', 'three']) await say('Lead', `#DIRECT:Dev:${text}`)
    const [first, second] = [await take('Dev'), await take('Dev')]
    await neutral.release!(second.receipt)
    expect(await inbox('Dev', { peek: true })).toEqual(['two', 'three'])
    expect(await inbox('Dev', { limit: 1 })).toEqual(['two'])
    expect(await inbox('Dev')).toEqual(['three'])
    expect(await waiting('Dev')).toEqual([])
    await neutral.release!(first.receipt)
    expect(await waiting('Dev')).toEqual(['Dev written one'])
    const again = await take('Dev')
    await expect(neutral.done!(first.receipt)).rejects.toMatchObject({ code: 'LOST_CLAIM' })
    expect((await neutral.done!(again.receipt)).outcome).toBe('settled')
    expect(await waiting('Dev')).toEqual([])
  })

  verifies('X-neutral', 'the document stays small, however much is taken and in whatever order', async () => {
    for (let n = 0; n < 100; n++) await say('Lead', `#DIRECT:Dev:${n}`)
    await say('Lead', '#DELEGATE:Dev:work')
    const kept = await take('Dev', 's:msg_050')
    for (let taken = await neutral.take!('Dev'); taken.outcome === 'taken'; taken = await neutral.take!('Dev'))
      await neutral.done!(taken.receipt)
    await neutral.done!(kept.receipt)
    const leaf = await tree.read(treePath('.signalbox/state/sessions/s/session.json'))
    const { mailboxes } = JSON.parse(Buffer.from(leaf!.bytes).toString())
    expect(mailboxes).toEqual([{ agent: 'Dev', last: 101, upTo: 101, taken: [] }])
    expect((await tell('Dev', 'last')).native).not.toHaveProperty('more')
    expect(await waiting('Dev')).toEqual(['Dev written last'])
    // What is about the task is in the inbox, beside the one that nobody took.
    expect(await inbox('Dev')).toEqual(['P2 work', 'last'])
  })

  verifies('X-neutral', 'a reason or an answer goes back to whoever told it', async () => {
    const { id, from, to } = await tell('Dev', 'Why?', { needsAnswer: true })
    const asked = await take('Dev')
    expect(await neutral.outcomeOf!(id, { from, to })).toBeUndefined()
    await neutral.done!(asked.receipt, { text: 'Because' })
    const outcome = await neutral.outcomeOf!(id, { from, to })
    expect(outcome).toEqual({ state: 'completed', text: 'Because', answer: 's:msg_003' })
    expect((await take('Lead')).message.envelope).toMatchObject({ kind: 'answer', replyTo: id, from: 'Dev' })
    await tell('Dev', 'Again')
    await neutral.failed!((await take('Dev')).receipt, { reason: 'Cannot read it' })
    expect(await inbox('Lead')).toEqual(['Cannot read it'])
  })

  verifies('X-key', 'a tell is sent once under a key, and another draft under it is a conflict', async () => {
    const draft = { from: 'Lead', to: 'Dev', text: 'once', kind: 'tell' } as const
    const first = await neutral.send!(draft, { key: 'k' })
    expect(await neutral.send!(draft, { key: 'k' })).toMatchObject({ outcome: 'unchanged', message: first.message })
    await expect(neutral.send!({ ...draft, kind: 'ask' }, { key: 'k' })).rejects.toMatchObject({ code: 'KEY_USED' })
    expect(await inbox('Dev')).toEqual(['once'])
  })
})

/** What is told to an agent, by `#DIRECT` and `#BROADCAST` and by the verbs of all protocols: one message, read once. */
import { expect, it } from 'vitest'
import { sessionsOn } from '../../../../test/support/session.ts'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { heldClock } from '../../../kernel/clock.ts'
import type { Neutral } from '../../contract.ts'

async function open() {
  const clock = heldClock()
  const sessions = sessionsOn(openMemoryTree({ clock }), { clock })
  const say = (agent: string, line: string) => sessions.say(line, { session: 's1', agent })
  const inbox = async (agent: string) => (await sessions.inbox(agent, { session: 's1' })).map(({ text }) => text)
  return { sessions, say, inbox, neutral: await sessions.neutral() }
}

const waiting = async (neutral: Neutral, agent: string) => {
  const found: (string | undefined)[] = []
  for await (const { envelope, text } of neutral.waitingFor(agent)) {
    expect(envelope).toMatchObject({ kind: 'tell', needsAnswer: false, stage: 'written', to: agent })
    found.push(await text())
  }
  return found
}

it('[SA-12d] what was told can be taken, and the inbox does not tell it again', async () => {
  const { say, inbox, neutral } = await open()
  await say('Ann', '#DIRECT:Bob:first')
  await say('Ann', '#DIRECT:Bob:second')
  await say('Ann', '#DIRECT:Bob:third')
  expect(await waiting(neutral, 'Bob')).toEqual(['first', 'second', 'third'])
  const first = await neutral.take!('Bob')
  if (first.outcome !== 'taken') throw new Error('nothing to take')
  expect(first.message.envelope).toMatchObject({ from: 'Ann', stage: 'claimed' })
  await neutral.release!(first.receipt)
  expect(await waiting(neutral, 'Bob')).toEqual(['first', 'second', 'third'])
  const second = await neutral.take!('Bob', { id: 's1:tell_003' })
  if (second.outcome !== 'taken') throw new Error('nothing to take')
  expect((await neutral.done!(second.receipt)).outcome).toBe('settled')
  expect((await neutral.done!(second.receipt)).outcome).toBe('unchanged')
  expect(await inbox('Bob')).toEqual(['first', 'third'])
  expect(await waiting(neutral, 'Bob')).toEqual([])
  // Nobody waits for what came of it.
  expect(await inbox('Ann')).toEqual([])
  expect(await say('Bob', '#NEXT:')).toMatchObject({ answer: 'not_found' })
})

it('[SA-12d] each reader of a broadcast has its own', async () => {
  const { say, inbox, neutral } = await open()
  for (const agent of ['Bob', 'Cid']) await say(agent, '#SUBSCRIBE:builds')
  await say('Ann', '#BROADCAST:builds:green')
  for (const agent of ['Bob', 'Cid']) expect(await waiting(neutral, agent)).toEqual(['green'])
  const taken = await neutral.take!('Cid')
  if (taken.outcome !== 'taken') throw new Error('nothing to take')
  await neutral.done!(taken.receipt)
  expect(await waiting(neutral, 'Cid')).toEqual([])
  expect(await waiting(neutral, 'Bob')).toEqual(['green'])
  expect(await inbox('Bob')).toEqual(['green'])
  expect(await inbox('Cid')).toEqual([])
})

it('what is told under a key is told once, whole, and remembered', async () => {
  const { say, inbox, neutral } = await open()
  const text = `The build\n${'is green '.repeat(100)}`
  const draft = { from: 'Ann', to: 'Bob', text, summary: 'Build', kind: 'tell', place: 's1', thread: 'builds' } as const
  const { message } = await neutral.send!(draft, { key: 'k' })
  expect(message).toMatchObject({ kind: 'tell', thread: 'builds', summary: 'Build', state: 'pending' })
  expect((await neutral.send!(draft, { key: 'k' })).outcome).toBe('unchanged')
  expect(await inbox('Bob')).toEqual([text])
  expect((await neutral.send!(draft, { key: 'k' })).outcome).toBe('unchanged')
  await expect(neutral.send!({ ...draft, text: 'Other' }, { key: 'k' })).rejects.toMatchObject({ code: 'KEY_USED' })
  expect(await say('Bob', '#SUMMARY')).toMatchObject({ answer: 'not_found' })
  for await (const { envelope } of neutral.find(message.id)) expect(envelope.stage).toBe('finished')
})

it('of what was told, the oldest that was read goes first', async () => {
  const { say, neutral } = await open()
  await say('Ann', '#DIRECT:Cid:unread')
  for (let n = 0; n < 250; n++) {
    await neutral.send!({ from: 'Ann', to: 'Bob', text: `${n}`, kind: 'tell', place: 's1' })
    const taken = await neutral.take!('Bob')
    if (taken.outcome === 'taken') await neutral.done!(taken.receipt)
  }
  let count = 0
  for await (const _ of neutral.messages()) count++
  expect(count).toBe(200)
  expect(await waiting(neutral, 'Cid')).toEqual(['unread'])
})

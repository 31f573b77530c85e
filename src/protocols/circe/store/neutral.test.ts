import { expect, it } from 'vitest'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { heldClock } from '../../../kernel/clock.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import type { Neutral } from '../../contract.ts'
import { circe } from '../index.ts'

async function open() {
  const clock = heldClock()
  const tree = openMemoryTree({ clock })
  const store = await circe.open({ tree, clock, settings: circe.defaults })
  const names = async (folder: string) => {
    const entries = await tree.list(treePath(`${circe.defaults.root}/${folder}`))
    return entries.flatMap(({ name, kind }) => (kind === 'leaf' && name.endsWith('.md') ? [name] : []))
  }
  return { clock, store, neutral: await store.neutral(), names }
}
const work = { from: 'lead', to: 'qa', intent: 'test', task: 'T-1', summary: 'Test it' } as const

it('a result is one answer, also when who gave it was killed before the message was done', async () => {
  const { clock, store, neutral, names } = await open()
  const { message } = await store.sending.send(work)
  await store.claiming.claim('qa')
  // All that a process did that was killed in between.
  await store.people.answer(message.file, { text: 'All passed', by: 'qa' })
  clock.advance(5000)
  expect(await neutral.done!({ id: message.id, agent: 'qa' }, { text: 'All passed' })).toMatchObject({
    outcome: 'settled',
  })
  expect(await names('NEW_MESSAGES')).toEqual([expect.stringMatching(/_qa-lead_answer_T-1\.md$/)])
  expect(await names('AGENTS/qa/INBOX')).toEqual([])
})

it('a result comes through where somebody else has answered, or the message was for another', async () => {
  const { store, neutral, names } = await open()
  const { message } = await store.sending.send({ ...work, intent: 'escalate', to: 'lead', from: 'engineer' })
  await store.claiming.claim('lead')
  await store.people.answer(message.file, { text: 'Do this' })
  await neutral.done!({ id: message.id, agent: 'lead' }, { text: 'Do that\nand more' })
  expect(await names('NEW_MESSAGES')).toEqual([
    expect.stringMatching(/_lead-engineer_answer_T-1\.md$/),
    expect.stringMatching(/_rooster-engineer_answer_T-1\.md$/),
  ])
})

const stageOf = async (neutral: Neutral, id: string) => {
  for await (const { envelope } of neutral.find(id)) return envelope.stage
  return undefined
}
const takenBy = async (neutral: Neutral, agent: string) => {
  const taken = await neutral.take!(agent)
  if (taken.outcome !== 'taken') throw new Error('nothing to take')
  return taken
}

it('a failure reaches who asked, with its reason, and the task of work that is given up has failed', async () => {
  const { store, neutral } = await open()
  const { message } = await store.sending.send({ ...work, intent: 'fix_bug' })
  const { receipt } = await takenBy(neutral, 'qa')
  expect(await neutral.failed!(receipt, { reason: 'It cannot be done' })).toMatchObject({
    outcome: 'settled',
    message: { stage: 'failed' },
  })
  expect(await neutral.failed!(receipt, { reason: 'It cannot be done' })).toMatchObject({ outcome: 'unchanged' })
  const sent = { from: 'lead', to: 'qa' }
  expect(await neutral.outcomeOf!(message.id, sent)).toMatchObject({ state: 'failed', text: 'It cannot be done' })
  expect((await store.overview.tasks('T-1'))[0]).toMatchObject({ status: 'failed' })
  expect(await stageOf(neutral, message.id)).toBe('failed')
})

it('work that is given back is nobody’s, and can be claimed by others', async () => {
  const { store, neutral } = await open()
  await store.sending.send({ ...work, to: 'all', intent: 'fix_bug' })
  const { receipt } = await takenBy(neutral, 'qa')
  expect(await neutral.release!(receipt)).toMatchObject({ outcome: 'settled', message: { stage: 'written' } })
  expect((await store.overview.tasks('T-1'))[0]).toMatchObject({ status: 'new', owner: undefined })
  await takenBy(neutral, 'engineer')
  for (const late of [neutral.done!(receipt), neutral.failed!(receipt, { reason: 'x' }), neutral.release!(receipt)])
    await expect(late).rejects.toMatchObject({ code: 'LOST_CLAIM', exit: 4 })
})

it('what went to everybody waits in each inbox, and is given back to its own', async () => {
  const { store, neutral, names } = await open()
  await store.agents.init('qa', 'scribe')
  const sent = await neutral.send!({ from: 'lead', to: 'all', kind: 'tell', text: 'Lunch' })
  expect(await stageOf(neutral, sent.message.id)).toBe('written')
  const { receipt } = await takenBy(neutral, 'qa')
  expect(await stageOf(neutral, sent.message.id)).toBe('claimed')
  await neutral.release!(receipt)
  expect(await names('NEW_MESSAGES')).toEqual([])
  const again = await takenBy(neutral, 'qa')
  expect(again.receipt).toMatchObject({ id: receipt.id, attempt: 2 })
  await expect(neutral.done!(receipt)).rejects.toMatchObject({ code: 'LOST_CLAIM' })
  expect(await neutral.done!(again.receipt)).toMatchObject({ outcome: 'settled' })
})

it('work that is done completes its task where the checks allow it, and its answer waits for who asked', async () => {
  for (const isTested of [true, false]) {
    const { store, neutral, names } = await open()
    const { message } = await store.sending.send({ ...work, from: 'lead', to: 'dev', intent: 'fix_bug' })
    const { receipt } = await takenBy(neutral, 'dev')
    await neutral.progressed!(receipt, {})
    expect((await store.overview.tasks('T-1'))[0]).toMatchObject({ status: 'in_progress', owner: 'dev' })
    const passed = { from: 'qa', to: 'dev', intent: 'test_results', task: 'T-1', summary: 'Fine' }
    if (isTested) await store.sending.send({ ...passed, status: 'completed' })
    expect((await neutral.done!(receipt, { text: 'Fixed' })).outcome).toBe('settled')
    expect((await store.overview.tasks('T-1'))[0]!.status).toBe(isTested ? 'completed' : 'in_progress')
    expect(await names('NEW_MESSAGES')).toEqual([expect.stringMatching(/_dev-lead_answer_T-1\.md$/)])
    expect(await neutral.outcomeOf!(message.id, { from: 'lead', to: 'dev' })).toMatchObject({ text: 'Fixed' })
    expect((await neutral.done!(receipt, { text: 'Fixed' })).outcome).toBe('unchanged')
    expect(await names('NEW_MESSAGES')).toHaveLength(1)
  }
})

it('who was killed after the task was completed answers when it is repeated, and once', async () => {
  const { store, neutral, names } = await open()
  await store.sending.send({ ...work, from: 'lead', to: 'dev', intent: 'fix_bug' })
  const { receipt } = await takenBy(neutral, 'dev')
  const passed = { from: 'qa', to: 'dev', intent: 'test_results', task: 'T-1', summary: 'Fine' }
  await store.sending.send({ ...passed, status: 'completed' })
  await store.tasks.status('T-1', 'completed', 'dev')
  for (const text of ['Fixed', 'Fixed', 'Fixed otherwise']) {
    expect((await neutral.done!(receipt, { text })).outcome).toBe('unchanged')
    expect(await names('NEW_MESSAGES')).toEqual([expect.stringMatching(/_dev-lead_answer_T-1\.md$/)])
  }
})

it('how far it is stands in a status_update that waits for who asked', async () => {
  const { clock, store, neutral, names } = await open()
  const { message } = await store.sending.send({ ...work, intent: 'question' })
  const sent = { from: 'lead', to: 'qa' }
  const { receipt } = await takenBy(neutral, 'qa')
  expect(await neutral.progressOf!(message.id, sent)).toBeUndefined()
  for (const text of ['Half', 'Half', 'Nearly']) {
    clock.advance(1000)
    await neutral.progressed!(receipt, { text })
    expect(await neutral.progressOf!(message.id, sent)).toMatchObject({ text })
  }
  expect(await names('NEW_MESSAGES')).toHaveLength(2)
  expect(await names('AGENTS/qa/WORKSPACE')).toHaveLength(1)
  expect(await neutral.progressOf!(message.id, { ...sent, to: 'dev' })).toBeUndefined()
})

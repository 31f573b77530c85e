import { beforeEach, expect, it } from 'vitest'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { heldClock } from '../../../kernel/clock.ts'
import { childOf, treePath } from '../../../kernel/tree-path.ts'
import type { Tree } from '../../../tree/tree.ts'
import { circe } from '../index.ts'
import { ledgersPath } from '../layout.ts'
import type { Circe } from './circe.ts'

const clock = heldClock(Date.parse('2026-01-01T12:00:00Z'))
const { root } = circe.defaults
let tree: Tree
let store: Circe

beforeEach(async () => {
  tree = openMemoryTree({ clock })
  store = await circe.open({ tree, clock, settings: circe.defaults })
})

async function open(): Promise<string[]> {
  const names: string[] = []
  for await (const { name } of store.people.open()) names.push(name)
  return names
}

async function asked(more: object = {}): Promise<string> {
  const said = { from: 'engineer', to: 'lead', intent: 'escalate', task: 'T-1', summary: 'Which?', ...more }
  return (await store.sending.send(said)).message.file
}

it('[CI-6b] what an agent answers to a person waits for that person, until it is answered too', async () => {
  const { message } = await store.sending.send({
    from: 'ROOSTER',
    to: 'engineer',
    intent: 'question',
    summary: 'How far?',
  })
  expect(await open()).toEqual([])
  const reply = await store.people.answer(message.file, { text: 'Nearly done', by: 'engineer' })
  expect(await open()).toEqual([reply.message.file])
  await store.people.answer(reply.message.file, { text: 'Thank you' })
  expect(await open()).toEqual([])
  expect((await tree.look(treePath(`${root}/LOGS/${reply.message.file}`)))?.kind).toBe('leaf')
})

it('[CI-6b][X-index] what waits is the same where what is remembered of tasks is deleted', async () => {
  const questions = [await asked(), await asked({ task: 'T-2' })]
  await store.people.answer(questions[0]!, { text: 'That one' })
  await store.sending.send({ from: 'qa', to: 'engineer', intent: 'claim_task', task: 'T-2', summary: 'Mine' })
  // It cannot own the task, and a person is told that it wants to.
  questions.push(await asked({ to: 'ROOSTER', intent: 'claim_task', task: 'T-2' }))
  expect((await open()).sort()).toEqual(questions.slice(1).sort())
  const before = Buffer.from((await tree.read(treePath(`${root}/LOGS/events.log`)))!.bytes).toString()
  for (const { name } of await tree.list(ledgersPath)) await tree.remove(childOf(ledgersPath, name))
  expect((await open()).sort()).toEqual(questions.slice(1).sort())
  expect(Buffer.from((await tree.read(treePath(`${root}/LOGS/events.log`)))!.bytes).toString()).toBe(before)
})

it('[CI-6b] an answer in a file with blanks in its name is known from the log', async () => {
  const question = await asked()
  const text = `# MESSAGE\nfrom: ROOSTER\nto: engineer\nintent: answer\ntask_id: T-1\nstatus: completed\ncreated_at: 2026-01-01T12:00:01Z\nin_reply_to: ${question}\n\n## Summary\nThat one\n`
  await tree.create(treePath(`${root}/NEW_MESSAGES/my own answer.md`), text)
  expect(await open()).toEqual([])
  expect(await store.people.answer(question, { text: 'That one' })).toMatchObject({
    outcome: 'unchanged',
    message: { file: 'my own answer.md' },
  })
})

it('[CI-6] an escalation about a task whose files cannot be believed is shown, and answered once they are right', async () => {
  await store.sending.send({ from: 'lead', to: 'engineer', intent: 'fix_bug', task: 'T-1', summary: 'It leaks' })
  await store.claiming.claim('engineer')
  const status = treePath(`${root}/TASKS/T-1.status`)
  await tree.replace(status, Buffer.from('{{{'), (await tree.read(status))!.revision)
  const text = `# MESSAGE\nfrom: engineer\nto: lead\nintent: escalate\ntask_id: T-1\nstatus: blocked\ncreated_at: 2026-01-01T12:00:01Z\n\n## Summary\nWhich?\n`
  await tree.create(treePath(`${root}/NEW_MESSAGES/which.md`), text)
  expect(await open()).toEqual(['which.md'])
  await expect(store.people.answer('which.md', { text: 'That one' })).rejects.toMatchObject({
    code: 'BAD_TASK_FILE',
    exit: 5,
  })
  await store.inspect({ repair: true })
  expect(await open()).toEqual(['which.md'])
  expect(await store.people.answer('which.md', { text: 'That one' })).toMatchObject({ outcome: 'answered' })
  expect(await open()).toEqual([])
  expect(await store.overview.tasks('T-1')).toMatchObject([{ status: 'in_progress' }])
})

it('[CI-6][CI-6b] what is asked before its task is completed waits no longer, what is asked afterwards does', async () => {
  await store.sending.send({ from: 'lead', to: 'engineer', intent: 'document', task: 'T-1', summary: 'Describe it' })
  const early = await asked()
  expect(await open()).toEqual([early])
  await store.tasks.status('T-1', 'completed', 'lead')
  expect(await open()).toEqual([])
  const late = await asked({ to: 'ROOSTER', summary: 'It broke after all' })
  expect(await open()).toEqual([late])
  await store.people.answer(late, { text: 'Leave it' })
  expect(await open()).toEqual([])
})

it('[CI-6b] what somebody says about a question who was not asked is no answer to it', async () => {
  const question = await asked()
  const reply = { intent: 'answer', task: 'T-1', to: 'engineer', status: 'completed', replyTo: question } as const
  for (const from of ['qa', 'engineer']) await store.sending.send({ ...reply, from, summary: 'I would take that one' })
  expect(await open()).toEqual([question])
  expect(await store.people.answer(question, { text: 'That one' })).toMatchObject({ outcome: 'answered' })
  expect(await open()).toEqual([])
  const other = await asked()
  await store.sending.send({ ...reply, from: 'Lead', replyTo: other, summary: 'The other' })
  expect(await open()).toEqual([])
})

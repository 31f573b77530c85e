import { expect, it } from 'vitest'
import { command, memoryMr } from '../../../../test/support/message-routing.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import type { Message } from '../../contract.ts'

const first = async (messages: AsyncIterable<Message>) => {
  for await (const message of messages) return message
  return undefined
}

it('[MR-5] done acknowledges what asks for it, once, with what was done', async () => {
  const { mr } = memoryMr()
  const neutral = await mr.neutral()
  const { message } = await mr.sending.send(command('coder-1', { requiresAck: true }))
  const taken = await neutral.take!('coder-1')
  if (taken.outcome !== 'taken') throw new Error('nothing to take')
  expect(await neutral.done!(taken.receipt, { text: 'Paused' })).toMatchObject({
    outcome: 'settled',
    message: { id: message.id, state: 'taken' },
  })
  expect((await neutral.done!(taken.receipt)).outcome).toBe('unchanged')
  const { messages } = await mr.claiming.receive('coordinator-main')
  expect(messages).toMatchObject([{ type: 'status-update', summary: 'Paused', correlationId: message.id }])
})

it('an ask is a task, an answer a result, a tell a status-update; urgency is the priority', async () => {
  const { mr } = memoryMr()
  const neutral = await mr.neutral()
  const draft = { from: 'lead', to: 'coder-1', text: 'Fix the login' }
  await neutral.send!({ ...draft, urgency: 'high', summary: 'Login' })
  await neutral.send!({ ...draft, urgency: 'low' })
  await neutral.send!({ ...draft, replyTo: 'msg_0000000a' })
  await neutral.send!({ ...draft, kind: 'tell', replyTo: 'msg_0000000a' })
  const { messages } = await mr.claiming.receive('coder-1')
  expect(messages.map(({ type, message, correlationId }) => [type, message.priority, correlationId])).toEqual([
    ['task-delegation', 9, undefined],
    ['task-delegation', 1, undefined],
    ['result', undefined, 'msg_0000000a'],
    // With a correlation it would acknowledge that message.
    ['status-update', undefined, undefined],
  ])
  expect(messages[0]).toMatchObject({ summary: 'Login', problems: [], message: { payload: { task: 'Fix the login' } } })
  await expect(neutral.send!({ ...draft, place: 'alpha' })).rejects.toMatchObject({ kind: 'InvalidInput' })
})

it.each([
  [{ type: 'task-delegation', payload: { task: 'Do it' } }, 'Do it'],
  [
    { type: 'status-update', payload: { status: 'blocked', message: 'No key' } },
    'No key\n\n{\n  "status": "blocked"\n}',
  ],
  [{ type: 'command', payload: { action: 'pause' } }, '{\n  "action": "pause"\n}'],
] as const)('the text of %j says all that its payload does', async (content, text) => {
  const { mr } = memoryMr()
  await mr.sending.send({ from: 'lead', to: 'coder-1', ...content })
  expect(await (await first((await mr.neutral()).messages()))?.text()).toBe(text)
})

it("another program's message is found by its own id and by ours", async () => {
  const { mr, tree } = memoryMr()
  const theirs = {
    version: '1.1',
    msg_id: 'msg-1759761135-042',
    from: 'bash-agent',
    to: 'coder-1',
    timestamp: 1_759_761_135,
    sequence: 1,
    type: 'command',
    payload: { action: 'pause' },
  }
  await tree.create(treePath('state/agents/coder-1/inbox/msg-1759761135-042.json'), JSON.stringify(theirs))
  const neutral = await mr.neutral()
  const found = await first(neutral.find('msg-1759761135-042'))
  expect(found?.envelope.id).toMatch(/^msg_[0-9a-f]{8}$/)
  expect(await first(neutral.find(found!.envelope.id))).toMatchObject({ envelope: { path: found!.envelope.path } })
})

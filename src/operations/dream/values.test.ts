import { expect, it } from 'vitest'
import { openDream } from '../../../test/support/dream.ts'
import type { Context } from '../define.ts'
import { dreamState } from './documents.ts'
import { mailboxDone, mailboxNext, mailboxSend } from './mailbox-messages.ts'
import { taskSend, taskTake } from './task.ts'

function opened(name: string) {
  const all = openDream()
  const context = {
    clock: all.clock,
    report: { finished() {} },
    store: async () => all.dream,
    configuration: async () => ({ compat: false }),
    actor: async () => ({ name, isNamedByCall: true }),
    tree: async () => all.tree,
  } as unknown as Context
  return { ...all, context }
}

it('a program gives JSON as a value, and it is checked as its text would be', async () => {
  const { dream, context, json } = opened('Worker')
  await dream.mailboxes.init(1)
  await dream.mailboxes.claim('Worker')
  const send = (params: unknown) => mailboxSend.invoke(context, { mailbox: 1, command: 'c', params })
  expect(await send({ a: [1] })).toMatchObject({ outcome: 'sent', record: { params: { a: [1] } } })
  expect(await send('{"a": [1]}')).toMatchObject({ outcome: 'sent', record: { params: { a: [1] } } })
  await expect(send([1])).rejects.toMatchObject({ code: 'NOT_AN_OBJECT', message: 'The params must be a JSON object.' })
  await expect(send({ id: 2 ** 60 })).rejects.toMatchObject({ code: 'INEXACT_NUMBER' })
  await expect(send(7)).rejects.toMatchObject({ code: 'WRONG_TYPE' })
  const given = await mailboxNext.invoke(context, { mailbox: 1, resume: false, compat: false })
  if (given.outcome !== 'given') throw new Error('nothing was given')
  const done = { mailbox: 1, id: given.message.message_id, output: { passed: 12 } }
  expect(await mailboxDone.invoke(context, done)).toMatchObject({
    outcome: 'recorded',
    line: { output: { passed: 12 } },
  })
  await expect(mailboxDone.invoke(context, { ...done, error: {} })).rejects.toMatchObject({ code: 'GIVEN_TWICE' })
  await dreamState.invoke(context, { name: 'build', set: { phase: 'testing' } })
  expect(await json('temp/build.json')).toEqual({ phase: 'testing' })
})

it('a program gives a task as a value; the agent that acts takes it, or nothing if it has gone', async () => {
  const { dream, context, names } = opened('Bob')
  await dream.agents.note('Bob')
  const content = { task_id: 't', action: 'RUN' }
  expect(await taskSend.invoke(context, { to: 'Bob', content })).toMatchObject({
    outcome: 'sent',
    message: { id: 't' },
  })
  const gone = AbortSignal.abort()
  expect(await taskTake.invoke({ ...context, signal: gone }, { wait: 1000 })).toMatchObject({ outcome: 'nothing' })
  expect(await names('runtime/Bob/inbox')).toEqual(['task_t.json'])
  expect(await taskTake.invoke(context, {})).toMatchObject({ outcome: 'taken', message: { to: 'Bob' } })
})

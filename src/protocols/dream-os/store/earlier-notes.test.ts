import { describe, expect } from 'vitest'
import { mailboxFile, openDream, shared } from '../../../../test/support/dream.ts'
import { verifies } from '../../../../test/support/verifies.ts'
import { noteNameOf } from './notes.ts'

const state = '.signalbox/state/delivery/dream'
const at = '2026-01-01T12:00:00.000Z'
const task = (task_id: string, more: object = {}) => ({
  ...{ task_id, action: 'RUN', params: {}, target_agent: 'Bob', status: 'PENDING', priority: 3, depends_on: [] },
  ...more,
})
const line = (event_type: string, details: object) => ({
  ...{ event_id: 'event-20260101-abcdef', timestamp: at, event_type, agent_source: 'S', details },
})
const outcome = { agent_id: 'Bob', status: 'FAILED', timestamp: at, output: null, error_details: { code: 'E' } }

/** Two passes of the router: the second has nothing to add. */
async function routed({ another }: ReturnType<typeof openDream>): Promise<void> {
  await another().router.route('S')
  await another().router.route('S')
}

describe('notes that an earlier version left when it was killed', () => {
  for (const staged of [false, true]) {
    verifies(
      'X-journal',
      `an outcome of a file is recorded once, its events ${staged ? 'staged' : 'not'}`,
      async () => {
        const all = openDream()
        const { dream, put, names, json, lines } = all
        await put('runtime/task_list.json', [task('a'), task('b', { depends_on: ['a'] })])
        await dream.tasks.dispatch('S')
        await dream.claiming.take('Bob')
        const note = {
          line: { ...outcome, message_id: 'a', task_id: 'a' },
          agent: 'Bob',
          attempt: 1,
          file: 'task_a.json',
        }
        const key = noteNameOf('inbox Bob', 'task_a.json', '1').slice(0, -'.json'.length)
        const name = `msg_${noteNameOf(key, 'TaskExecutorAgent').slice(0, 8)}-${key}@Bob.json`
        await put(`${state}/finishing/${key}.json`, {
          ...note,
          ...(staged ? { staged: true, logged: true, targets: ['TaskExecutorAgent'] } : {}),
        })
        if (staged) {
          await put(`${state}/outgoing/${noteNameOf('TaskExecutorAgent', name)}`, '{"told": 1}')
          await put(`${shared}/completed_tasks.json`, `${JSON.stringify(note.line)}\n`)
          await put('governance_memory.jsonl', `${JSON.stringify(line('TASK_FAILED', { outcome: key }))}\n`)
        }
        await routed(all)
        expect(await names(`${state}/finishing`)).toEqual([])
        expect(await lines(`${shared}/completed_tasks.json`)).toEqual([note.line])
        expect(await names('runtime/Bob/archive/inbox')).toEqual(['task_a.json'])
        expect(await json('runtime/task_list.json')).toMatchObject([{ status: 'FAILED' }, { status: 'BLOCKED' }])
        expect(await names('runtime/TaskExecutorAgent/inbox')).toEqual([name])
        const told = (await lines('governance_memory.jsonl')).map(({ event_type }) => event_type)
        expect(told.filter((type) => type === 'TASK_FAILED')).toHaveLength(1)
      },
    )
  }

  verifies('X-journal', 'an outcome of a mailbox is recorded, unless the message was given again', async () => {
    for (const attempt of [1, 2]) {
      const all = openDream()
      const { dream, put, json, lines } = all
      await dream.mailboxes.init(1)
      await dream.mailboxes.claim('Bob')
      const { message } = await dream.messages.send({ mailbox: 1, from: 'Ann', command: 'c', params: {} })
      await dream.messages.next(1, 'Bob')
      const note = { line: { ...outcome, message_id: message.message_id, task_id: null }, agent: 'Bob', attempt }
      await put(`${state}/finishing/x.json`, { ...note, mailbox: 1, message: message.message_id })
      await routed(all)
      const isRecorded = attempt === 1
      expect(await lines(`${shared}/completed_tasks.json`)).toHaveLength(isRecorded ? 1 : 0)
      expect((await json(mailboxFile(1))).processed_message_ids).toEqual(isRecorded ? [message.message_id] : [])
    }
  })

  verifies('X-journal', 'what was being handed out is handed out once', async () => {
    for (const wasStaged of [false, true]) {
      const all = openDream()
      const { put, names, json, lines } = all
      await put('runtime/task_list.json', [task('a')])
      await put(`${state}/telling/tasks.json`, {
        lines: [line('TASKS_DISPATCHED', { task_id: 'a' })],
        news: { at, note: 'S dispatched a.', assignments: { a: 'Bob' } },
        when: { dispatched: ['a'] },
      })
      await put(`${state}/dispatch/${noteNameOf('a')}`, {
        attempt: 1,
        open: true,
        ...(wasStaged ? { staged: true } : {}),
      })
      if (wasStaged) await put('runtime/Bob/archive/inbox/task_a.json', task('a'))
      await routed(all)
      expect(await names('runtime/Bob/inbox')).toEqual(wasStaged ? [] : ['task_a.json'])
      expect(await json('runtime/task_list.json')).toMatchObject([{ status: 'IN_PROGRESS' }])
      expect(await lines('governance_memory.jsonl')).toHaveLength(1)
      expect(await json('runtime/supervisor_state.json')).toMatchObject({ task_assignments: { a: 'Bob' } })
    }
  })

  verifies(
    'X-journal',
    'the answer to a plan that was being joined is joined, and another comes too late',
    async () => {
      const all = openDream()
      const { dream, put, json, lines } = all
      const digest = noteNameOf(JSON.stringify([task('p')]))
      await put(`${state}/plans/${noteNameOf('plan-1')}`, {
        ...{ plan: 'plan-1', by: 'Ann', joining: { digest, planner: 'P', tasks: [task('p')] } },
      })
      const told = line('PLAN_JOINED', { plan_id: 'plan-1' })
      await put(`${state}/telling/tasks.json`, { lines: [told], when: { plan: 'plan-1', told: digest } })
      await routed(all)
      expect(await json('runtime/task_list.json')).toMatchObject([{ task_id: 'p' }])
      expect(await lines('governance_memory.jsonl')).toEqual([told])
      expect(await dream.planning.answer({ plan: 'plan-1', planner: 'Q', results: [task('q')] })).toMatchObject({
        outcome: 'late',
      })
    },
  )

  verifies(
    'X-journal',
    'a plan that was being sent reaches its planner; a takeover that was not made is forgotten',
    async () => {
      const all = openDream()
      const { dream, put, names, lines } = all
      await dream.mailboxes.init(1)
      const messages = [{ to: 'Bob', name: 'task_plan-1.json', text: '{"type": "GENERATE_TASK_SEQUENCE"}' }]
      await put(`${state}/telling/plan-1.json`, { lines: [line('PLAN_SENT', {})], messages })
      const takeover = [line('MAILBOX_TAKEN_OVER', {})]
      await put(`${state}/telling/mailbox-1.json`, { lines: takeover, when: { agent: 'Heir' } })
      await routed(all)
      expect(await names('runtime/Bob/inbox')).toEqual(['task_plan-1.json'])
      expect((await lines('governance_memory.jsonl')).map(({ event_type }) => event_type)).toEqual(['PLAN_SENT'])
      expect(await names(`${state}/telling`)).toEqual([])
    },
  )

  verifies('X-journal', 'what was packed already only leaves its mailbox', async () => {
    const all = openDream({ packAfter: 0 })
    const { dream, put, json, lines } = all
    await dream.mailboxes.init(1)
    await dream.mailboxes.claim('Bob')
    const { message } = await dream.messages.send({ mailbox: 1, from: 'Ann', command: 'c', params: {} })
    await dream.messages.next(1, 'Bob')
    await dream.messages.done(1, 'Bob', message.message_id)
    await put(`${shared}/archive/mailbox_1.jsonl`, `${JSON.stringify(message)}\n`)
    await put(`${state}/mailbox_1.packing.json`, { ids: 1 })
    await routed(all)
    expect((await json(mailboxFile(1))).messages).toEqual([])
    expect(await lines(`${shared}/archive/mailbox_1.jsonl`)).toHaveLength(1)
  })

  verifies('X-journal', 'what a person answered reaches the agent that failed, once', async () => {
    for (const told of [false, true]) {
      const all = openDream()
      const { dream, put, names, json, lines } = all
      await put('runtime/task_list.json', [task('a')])
      await dream.tasks.dispatch('S')
      await dream.claiming.take('Bob')
      await dream.settling.done('Bob', 'task_a.json', { error: {} })
      const { value: question } = await dream.escalations.questions().next()
      await put(`${state}/answers/${noteNameOf(question!.id)}`, {
        ...{ verdict: 'approve', text: '', by: 'ada', failedAt: at, line: line('ESCALATION_ANSWERED', {}) },
        ...(told ? { staged: true, told } : {}),
      })
      await routed(all)
      expect(await names('runtime/TaskExecutorAgent/inbox')).toEqual([])
      expect(await names('runtime/Bob/inbox')).toHaveLength(told ? 0 : 1)
      expect(await json('runtime/task_list.json')).toMatchObject([{ status: 'PENDING' }])
      const types = (await lines('governance_memory.jsonl')).map(({ event_type }) => event_type)
      expect(types.filter((type) => type === 'ESCALATION_ANSWERED')).toHaveLength(1)
    }
  })
})

import { describe, expect, it } from 'vitest'
import { openDream } from '../../../../test/support/dream.ts'
import { notFound } from '../../../kernel/errors.ts'

const task = (id: string, more: object = {}) => ({
  task_id: id,
  action: 'RUN',
  params: {},
  target_agent: 'Bob',
  status: 'PENDING',
  priority: 3,
  depends_on: [] as string[],
  ...more,
})
const completed = (plan: string, results: unknown) => ({
  type: 'TASK_COMPLETED',
  source_id: 'Planner',
  target_id: 'TaskExecutorAgent',
  data: { correlation_id: plan, task_id: plan, results },
})
const list = 'runtime/task_list.json'

async function planned() {
  const all = openDream()
  const sent = await all.dream.planning.plan({ from: 'Agent_0', to: 'Planner', goal: 'Tidy up' })
  return { ...all, plan: sent.plan, sent }
}
const idsOf = (tasks: readonly { task_id: string }[]) => tasks.map(({ task_id }) => task_id)

describe('planning', () => {
  it('[DO-4] a goal goes to the planner, and its answer is joined by the outbox', async () => {
    const { dream, json, put, names, plan, sent } = await planned()
    expect(await json(`runtime/Planner/inbox/task_${plan}.json`)).toMatchObject({
      type: 'GENERATE_TASK_SEQUENCE',
      source_id: 'Agent_0',
      target_id: 'Planner',
      data: { task_id: plan, params: { goal: 'Tidy up' } },
    })
    expect(sent.notices).toEqual([])
    const results = [task('t-1', { note: 'kept' }), task('t-2', { priority: 1, depends_on: ['t-1'] })]
    await put('runtime/Planner/outbox/msg_a.json', completed(plan, results))
    expect((await dream.router.route('S')).plans).toMatchObject([{ outcome: 'joined', plan, tasks: ['t-1', 't-2'] }])
    expect(await json(list)).toEqual(results)
    expect(await names('runtime/Agent_0/inbox')).toHaveLength(1)
    expect(await names('runtime/Planner/archive/outbox')).toEqual(['msg_a.json'])
    expect(idsOf((await dream.tasks.list({ runnable: true })).tasks)).toEqual(['t-1'])
  })

  it('[DO-4] by task done and by mailbox as well', async () => {
    const { dream, plan, json } = await planned()
    await dream.claiming.take('Planner')
    expect(
      await dream.settling.done('Planner', `task_${plan}.json`, { output: { results: [task('a')] } }),
    ).toMatchObject({
      outcome: 'recorded',
      notices: [],
    })
    expect(idsOf(await json(list))).toEqual(['a'])
    const second = await dream.planning.plan({ from: 'Agent_0', to: 'Planner', goal: 'More' })
    await dream.mailboxes.init(1)
    await dream.messages.send({
      mailbox: 1,
      from: 'Planner',
      command: 'TASK_COMPLETED',
      params: { correlation_id: second.plan, results: [task('b')] },
    })
    expect((await dream.router.route('S')).plans).toMatchObject([{ outcome: 'joined' }])
    expect((await dream.router.route('S')).plans).toEqual([])
    expect(idsOf(await json(list))).toEqual(['a', 'b'])
  })

  it('[DO-4c] of several answers the first valid one counts, once; the others are kept aside and told', async () => {
    const { dream, another, put, json, names, plan } = await planned()
    expect(await dream.planning.answer({ plan, planner: 'P0', results: [] })).toMatchObject({ outcome: 'refused' })
    expect(await dream.planning.answer({ plan, planner: 'P1', results: [task('a')] })).toMatchObject({
      outcome: 'joined',
    })
    expect(await another().planning.answer({ plan, planner: 'P1', results: [task('a')] })).toMatchObject({
      outcome: 'unchanged',
    })
    await put('runtime/P2/outbox/msg_b.json', completed(plan, [task('b')]))
    expect((await dream.router.route('S')).plans).toMatchObject([{ outcome: 'late', planner: 'P2' }])
    expect(await names('runtime/P2/archive/rejected')).toEqual(['msg_b.json'])
    expect(idsOf(await json(list))).toEqual(['a'])
    expect((await dream.logs.events()).events.map(({ event_type }) => event_type)).toEqual([
      'PLAN_SENT',
      'PLAN_REFUSED',
      'PLAN_JOINED',
      'PLAN_LATE',
    ])
  })

  it.each([
    ['a cycle', [task('a', { depends_on: ['b'] }), task('b', { depends_on: ['a'] })], 'in a circle: a, b'],
    ['an unknown dependency', [task('a', { depends_on: ['zz'] })], 'there is no task zz'],
    ['an id that is there with other content', [task('old', { action: 'OTHER' })], 'another task old already'],
    ['the same task twice', [task('a'), task('a')], 'a is in this plan twice'],
    ['a task of the list twice', [task('old'), task('old')], 'old is in this plan twice'],
    ['ids that differ by case', [task('OLD')], 'differ by case alone'],
    ['no target', [{ ...task('a'), target_agent: undefined }], 'target_agent is missing'],
    ['priority "soon"', [task('a', { priority: 'soon' })], 'priority is "soon"'],
    ['depending on itself', [task('a', { depends_on: ['a'] })], 'depends on itself'],
    ['a bad shape', { tasks: [] }, 'results is no list of tasks'],
    ['a target that is a path', [task('a', { target_agent: '../x' })], 'target_agent is "../x"'],
  ])('[DO-4b] a plan with %s is refused with field and reason, and its planner told', async (_, results, reason) => {
    const { dream, put, read, names, json, plan } = await planned()
    await put(list, [task('old')])
    const before = await read(list)
    const answered = await dream.planning.answer({ plan, planner: 'Planner', results })
    expect(answered.outcome).toBe('refused')
    expect(answered.reasons.join(' ')).toContain(reason)
    expect(await read(list)).toBe(before)
    await dream.planning.answer({ plan, planner: 'Planner', results })
    const told = (await names('runtime/Planner/inbox')).filter((name) => name.includes('refused'))
    expect(told).toHaveLength(1)
    expect(await json(`runtime/Planner/inbox/${told[0]}`)).toMatchObject({
      type: 'TASK_FAILED',
      target_id: 'Planner',
      data: { correlation_id: plan },
    })
  })

  it('[X-recipient] an answer for an executor that nobody has seen waits in its inbox, and that is told', async () => {
    const { dream, put, names, plan } = await planned()
    await put('runtime/Planner/outbox/msg_a.json', completed(plan, [task('a')]))
    const routed = await dream.router.route('S', { recipient: async (agent) => [`Nobody has seen ${agent}.`] })
    expect(routed.copied).toMatchObject([{ to: ['TaskExecutorAgent', 'Agent_0'] }])
    expect(routed.notices).toEqual(['Nobody has seen TaskExecutorAgent.'])
    expect(await names('runtime/TaskExecutorAgent/inbox')).toHaveLength(1)
  })

  it('[X-recipient] nor is it lost where such a name may get nothing: the plan is joined once, and the answer stays', async () => {
    const { dream, put, names, json, plan } = await planned()
    await put('runtime/Planner/outbox/msg_a.json', completed(plan, [task('a')]))
    const recipient = async (): Promise<string[]> => {
      throw notFound('UNSEEN_AGENT', 'Nobody has seen TaskExecutorAgent.')
    }
    expect(await dream.router.route('S', { recipient })).toMatchObject({
      plans: [{ outcome: 'joined' }],
      unroutable: [{ target: 'TaskExecutorAgent', reason: 'Nobody has seen TaskExecutorAgent.' }],
    })
    expect(await dream.router.route('S', { recipient })).toMatchObject({ outcome: 'nothing', unroutable: [{}] })
    expect(await names('runtime/Planner/outbox')).toEqual(['msg_a.json'])
    expect(idsOf(await json(list))).toEqual(['a'])
    expect(await dream.router.route('S')).toMatchObject({ outcome: 'routed', unroutable: [] })
    expect(await names('runtime/Agent_0/inbox')).toHaveLength(1)
  })

  it('[X-recipient] a task for a name that nobody has seen is told of; one that may get nothing stops no other', async () => {
    const { dream, put, names, json } = openDream()
    await dream.claiming.take('Bob')
    await put(list, [task('a', { target_agent: 'Bobb' }), task('b')])
    const recipient = async (agent: string): Promise<string[]> => {
      if (agent === 'Bobb') throw notFound('UNSEEN_AGENT', 'Nobody has seen Bobb.')
      return []
    }
    expect(await dream.tasks.dispatch('S', { recipient })).toMatchObject({
      outcome: 'dispatched',
      tasks: [{ task_id: 'b' }],
      notices: ['Nobody has seen Bobb.'],
    })
    expect(await names('runtime')).not.toContain('Bobb')
    expect(await json(list)).toMatchObject([{ status: 'PENDING' }, { status: 'IN_PROGRESS' }])
    const telling = async (agent: string) => [`Is there a ${agent}?`]
    expect(await dream.tasks.dispatch('S', { recipient: telling })).toMatchObject({ notices: ['Is there a Bobb?'] })
  })

  it('handed out beside a broken state of the supervisor, it says what was done', async () => {
    const { dream, put, names, json } = openDream()
    await put(list, [task('a')])
    await put('runtime/supervisor_state.json', '[broken')
    const error = await dream.tasks.dispatch('S').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'BAD_STATE', exit: 5 })
    expect(String(error)).toContain('What was asked for is done all the same; only this file was not changed.')
    expect(String(error)).not.toContain('Nothing was changed')
    expect(await names('runtime/Bob/inbox')).toEqual(['task_a.json'])
    expect(await json(list)).toMatchObject([{ status: 'IN_PROGRESS' }])
    expect(await dream.tasks.dispatch('S')).toMatchObject({ outcome: 'nothing' })
  })

  it('[DO-4c] a task is expanded, and is done when its parts are', async () => {
    const { dream, put, json } = openDream()
    await put(list, [task('big'), task('after', { depends_on: ['big'] })])
    await expect(dream.planning.plan({ from: 'A', to: 'P', goal: 'x', under: 'none' })).rejects.toMatchObject({
      exit: 3,
    })
    const { plan } = await dream.planning.plan({ from: 'A', to: 'P', goal: 'Split', under: 'big' })
    await dream.planning.answer({ plan, planner: 'P', results: [task('p1'), task('p2')] })
    expect(await json(list)).toMatchObject([
      { task_id: 'big', status: 'IN_PROGRESS', subtasks: ['p1', 'p2'] },
      {},
      {},
      {},
    ])
    expect(idsOf((await dream.tasks.list({ runnable: true })).tasks)).toEqual(['p1', 'p2'])
    await expect(dream.planning.plan({ from: 'A', to: 'P', goal: 'x', under: 'big' })).rejects.toMatchObject({
      exit: 4,
    })
    await dream.tasks.dispatch('S')
    for (const id of ['p1', 'p2']) await dream.settling.done('Bob', `task_${id}.json`)
    expect((await json(list)).map(({ status }: { status: string }) => status)).toEqual([
      'COMPLETED',
      'PENDING',
      'COMPLETED',
      'COMPLETED',
    ])
    expect(idsOf((await dream.tasks.list({ runnable: true })).tasks)).toEqual(['after'])
  })

  it('[DO-8] the supervisor lets go of goals that are reached and of tasks that are done', async () => {
    const { dream, put, json } = openDream()
    const state = 'runtime/supervisor_state.json'
    const { plan } = await dream.planning.plan({ from: 'A', to: 'P', goal: 'One: two' })
    const open = await dream.planning.plan({ from: 'A', to: 'P', goal: 'Open' })
    await dream.planning.answer({ plan, planner: 'P', results: [task('a'), task('b')] })
    await put(state, { ...(await json(state)), active_goals: [...(await json(state)).active_goals, 'mine', 7], x: 1 })
    await dream.tasks.dispatch('S')
    await dream.settling.done('Bob', 'task_a.json')
    await dream.router.route('S')
    const both = [`${plan}: One: two`, `${open.plan}: Open`, 'mine', 7]
    expect(await json(state)).toMatchObject({ active_goals: both, task_assignments: { b: 'Bob' }, x: 1 })
    await dream.settling.done('Bob', 'task_b.json')
    await dream.router.route('S')
    expect(await json(state)).toMatchObject({ active_goals: both.slice(1), task_assignments: {}, x: 1 })
    expect((await json(state)).task_assignments).toEqual({})
  })

  it('[DO-4][DO-4c] parts wait for what their task depends on, and are blocked with it', async () => {
    const { dream, put, json } = openDream()
    await put(list, [task('first'), task('big', { depends_on: ['first'] })])
    const { plan } = await dream.planning.plan({ from: 'A', to: 'P', goal: 'Split', under: 'big' })
    await dream.planning.answer({ plan, planner: 'P', results: [task('p1'), task('p2', { depends_on: ['p1'] })] })
    expect(idsOf((await dream.tasks.list({ runnable: true })).tasks)).toEqual(['first'])
    const deeper = await dream.planning.plan({ from: 'A', to: 'P', goal: 'Split', under: 'p1' })
    await dream.planning.answer({ plan: deeper.plan, planner: 'P', results: [task('p1a')] })
    expect(idsOf((await dream.tasks.list({ runnable: true })).tasks)).toEqual(['first'])
    await put(
      list,
      (await json(list)).map((one: object, i: number) => (i === 0 ? { ...one, status: 'FAILED' } : one)),
    )
    await dream.router.route('S')
    expect((await json(list)).map(({ status }: { status: string }) => status)).toEqual([
      'FAILED',
      ...Array(4).fill('BLOCKED'),
    ])
    await put(
      list,
      (await json(list)).map((one: object, i: number) => (i === 0 ? { ...one, status: 'COMPLETED' } : one)),
    )
    expect(idsOf((await dream.tasks.list({ runnable: true })).tasks)).toEqual(['p1a'])
  })

  it('[DO-4c] a task is not expanded into what waits for it', async () => {
    const { dream, put, json } = openDream()
    const before = [task('big'), task('after', { depends_on: ['big'] })]
    await put(list, before)
    const { plan } = await dream.planning.plan({ from: 'A', to: 'P', goal: 'Split', under: 'big' })
    for (const results of [
      [task('p', { depends_on: ['big'] })],
      [task('p', { depends_on: ['after'] })],
      [task('big')],
    ]) {
      expect(await dream.planning.answer({ plan, planner: 'P', results })).toMatchObject({
        outcome: 'refused',
        reasons: [expect.stringContaining('in a circle')],
      })
    }
    expect(await json(list)).toEqual(before)
  })

  it('[DO-4c] a task that was done or expanded since its planner was asked is not expanded', async () => {
    const { dream, put, json } = openDream()
    await put(list, [task('big')])
    const ask = () => dream.planning.plan({ from: 'A', to: 'P', goal: 'Split', under: 'big' })
    const [first, second] = [await ask(), await ask()]
    expect(await dream.planning.answer({ plan: first.plan, planner: 'P', results: [task('p1')] })).toMatchObject({
      outcome: 'joined',
    })
    expect(await dream.planning.answer({ plan: second.plan, planner: 'P', results: [task('p2')] })).toMatchObject({
      outcome: 'refused',
      reasons: ['Task big cannot be expanded: it has parts already: p1.'],
    })
    expect(await json(list)).toMatchObject([{ subtasks: ['p1'] }, { task_id: 'p1' }])
    await put(list, [task('big')])
    const third = await ask()
    await put(list, [task('big', { status: 'COMPLETED' })])
    expect(await dream.planning.answer({ plan: third.plan, planner: 'P', results: [task('p3')] })).toMatchObject({
      outcome: 'refused',
      reasons: ['Task big cannot be expanded: it is COMPLETED.'],
    })
    expect(await json(list)).toEqual([task('big', { status: 'COMPLETED' })])
  })

  it('[DO-4d] what may start is dispatched once, in order; what depends on a failed task is blocked', async () => {
    const { dream, another, put, json, names } = openDream()
    await put(list, [
      task('a'),
      task('b', { priority: 1 }),
      task('c', { depends_on: ['a'] }),
      task('d', { depends_on: ['c'] }),
    ])
    expect(idsOf((await dream.tasks.dispatch('S')).tasks)).toEqual(['b', 'a'])
    expect(await another().tasks.dispatch('S')).toMatchObject({ outcome: 'nothing' })
    expect(await names('runtime/Bob/inbox')).toEqual(['task_a.json', 'task_b.json'])
    expect(await json('runtime/supervisor_state.json')).toMatchObject({ task_assignments: { a: 'Bob', b: 'Bob' } })
    await dream.claiming.take('Bob')
    await dream.settling.done('Bob', 'task_b.json', { output: { fine: 1 } })
    await dream.claiming.take('Bob')
    await dream.settling.done('Bob', 'task_a.json', { error: { code: 'E' } })
    expect(await json(list)).toMatchObject([
      { task_id: 'a', status: 'FAILED', error_details: { code: 'E' } },
      { task_id: 'b', status: 'COMPLETED', output: { fine: 1 } },
      { task_id: 'c', status: 'BLOCKED', blocked_reason: 'It depends on a, which is FAILED.' },
      { task_id: 'd', status: 'BLOCKED', blocked_reason: 'It depends on c, which is BLOCKED.' },
    ])
    // The executor was never seen, so a person is asked.
    const questions = []
    for await (const question of dream.escalations.questions()) questions.push(question)
    expect(questions).toMatchObject([
      { kind: 'escalation', from: 'Bob', summary: 'Task a has failed, and nobody deals with it.' },
    ])
    expect(
      await dream.escalations.answer(questions[0]!, { verdict: 'answer', by: 'ada', text: 'Try again' }),
    ).toMatchObject({ outcome: 'answered' })
    for await (const question of dream.escalations.questions()) expect(question).toBeUndefined()
    const told = (await names('runtime/Bob/inbox'))[0]
    expect(await json(`runtime/Bob/inbox/${told}`)).toMatchObject({
      type: 'HUMAN_ANSWER',
      data: { answer: 'Try again' },
    })
    // Somebody sets it back: it goes out again, under another name.
    const again = (await json(list)).map((one: { task_id: string }) =>
      one.task_id === 'a' ? { ...one, status: 'PENDING' } : one,
    )
    await put(list, again)
    expect(idsOf((await dream.tasks.dispatch('S')).tasks)).toEqual(['a'])
    expect(await names('runtime/Bob/inbox')).toContain('task_a~2.json')
    expect(await json(list)).toMatchObject([{}, {}, { task_id: 'c', status: 'PENDING', blocked_reason: null }, {}])
  })

  it('[DO-4d] a person lets a failed task start again, or leaves it; one answer counts', async () => {
    const { dream, put, json, names, lines, clock } = openDream()
    await put(list, [task('a'), task('b', { depends_on: ['a'] })])
    const fail = async (file: string) => {
      await dream.tasks.dispatch('S')
      await dream.claiming.take('Bob')
      clock.advance(1000)
      await dream.settling.done('Bob', file, { error: { code: 'E' } })
    }
    const waiting = async () => {
      const questions = []
      for await (const question of dream.escalations.questions()) questions.push(question)
      return questions
    }
    await fail('task_a.json')
    const [first] = await waiting()
    expect(first).toMatchObject({ answers: ['approve', 'deny', 'answer'], details: { task: 'a' } })
    const yes = { verdict: 'approve', by: 'ada' } as const
    expect(await dream.escalations.answer(first!, yes)).toMatchObject({ outcome: 'answered' })
    expect(await dream.escalations.answer(first!, yes)).toMatchObject({ outcome: 'unchanged' })
    await expect(dream.escalations.answer(first!, { verdict: 'deny', by: 'ada', text: 'No' })).rejects.toMatchObject({
      code: 'ALREADY_ANSWERED',
      exit: 4,
      message: expect.stringMatching(/ was answered already: yes$/),
    })
    expect(await waiting()).toEqual([])
    expect(await json(list)).toMatchObject([{ status: 'PENDING', error_details: null }, { status: 'PENDING' }])
    await fail('task_a~2.json')
    // The answer to the first failure is no answer to the second.
    await dream.escalations.answer(first!, yes)
    await dream.router.route('S')
    expect(await json(list)).toMatchObject([{ status: 'FAILED' }, { status: 'BLOCKED' }])
    const [second, ...rest] = await waiting()
    expect(rest).toEqual([])
    await dream.escalations.answer(second!, { verdict: 'deny', by: 'ada', text: 'Give up' })
    expect(await json(list)).toMatchObject([{ status: 'FAILED' }, { status: 'BLOCKED' }])
    expect(await waiting()).toEqual([])
    const told = await lines('governance_memory.jsonl')
    expect(told.filter(({ event_type }) => event_type === 'ESCALATION_ANSWERED')).toMatchObject([
      { agent_source: 'ada', details: { verdict: 'approve' } },
      { agent_source: 'ada', details: { verdict: 'deny', answer: 'Give up' } },
    ])
    expect((await names('runtime/Bob/inbox')).filter((name) => name.startsWith('msg_'))).toHaveLength(2)
  })

  it('a list that is not one is refused and kept; one in another shape is read with compat and written back as it was', async () => {
    const { dream, put, read } = openDream()
    await put(
      list,
      '{"version": 1.0, "tasks": [{"task_id": "a", "action": "X", "target_agent": "Bob", "status": "pending", "priority": "high", "2": 1, "1": 2}]}',
    )
    await expect(dream.tasks.dispatch('S')).rejects.toMatchObject({
      code: 'BAD_TASK_LIST',
      exit: 5,
      hint: expect.stringContaining('{"compat":true}'),
    })
    const lenient = dream.reading({ compat: true })
    expect((await lenient.tasks.list()).notes).toHaveLength(5)
    await lenient.tasks.dispatch('S')
    expect(await read(list)).toBe(
      '{"version": 1.0, "tasks": [{"task_id": "a", "action": "X", "target_agent": "Bob", "status": "IN_PROGRESS", "priority": "high", "2": 1, "1": 2, "dispatched_at": "2026-01-01T12:00:00.000Z"}]}',
    )
  })
})

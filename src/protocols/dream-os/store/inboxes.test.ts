import { describe, expect, it } from 'vitest'
import { openDream } from '../../../../test/support/dream.ts'
import { verifies } from '../../../../test/support/verifies.ts'

const task = (id: string, more: object = {}) => ({
  task_id: id,
  action: 'RUN',
  params: {},
  target_agent: 'Bob',
  status: 'PENDING',
  priority: 3,
  depends_on: [],
  ...more,
})
const message = (to: string, text = 'hello') => ({ type: 'NOTE', source_id: 'Ann', target_id: to, data: { text } })

describe('inboxes', () => {
  it('[DO-2a] a task is written, listed, taken and finished; its file ends in the archive once', async () => {
    const { dream, names, lines } = openDream()
    const sent = await dream.sending.send('Bob', task('t-1'), { from: 'Ann' })
    expect(sent).toMatchObject({
      outcome: 'sent',
      message: { id: 't-1', to: 'Bob', state: 'inbox', path: 'runtime/Bob/inbox/task_t-1.json' },
    })
    expect(await dream.sending.send('Bob', task('t-1'))).toMatchObject({ outcome: 'unchanged' })
    expect(await dream.sending.send('Bob', task('t-1', { action: 'OTHER' }))).toMatchObject({
      outcome: 'sent',
      message: { file: 'task_t-1~2.json' },
    })
    expect((await dream.inboxes.list('Bob')).waiting).toHaveLength(2)
    const taken = await dream.claiming.take('Bob')
    expect(taken).toMatchObject({
      outcome: 'taken',
      attempt: 1,
      redelivered: false,
      message: { file: 'task_t-1.json', state: 'working' },
    })
    expect(await names('runtime/Bob/inbox')).toEqual(['task_t-1~2.json'])
    expect(await dream.settling.done('Bob', 'task_t-1.json', { output: { ok: true } })).toMatchObject({
      outcome: 'recorded',
    })
    expect(await dream.settling.done('Bob', 'task_t-1.json')).toMatchObject({ outcome: 'unchanged' })
    expect(await names('runtime/Bob/archive/inbox')).toEqual(['task_t-1.json'])
    expect(await names('runtime/Bob/working')).toEqual([])
    expect(await lines('_agent_coordination/shared_mailboxes/completed_tasks.json')).toMatchObject([
      { task_id: 't-1', agent_id: 'Bob', output: { ok: true } },
    ])
    await expect(dream.settling.done('Bob', 'task_x.json')).rejects.toMatchObject({ exit: 3 })
  })

  it('[DO-2a] the most urgent first; what is no message stays, is told, and stops no other', async () => {
    const { dream, put, read } = openDream()
    await put('runtime/Bob/inbox/a.json', '{"broken')
    await put('runtime/Bob/inbox/b.json', '[1]')
    await put('runtime/Bob/inbox/.hidden.json', '{}')
    await dream.sending.send('Bob', task('later'))
    await dream.sending.send('Bob', task('urgent', { priority: 1 }))
    const taken = await dream.claiming.take('Bob')
    expect(taken).toMatchObject({ outcome: 'taken', message: { id: 'urgent' } })
    expect(taken.unreadable.map(({ path }) => path)).toEqual(['runtime/Bob/inbox/a.json', 'runtime/Bob/inbox/b.json'])
    expect(await read('runtime/Bob/inbox/a.json')).toBe('{"broken')
  })

  it('what was not finished in time waits again, and a late done is told so', async () => {
    const { dream, another, clock } = openDream()
    await dream.sending.send('Bob', task('t-1'))
    await dream.claiming.take('Bob')
    expect(await another().claiming.take('Bob')).toMatchObject({ outcome: 'nothing' })
    clock.advance(61 * 60_000)
    expect(await another().claiming.take('Bob')).toMatchObject({ outcome: 'taken', attempt: 2, redelivered: true })
    await expect(dream.settling.done('Bob', 'task_t-1.json', { attempt: 1 })).rejects.toMatchObject({
      code: 'LOST_CLAIM',
      exit: 4,
    })
    expect(await dream.settling.done('Bob', 'task_t-1.json', { attempt: 2 })).toMatchObject({ outcome: 'recorded' })
  })

  it('of two who take at once one gets it, and a wait is ended by a file', async () => {
    const { dream, another, put } = openDream()
    const waiting = dream.claiming.take('Bob', { waitMs: 20_000 })
    await put('runtime/Bob/inbox/task_x.json', task('x'))
    expect(await waiting).toMatchObject({ outcome: 'taken', message: { id: 'x' } })
    await dream.sending.send('Bob', task('y'))
    const answers = await Promise.all([dream.claiming.take('Bob'), another().claiming.take('Bob')])
    expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['nothing', 'taken'])
  })

  it('[DO-2c] an agent takes what is for it straight from an outbox, and then the router does not', async () => {
    const { dream, another, put, names } = openDream()
    await put('runtime/Ann/outbox/msg_1.json', message('Bob'))
    await put('runtime/Ann/outbox/msg_2.json', message('Eve'))
    expect(await dream.claiming.take('Bob')).toMatchObject({
      outcome: 'taken',
      message: { from: 'Ann', file: 'msg_1@Ann.json' },
    })
    expect(await another().router.route('S')).toMatchObject({ moved: [], unroutable: [{ target: 'Eve' }] })
    expect(await names('runtime/Ann/outbox')).toEqual(['msg_2.json'])
  })
})

describe('an id that means several files', () => {
  const completed = '_agent_coordination/shared_mailboxes/completed_tasks.json'

  it('is refused with the files, and a repeat finishes no other', async () => {
    const { dream, lines, names } = openDream()
    await dream.sending.send('Bob', task('task-7'))
    await dream.claiming.take('Bob')
    await dream.settling.done('Bob', 'task-7')
    await dream.sending.send('Bob', task('task-7', { action: 'OTHER' }))
    await expect(dream.settling.done('Bob', 'task-7')).rejects.toMatchObject({
      code: 'AMBIGUOUS_ID',
      exit: 4,
      details: { candidates: ['runtime/Bob/inbox/task_task-7~2.json', 'runtime/Bob/archive/inbox/task_task-7.json'] },
    })
    expect(await dream.settling.done('Bob', 'task_task-7.json')).toMatchObject({ outcome: 'unchanged' })
    expect(await lines(completed)).toHaveLength(1)
    expect(await names('runtime/Bob/inbox')).toEqual(['task_task-7~2.json'])
    expect(await dream.claiming.take('Bob', { id: 'task-7' })).toMatchObject({
      message: { file: 'task_task-7~2.json' },
    })
  })

  it('is refused where it is the id of one and the name of another', async () => {
    const { dream, put, names } = openDream()
    await dream.sending.send('Bob', task('task-7'))
    await dream.claiming.take('Bob')
    await dream.settling.done('Bob', 'task-7')
    await put('runtime/Bob/inbox/task-7.json', task('another'))
    await expect(dream.settling.done('Bob', 'task-7')).rejects.toMatchObject({ code: 'AMBIGUOUS_ID', exit: 4 })
    expect(await names('runtime/Bob/inbox')).toEqual(['task-7.json'])
    expect(await dream.settling.done('Bob', 'task_task-7')).toMatchObject({ outcome: 'unchanged' })
    expect(await dream.settling.done('Bob', 'task-7.json')).toMatchObject({ outcome: 'recorded' })
  })

  it('is refused of two senders too, by whoever takes and by whoever has finished one', async () => {
    const { dream, put, lines } = openDream()
    await put('runtime/Bob/inbox/.keep', '')
    for (const sender of ['Ann', 'Eve']) await put(`runtime/${sender}/outbox/msg_1.json`, message('Bob', sender))
    await expect(dream.claiming.take('Bob', { id: '1' })).rejects.toMatchObject({ code: 'AMBIGUOUS_ID', exit: 4 })
    await dream.router.route('S')
    await expect(dream.claiming.take('Bob', { id: '1' })).rejects.toMatchObject({ code: 'AMBIGUOUS_ID', exit: 4 })
    await dream.claiming.take('Bob', { id: 'msg_1@Ann.json' })
    await expect(dream.settling.done('Bob', '1')).rejects.toMatchObject({ code: 'AMBIGUOUS_ID', exit: 4 })
    await dream.settling.done('Bob', 'msg_1@Ann.json')
    await expect(dream.settling.done('Bob', '1')).rejects.toMatchObject({ code: 'AMBIGUOUS_ID', exit: 4 })
    expect(await lines(completed)).toHaveLength(1)
  })

  it('a name that a sender uses again is another one in hand, so that a late repeat ends nothing', async () => {
    const { dream, put, names, lines } = openDream()
    for (const text of ['first', 'second']) {
      await put('runtime/Bob/inbox/work.json', message('Bob', text))
      await dream.claiming.take('Bob')
      if (text === 'first') await dream.settling.done('Bob', 'work.json', { attempt: 1 })
    }
    expect(await names('runtime/Bob/working')).toEqual(['work~2.json'])
    expect(await dream.settling.done('Bob', 'work.json', { attempt: 1 })).toMatchObject({ outcome: 'unchanged' })
    expect(await names('runtime/Bob/working')).toEqual(['work~2.json'])
    expect(await dream.settling.done('Bob', 'work~2.json', { attempt: 1 })).toMatchObject({ outcome: 'recorded' })
    expect(await lines(completed)).toHaveLength(2)
  })

  it('one in hand does not keep another of its name from being taken', async () => {
    const { dream, put, names, clock } = openDream()
    await put('runtime/Bob/inbox/work.json', message('Bob', 'first'))
    await dream.claiming.take('Bob')
    await put('runtime/Bob/inbox/work.json', message('Bob', 'second'))
    expect(await dream.claiming.take('Bob')).toMatchObject({ outcome: 'taken', message: { file: 'work~2.json' } })
    clock.advance(61 * 60_000)
    expect(await dream.claiming.take('Bob')).toMatchObject({ outcome: 'taken', attempt: 2 })
    expect(await names('runtime/Bob/working')).toHaveLength(1)
  })

  it('a task that was taken, or is done, is not delivered again when its sender repeats it', async () => {
    const { dream, names } = openDream()
    await dream.sending.send('Bob', task('t-1'))
    await dream.claiming.take('Bob')
    expect(await dream.sending.send('Bob', task('t-1'))).toMatchObject({
      outcome: 'unchanged',
      message: { state: 'working', path: 'runtime/Bob/working/task_t-1.json' },
    })
    await dream.settling.done('Bob', 't-1')
    expect(await dream.sending.send('Bob', task('t-1'))).toMatchObject({
      outcome: 'unchanged',
      message: { state: 'archive/inbox' },
    })
    expect(await names('runtime/Bob/inbox')).toEqual([])
  })

  verifies('X-key', 'nor one that its agent has taken and deleted; another of that id is delivered once', async () => {
    const { dream, names, tree } = openDream()
    await dream.sending.send('Bob', task('t-1'))
    await dream.claiming.take('Bob')
    await tree.remove('runtime/Bob/working/task_t-1.json' as never)
    expect(await dream.sending.send('Bob', task('t-1'))).toMatchObject({ outcome: 'unchanged', message: { id: 't-1' } })
    const other = task('t-1', { action: 'OTHER' })
    expect(await dream.sending.send('Bob', other)).toMatchObject({ outcome: 'sent' })
    await tree.remove('runtime/Bob/inbox/task_t-1~2.json' as never)
    expect(await dream.sending.send('Bob', other)).toMatchObject({ outcome: 'unchanged' })
    expect(await names('runtime/Bob/inbox')).toEqual([])
  })
})

describe('an outcome that is recorded already', () => {
  it('stays when another comes, which is a conflict; the same again changes nothing', async () => {
    const { dream, lines } = openDream()
    await dream.sending.send('Bob', task('t-1'))
    await dream.claiming.take('Bob')
    await dream.settling.done('Bob', 't-1', { output: { ok: true } })
    await expect(dream.settling.done('Bob', 't-1', { error: { code: 'E' } })).rejects.toMatchObject({
      code: 'OUTCOME_RECORDED',
      exit: 4,
    })
    expect(await dream.settling.done('Bob', 't-1', { output: { ok: true } })).toMatchObject({ outcome: 'unchanged' })
    expect(await lines('_agent_coordination/shared_mailboxes/completed_tasks.json')).toHaveLength(1)
  })
})

describe('the router', () => {
  it('[DO-2a][DO-2c] moves each message to its target; names of two senders do not collide', async () => {
    const { dream, put, names, read } = openDream()
    await put('runtime/Bob/inbox/.keep', '')
    for (const sender of ['Ann', 'Eve']) await put(`runtime/${sender}/outbox/msg_1.json`, message('Bob', sender))
    expect((await dream.router.route('S')).moved).toHaveLength(2)
    expect(await names('runtime/Bob/inbox')).toEqual(['.keep', 'msg_1@Ann.json', 'msg_1@Eve.json'])
    expect(await names('runtime/Ann/outbox')).toEqual([])
    await put('runtime/Ann/outbox/msg_1.json', message('Bob', 'again'))
    await dream.router.route('S')
    expect(await read('runtime/Bob/inbox/msg_1@Ann~2.json')).toContain('again')
    expect(await dream.router.route('S')).toMatchObject({ outcome: 'nothing' })
    expect(await dream.supervisor.show()).toMatchObject({
      agent_states: { S: { last_routed: '2026-01-01T12:00:00.000Z' } },
    })
  })

  it('[DO-2a][DO-2b] a broadcast reaches every other agent once, also when it was killed between two copies', async () => {
    const { dream, another, put, names, tree } = openDream()
    for (const agent of ['Bob', 'Eve', 'Joe']) await put(`runtime/${agent}/inbox/.keep`, '')
    await put('runtime/Ann/outbox/msg_all.json', message('broadcast'))
    await dream.router.route('S')
    const copies = async () =>
      (await Promise.all(['Ann', 'Bob', 'Eve', 'Joe'].map((one) => names(`runtime/${one}/inbox`))))
        .flat()
        .filter((one) => one !== '.keep')
    expect(await copies()).toHaveLength(3)
    expect(await names('runtime/Ann/archive/outbox')).toEqual(['msg_all.json'])
    // Killed after two copies: the original is still there, and one of the copies was taken.
    await tree.move('runtime/Ann/archive/outbox/msg_all.json' as never, 'runtime/Ann/outbox/msg_all.json' as never)
    await dream.claiming.take('Bob')
    await tree.remove(`runtime/Joe/inbox/${(await names('runtime/Joe/inbox')).find((one) => one !== '.keep')}` as never)
    await another().router.route('S')
    expect(await copies()).toHaveLength(2)
    expect(await names('runtime/Joe/inbox')).toHaveLength(2)
  })

  it('a message to nobody known stays, is reported, and is in doctor', async () => {
    const { dream, put, names } = openDream()
    await put('runtime/Ann/outbox/msg_1.json', message('Nobody'))
    await put('runtime/Ann/outbox/msg_2.json', { hello: 1 })
    await put('runtime/Ann/outbox/msg_3.json', 'x')
    expect(await dream.router.route('S')).toMatchObject({
      unroutable: [{ target: 'Nobody', reason: 'Nobody has ever seen this agent.' }, { target: 'unknown' }],
      unreadable: [{ path: 'runtime/Ann/outbox/msg_3.json' }],
    })
    expect(await names('runtime/Ann/outbox')).toHaveLength(3)
    expect((await dream.inspect()).map(({ code }) => code).sort()).toEqual([
      'UNREADABLE_MESSAGE',
      'UNROUTABLE_MESSAGE',
      'UNROUTABLE_MESSAGE',
    ])
  })
})

describe('names of agents', () => {
  it('only who has acted has been seen', async () => {
    const { dream } = openDream()
    await dream.sending.send('PlaningAgent', task('a'))
    await dream.claiming.take('PlanningAgent')
    const seen: string[] = []
    for await (const agent of dream.agents.seen()) seen.push(agent)
    expect(seen).toEqual(['PlanningAgent'])
  })

  it.each(['shared_mailboxes', '..', '', 'a/b', 'broadcast', 'task_list.json', 'x'.repeat(65), ' a'])(
    '%j is refused',
    async (name) => {
      const { dream } = openDream()
      await expect(dream.sending.send(name, task('a'))).rejects.toMatchObject({ code: 'INVALID_AGENT_ID', exit: 2 })
      await expect(dream.mailboxes.claim(name)).rejects.toMatchObject({ exit: 2 })
      await expect(dream.documents.reflect(name, 'x')).rejects.toMatchObject({ exit: 2 })
    },
  )

  it('one that differs from another by case is refused', async () => {
    const { dream } = openDream()
    await dream.sending.send('Bob', task('a'))
    await expect(dream.sending.send('bob', task('a'))).rejects.toMatchObject({ code: 'SAME_BUT_FOR_CASE', exit: 4 })
  })
})

/** What agents of Dream.OS do, and what must hold whenever they die doing it, or the disk fails. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { Dream } from '../../src/protocols/dream-os/store/dream.ts'
import { mailboxFile, shared } from '../support/dream.ts'
import { DreamFolder, openDreamFiles } from '../support/dream-files.ts'

export interface Verb {
  /** What a process of its own is told to do, which kills itself; without it, the act dies within the process of the test. */
  readonly child?: string
  prepare(dream: Dream, root: string): Promise<void>
  act(dream: Dream): Promise<unknown>
  /** What must hold after somebody else has come by; `wasTold`: the one that died had its answer. */
  check(folder: DreamFolder, wasTold: boolean): void
  /** What must hold once it was asked for again. */
  checkAgain?(folder: DreamFolder): void
}

const id = '4a9f1d3e-70f0-4d53-8f0c-2f6c2f7f0a11'
const task = (task_id: string, more: object = {}) => ({
  task_id,
  action: 'RUN',
  params: {},
  target_agent: 'Bob',
  status: 'PENDING',
  priority: 3,
  depends_on: [],
  ...more,
})
const event = (target_id: string) => ({ type: 'NOTE', source_id: 'Ann', target_id, data: { x: 1 } })

function put(root: string, path: string, value: unknown): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value))
}

/** A mailbox of Worker with one message. */
async function withMessage(dream: Dream, root: string, more: object = {}): Promise<void> {
  const message = {
    message_id: id,
    sender_agent_id: 'Agent_0',
    timestamp_dispatched: '2025-05-01T10:00:00Z',
    command: 'run',
    params: {},
    ...more,
  }
  put(root, mailboxFile(1), {
    status: 'offline',
    assigned_agent_id: null,
    last_seen_utc: null,
    messages: [message],
    processed_message_ids: [],
    kept: { '2': 1, '1': 2 },
  })
  await dream.mailboxes.claim('Worker')
}

const oneOf = (wasTold: boolean, before: number, after: number) => (wasTold ? [after] : [before, after])
const idsIn = (folder: DreamFolder): string[] =>
  folder.mailbox().messages.map((one: { message_id: string }) => one.message_id)
/** Of somebody else: those that we leave ourselves when we are killed are broken too. */
const isForeign = ({ details }: { details: { holder: string } }) => !details.holder.startsWith('signalbox')
const copiesOf = (folder: DreamFolder, agent: string) =>
  ['inbox', 'working', 'archive/inbox'].flatMap((one) => folder.names(`runtime/${agent}/${one}`))

/** What was fetched by somebody who lived to see it. */
const shown: unknown[] = []

export const verbs: Readonly<Record<string, Verb>> = {
  'mailbox send': {
    prepare: withMessage,
    act: (dream) => dream.messages.send({ mailbox: 1, from: 'Ann', command: 'more', params: {} }),
    check(folder, wasTold) {
      const ids = idsIn(folder)
      expect(new Set(ids).size).toBe(ids.length)
      expect(oneOf(wasTold, 1, 2)).toContain(ids.length)
      expect(ids[0]).toBe(id)
      expect(Object.keys(folder.mailbox()).at(-1)).toBe('kept')
    },
  },
  'mailbox next': {
    prepare: withMessage,
    act: (dream) => dream.messages.next(1, 'Worker', { resume: true }),
    check: (folder) => expect(idsIn(folder)).toEqual([id]),
    checkAgain: (folder) => expect(folder.mailbox().status).toBe('busy'),
  },
  'mailbox done': {
    async prepare(dream, root) {
      await withMessage(dream, root, { task_id: 't-1' })
      put(root, 'runtime/task_list.json', [task('t-1'), task('t-2', { depends_on: ['t-1'] })])
      await dream.messages.next(1, 'Worker')
    },
    act: (dream) => dream.messages.done(1, 'Worker', id, { error: { code: 'E' } }),
    check(folder, wasTold) {
      const lines = folder.completed()
      expect(oneOf(wasTold, 0, 1)).toContain(lines.length)
      expect(folder.mailbox().processed_message_ids).toEqual(lines.map(({ message_id }) => message_id))
      expect(folder.json('runtime/task_list.json')[0].status).toBe(lines.length === 1 ? 'FAILED' : 'PENDING')
      expect(folder.governance('TASK_FAILED')).toHaveLength(lines.length)
      expect(copiesOf(folder, 'TaskExecutorAgent')).toHaveLength(lines.length)
    },
    checkAgain(folder) {
      expect(folder.completed()).toHaveLength(1)
      expect(folder.mailbox().processed_message_ids).toEqual([id])
      expect(folder.json('runtime/task_list.json')[1].status).toBe('BLOCKED')
    },
  },
  'mailbox compact': {
    async prepare(dream, root) {
      await withMessage(dream, root)
      await dream.messages.next(1, 'Worker')
      await dream.messages.done(1, 'Worker', id)
    },
    act: (dream) => dream.messages.compact(1, 'Worker'),
    check(folder, wasTold) {
      const packed = folder.lines(`${shared}/archive/mailbox_1.jsonl`).map(({ message_id }) => message_id)
      expect(new Set([...packed, ...idsIn(folder)])).toEqual(new Set([id]))
      if (wasTold) expect(idsIn(folder)).toEqual([])
    },
    checkAgain(folder) {
      expect(folder.lines(`${shared}/archive/mailbox_1.jsonl`)).toHaveLength(1)
      expect(idsIn(folder)).toEqual([])
    },
  },
  'mailbox claim, from the dead': {
    async prepare(dream, root) {
      await withMessage(dream, root)
      put(root, mailboxFile(1), { ...new DreamFolder(root).mailbox(), last_seen_utc: '2025-05-01T10:00:00Z' })
    },
    act: (dream) => dream.mailboxes.claim('Heir'),
    check(folder, wasTold) {
      const isTaken = folder.mailbox().assigned_agent_id === 'Heir'
      if (wasTold) expect(isTaken).toBe(true)
      expect(folder.governance('MAILBOX_TAKEN_OVER')).toHaveLength(isTaken ? 1 : 0)
      expect(folder.notes('took mailbox')).toHaveLength(isTaken ? 1 : 0)
    },
    checkAgain: (folder) => expect(folder.governance('MAILBOX_TAKEN_OVER')).toHaveLength(1),
  },
  'mailbox send, over a lock that was left': {
    async prepare(dream, root) {
      await withMessage(dream, root)
      put(root, `${mailboxFile(1)}.lock`, '999999999')
    },
    act: (dream) => dream.messages.send({ mailbox: 1, from: 'Ann', command: 'more', params: {} }),
    check: (folder) => expect(folder.governance('LOCK_BROKEN').filter(isForeign)).toHaveLength(1),
    checkAgain: (folder) => expect(folder.governance('LOCK_BROKEN').filter(isForeign)).toHaveLength(1),
  },
  'mailbox send, overwritten': {
    async prepare(dream, root) {
      await withMessage(dream, root)
      const before = new DreamFolder(root).text(mailboxFile(1))
      const sender = await openDreamFiles(root)
      await sender.dream.messages.send({ mailbox: 1, from: 'Ann', command: 'lost', params: {} })
      await sender.close()
      put(root, mailboxFile(1), before)
    },
    act: (dream) => dream.router.route('S'),
    check(folder) {
      expect(idsIn(folder)).toHaveLength(2)
      expect(folder.governance('MESSAGE_RESENT')).toHaveLength(1)
    },
  },
  'task send': {
    prepare: async (dream) => void (await dream.claiming.take('Bob')),
    act: (dream) => dream.sending.send('Bob', task('t')),
    check: (folder, wasTold) => expect(oneOf(wasTold, 0, 1)).toContain(copiesOf(folder, 'Bob').length),
    checkAgain: (folder) => expect(copiesOf(folder, 'Bob')).toEqual(['task_t.json']),
  },
  'send under a key': {
    prepare: async (dream) => void (await dream.claiming.take('Bob')),
    act: (dream) => dream.sending.sendDraft({ from: 'Ann', to: 'Bob', text: 'Once' }, { key: 'k' }),
    check: (folder, wasTold) => expect(oneOf(wasTold, 0, 1)).toContain(copiesOf(folder, 'Bob').length),
    checkAgain: (folder) => expect(copiesOf(folder, 'Bob')).toHaveLength(1),
  },
  'task send, of one that its agent has deleted': {
    async prepare(dream, root) {
      await dream.sending.send('Bob', task('t'))
      await dream.claiming.take('Bob')
      rmSync(join(root, 'runtime/Bob/working/task_t.json'))
    },
    act: (dream) => dream.sending.send('Bob', task('t')),
    check: (folder) => expect(copiesOf(folder, 'Bob')).toEqual([]),
    checkAgain: (folder) => expect(copiesOf(folder, 'Bob')).toEqual([]),
  },
  'task take': {
    child: 'take',
    prepare: async (dream) => void (await dream.sending.send('Bob', task('t'))),
    act: (dream) => dream.claiming.take('Bob'),
    check(folder, wasTold) {
      expect(copiesOf(folder, 'Bob')).toEqual(['task_t.json'])
      if (wasTold) expect(folder.names('runtime/Bob/working')).toEqual(['task_t.json'])
    },
  },
  'give back': {
    async prepare(dream) {
      await dream.sending.send('Bob', task('t'))
      await dream.claiming.take('Bob')
    },
    async act(dream) {
      // Asked for again, it may be given back already.
      await dream.claiming.giveBack('Bob', 'task_t.json', 1).catch((error) => {
        if ((error as { code?: string }).code !== 'LOST_CLAIM') throw error
      })
    },
    check(folder, wasTold) {
      expect(copiesOf(folder, 'Bob')).toEqual(['task_t.json'])
      if (wasTold) expect(folder.names('runtime/Bob/inbox')).toEqual(['task_t.json'])
    },
    checkAgain: (folder) => expect(folder.names('runtime/Bob/inbox')).toEqual(['task_t.json']),
  },
  'task done': {
    async prepare(dream, root) {
      put(root, 'runtime/task_list.json', [task('t')])
      await dream.tasks.dispatch('S')
      await dream.claiming.take('Bob')
    },
    act: (dream) => dream.settling.done('Bob', 'task_t.json', { output: { ok: 1 } }),
    check(folder, wasTold) {
      const lines = folder.completed()
      expect(oneOf(wasTold, 0, 1)).toContain(lines.length)
      expect(copiesOf(folder, 'Bob')).toEqual(['task_t.json'])
      expect(folder.names('runtime/Bob/archive/inbox')).toHaveLength(lines.length)
      expect(folder.json('runtime/task_list.json')[0].status).toBe(lines.length === 1 ? 'COMPLETED' : 'IN_PROGRESS')
    },
    checkAgain(folder) {
      expect(folder.completed()).toHaveLength(1)
      expect(folder.names('runtime/Bob/archive/inbox')).toEqual(['task_t.json'])
    },
  },
  route: {
    child: 'route',
    async prepare(dream, root) {
      await dream.claiming.take('Bob')
      put(root, 'runtime/Ann/outbox/msg_1.json', event('Bob'))
    },
    act: (dream) => dream.router.route('S'),
    check(folder, wasTold) {
      const all = [...copiesOf(folder, 'Bob'), ...folder.names('runtime/Ann/outbox')]
      expect(all).toHaveLength(1)
      if (wasTold) expect(all).toEqual(['msg_1@Ann.json'])
    },
    checkAgain: (folder) => expect(copiesOf(folder, 'Bob')).toEqual(['msg_1@Ann.json']),
  },
  'route a broadcast': {
    async prepare(dream, root) {
      for (const agent of ['Bob', 'Eve']) await dream.claiming.take(agent)
      put(root, 'runtime/Ann/outbox/msg_1.json', event('broadcast'))
    },
    act: (dream) => dream.router.route('S'),
    check(folder) {
      for (const agent of ['Bob', 'Eve']) expect(copiesOf(folder, agent)).toHaveLength(1)
      expect(folder.names('runtime/Ann/archive/outbox')).toEqual(['msg_1.json'])
      expect(folder.names('runtime/Ann/outbox')).toEqual([])
    },
  },
  plan: {
    prepare: async (dream) => void (await dream.claiming.take('Bob')),
    act: (dream) => dream.planning.plan({ from: 'Ann', to: 'Bob', goal: 'Tidy up' }),
    check(folder, wasTold) {
      const { length } = folder.names('runtime/Bob/inbox')
      expect(oneOf(wasTold, 0, 1)).toContain(length)
      expect(folder.governance('PLAN_SENT')).toHaveLength(length)
      expect(folder.notes('asked Bob to plan')).toHaveLength(length)
    },
  },
  'answer a plan': {
    prepare: async (_, root) =>
      put(
        root,
        'runtime/task_list.json',
        '[{"task_id": "big", "action": "RUN", "params": {"n": 1.0}, "target_agent": "Bob", "status": "PENDING", "priority": 3, "depends_on": []}]',
      ),
    act: (dream) =>
      dream.planning.answer({
        plan: 'plan-1',
        planner: 'Bob',
        results: [task('a'), task('b', { depends_on: ['a', 'big'] })],
      }),
    check(folder, wasTold) {
      const ids = folder.json('runtime/task_list.json').map(({ task_id }: { task_id: string }) => task_id)
      expect([...(wasTold ? [] : ['big']), 'big,a,b']).toContain(ids.join())
      expect(folder.text('runtime/task_list.json')).toContain('{"n": 1.0}')
      expect(folder.governance('PLAN_JOINED')).toHaveLength(ids.length === 3 ? 1 : 0)
    },
    checkAgain(folder) {
      expect(folder.json('runtime/task_list.json')).toHaveLength(3)
      expect(folder.governance('PLAN_JOINED')).toHaveLength(1)
      expect(folder.notes('was joined')).toHaveLength(1)
    },
  },
  'answer a plan, badly': {
    prepare: async (dream) => void (await dream.claiming.take('Bob')),
    act: (dream) =>
      dream.planning.answer({ plan: 'plan-1', planner: 'Bob', results: [task('a', { depends_on: ['nothing'] })] }),
    check(folder, wasTold) {
      const { length } = folder.governance('PLAN_REFUSED')
      expect(oneOf(wasTold, 0, 1)).toContain(length)
      expect(copiesOf(folder, 'Bob')).toHaveLength(length)
    },
    checkAgain(folder) {
      expect(folder.governance('PLAN_REFUSED')).toHaveLength(1)
      expect(copiesOf(folder, 'Bob')).toHaveLength(1)
    },
  },
  'human approve': {
    async prepare(dream, root) {
      put(root, 'runtime/task_list.json', [task('a'), task('b', { depends_on: ['a'] })])
      await dream.tasks.dispatch('S')
      await dream.claiming.take('Bob')
      await dream.settling.done('Bob', 'task_a.json', { error: { code: 'E' } })
    },
    async act(dream) {
      for await (const { id } of dream.escalations.questions())
        await dream.escalations.answer({ id }, { verdict: 'approve', by: 'Boss' })
    },
    check(folder, wasTold) {
      const { length } = folder.governance('ESCALATION_ANSWERED')
      expect(oneOf(wasTold, 0, 1)).toContain(length)
      const statuses = folder.json('runtime/task_list.json').map(({ status }: { status: string }) => status)
      expect(statuses).toEqual(length === 1 ? ['PENDING', 'PENDING'] : ['FAILED', 'BLOCKED'])
      expect(folder.names('runtime/Bob/inbox')).toHaveLength(length)
      expect(folder.names('runtime/TaskExecutorAgent/inbox')).toHaveLength(1 - length)
    },
    checkAgain(folder) {
      expect(folder.governance('ESCALATION_ANSWERED')).toHaveLength(1)
      expect(folder.names('runtime/Bob/inbox')).toHaveLength(1)
      expect(folder.names('runtime/TaskExecutorAgent/archive/inbox')).toHaveLength(1)
    },
  },
  dispatch: {
    prepare: async (_, root) =>
      put(root, 'runtime/task_list.json', [
        task('a'),
        task('b', { target_agent: 'Eve' }),
        task('c', { depends_on: ['a'] }),
      ]),
    act: (dream) => dream.tasks.dispatch('S'),
    check(folder) {
      expect(copiesOf(folder, 'Bob').length).toBeLessThanOrEqual(1)
      expect(folder.names('runtime/Eve/inbox').length).toBeLessThanOrEqual(1)
      const list: { task_id: string; status: string }[] = folder.json('runtime/task_list.json')
      const handed = list.flatMap(({ task_id, status }) => (status === 'IN_PROGRESS' ? [task_id] : []))
      expect(folder.governance('TASKS_DISPATCHED').map(({ details }) => details.task_id)).toEqual(handed)
      expect([...copiesOf(folder, 'Bob'), ...copiesOf(folder, 'Eve')]).toHaveLength(handed.length)
      expect(folder.notes('dispatched')).toHaveLength(handed.length > 0 ? 1 : 0)
    },
    checkAgain(folder) {
      expect(folder.governance('TASKS_DISPATCHED').map(({ details }) => details.task_id)).toEqual(['a', 'b'])
      expect(folder.notes('dispatched')).toHaveLength(1)
      expect(copiesOf(folder, 'Bob')).toEqual(['task_a.json'])
      expect(folder.names('runtime/Eve/inbox')).toEqual(['task_b.json'])
      const statuses = folder.json('runtime/task_list.json').map(({ status }: { status: string }) => status)
      expect(statuses).toEqual(['IN_PROGRESS', 'IN_PROGRESS', 'PENDING'])
    },
  },
  stage: {
    async prepare(dream, root) {
      put(root, 'templates/a.j2', 'Prompt {{ n }}')
      await dream.prompts.stage('a', { n: 1 })
    },
    act: (dream) => dream.prompts.stage('a', { n: 2 }),
    check(folder, wasTold) {
      const now = folder.text('temp/cursor_input.txt')
      expect(wasTold ? ['Prompt 2'] : ['Prompt 1', 'Prompt 2']).toContain(now)
      const kept = folder.names('temp/archive').map((name) => folder.text(`temp/archive/${name}`))
      expect(kept.length).toBeLessThanOrEqual(1)
      if (now === 'Prompt 2') expect(kept).toEqual(['Prompt 1'])
    },
  },
  fetch: {
    child: 'fetch',
    prepare: async (_, root) => put(root, 'temp/cursor_output.json', event('Bob')),
    act: (dream) => dream.prompts.fetch({ dispatch: true }),
    check(folder, wasTold) {
      const here = folder.names('temp').filter((name) => name === 'cursor_output.json')
      const kept = folder.names('temp/archive')
      expect([...here, ...kept]).toHaveLength(1)
      expect(copiesOf(folder, 'Bob')).toHaveLength(kept.length)
      if (wasTold) expect(here).toEqual([])
    },
  },
  'fetch, to be shown': {
    async prepare(dream, root) {
      shown.length = 0
      put(root, 'templates/a.j2', 'Prompt {{ n }}')
      await dream.prompts.stage('a', { n: 1 })
      put(root, 'temp/cursor_output.json', { answer: 1 })
    },
    async act(dream) {
      const fetched = await dream.prompts.fetch({ untilHandedOut: true })
      if (fetched.outcome === 'nothing') return
      shown.push(fetched.response)
      await dream.prompts.handedOut(fetched.path)
    },
    check(folder, wasTold) {
      if (wasTold) expect(shown).toHaveLength(1)
      const here = folder.names('temp').filter((name) => name === 'cursor_output.json')
      expect([...here, ...folder.names('temp/archive')]).toHaveLength(1)
    },
    checkAgain(folder) {
      // Whoever died after it was shown and before that was noted leaves it to be shown again.
      expect([1, 2]).toContain(shown.length)
      expect(folder.names('temp')).not.toContain('cursor_output.json')
      expect(folder.names('temp/archive')).toEqual([expect.not.stringContaining('untold')])
    },
  },
}

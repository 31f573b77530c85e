/**
 * Something odd wherever Dream.OS expects a file or folder, and everything that can be asked for there: every error is one for
 * people, nothing outside the root changes, others keep flowing, `doctor` tells of it; and once it is gone, no message is lost.
 */
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { SignalboxError } from '../../src/kernel/errors.ts'
import type { Dream } from '../../src/protocols/dream-os/store/dream.ts'
import { noteNameOf } from '../../src/protocols/dream-os/store/notes.ts'
import { mailboxFile, shared } from '../support/dream.ts'
import { DreamFolder, openDreamFiles } from '../support/dream-files.ts'
import { describeOdd } from './describe-odd.ts'

const state = '.signalbox/state/delivery/dream'
const folders = [
  'runtime/Bob',
  'runtime/Bob/inbox',
  'runtime/Bob/outbox',
  'runtime/Bob/working',
  'runtime/Bob/archive/inbox',
  shared,
  'temp',
  'temp/archive',
  'templates',
  'analysis',
  '_agent_coordination/Bob/reflection',
  state,
  `${state}/finishing`,
  `${state}/journal`,
  `${state}/sent`,
  `${state}/staged`,
  `${state}/plans`,
  `${state}/dispatch`,
  `${state}/telling`,
  `${state}/outgoing`,
  `${state}/inbox`,
  `${state}/answers`,
  '.signalbox/state/presence/dream',
]
const files = [
  mailboxFile(1),
  `${mailboxFile(1)}.lock`,
  `${shared}/completed_tasks.json`,
  'governance_memory.jsonl',
  'runtime/task_list.json',
  'runtime/supervisor_state.json',
  'runtime/Bob/inbox/task_t.json',
  'runtime/Bob/outbox/msg_1.json',
  'temp/cursor_input.txt',
  'temp/cursor_output.json',
  'templates/a.j2',
  `${state}/mailbox_1.json`,
  `${state}/mailbox_1.processed.jsonl`,
  `${state}/journal/mailbox-1.json`,
  `${state}/journal/tasks.json`,
  `${state}/plans/${noteNameOf('plan-1')}`,
  `${state}/dispatch/${noteNameOf('a')}`,
]
/** Odd there, nobody can write anything. */
const needed = /^runtime$|shared_mailboxes$|delivery\/dream$|presence\/dream$/

const task = (task_id: string) => ({
  ...{ task_id, action: 'RUN', params: {}, target_agent: 'Bob', status: 'PENDING', priority: 3, depends_on: [] },
})

async function prepare(root: string): Promise<void> {
  const put = (path: string, value: unknown) => {
    fs.mkdirSync(dirname(join(root, path)), { recursive: true })
    fs.writeFileSync(join(root, path), typeof value === 'string' ? value : JSON.stringify(value))
  }
  fs.mkdirSync(root)
  const { dream, close } = await openDreamFiles(root)
  await dream.mailboxes.init(2)
  await dream.mailboxes.claim('Bob')
  await dream.messages.send({ mailbox: 1, from: 'Ann', command: 'first', params: {} })
  await dream.claiming.take('Eve')
  await dream.sending.send('Bob', task('t'))
  put('runtime/Bob/outbox/msg_1.json', { type: 'NOTE', source_id: 'Bob', target_id: 'Eve', data: {} })
  put('runtime/task_list.json', [task('a')])
  put('templates/a.j2', 'x')
  put('temp/cursor_output.json', { answer: 1 })
  await close()
}

/** All that can be asked for; each ends, and with nothing but an error for people. */
async function everything(dream: Dream, place: string): Promise<void> {
  const acts: Readonly<Record<string, () => Promise<unknown>>> = {
    mailboxes: () => dream.mailboxes.list(),
    claim: () => dream.mailboxes.claim('Bob'),
    send: () => dream.messages.send({ mailbox: 1, from: 'Ann', command: 'more', params: {} }),
    next: () => dream.messages.next(1, 'Bob'),
    heartbeat: () => dream.mailboxes.heartbeat(1, 'Bob'),
    compact: () => dream.messages.compact(1, 'Bob'),
    inbox: () => dream.inboxes.list('Bob'),
    'task send': () => dream.sending.send('Bob', task('more')),
    take: () => dream.claiming.take('Bob'),
    done: () => dream.settling.done('Bob', 'task_t.json', { error: {} }),
    plan: () => dream.planning.plan({ from: 'Ann', to: 'Bob', goal: 'x' }),
    answer: () => dream.planning.answer({ plan: 'plan-1', planner: 'Bob', results: [task('p')] }),
    tasks: () => dream.tasks.list(),
    dispatch: () => dream.tasks.dispatch('S'),
    route: () => dream.router.route('S'),
    stage: () => dream.prompts.stage('a', {}),
    fetch: () => dream.prompts.fetch(),
    reflect: () => dream.documents.reflect('Bob', 'x'),
    report: () => dream.documents.report('r', 'x'),
    state: () => dream.documents.setState('s', { a: 1 }),
    events: () => dream.logs.events(),
    completed: () => dream.logs.completed(),
    doctor: () => dream.inspect({ repair: true }),
  }
  for (const [name, act] of Object.entries(acts)) {
    await act().catch((error: unknown) => {
      expect(error, `${name} at ${place}: ${error instanceof Error ? error.stack : error}`).toBeInstanceOf(
        SignalboxError,
      )
      expect((error as SignalboxError).kind, `${name} at ${place}: ${error}`).not.toBe('Internal')
    })
  }
}

/** Somebody who has nothing to do with it. */
async function flows(dream: Dream): Promise<void> {
  expect(await dream.messages.send({ mailbox: 2, from: 'Ann', command: 'c', params: {} })).toMatchObject({
    outcome: 'sent',
  })
}

const settings = { lockWait: 0, settle: 0 }

describeOdd('Dream.OS', {
  folders,
  files,
  prepare,
  look: () => undefined,

  async meanwhile({ root, path, place }) {
    const { dream, tree } = await openDreamFiles(root, settings)
    const told = (await dream.inspect()).map((one) => one.path)
    expect(told, `doctor at ${place}`).toContainEqual(expect.stringContaining(path))
    if (!needed.test(path)) await flows(dream)
    await everything(dream, place)
    if (!needed.test(path)) await flows(dream)
    await tree.close()
  },

  async afterwards({ root, place }) {
    const { dream, close } = await openDreamFiles(root, settings)
    await dream.router.route('S')
    await dream.inspect({ repair: true })
    await flows(dream)
    await close()
    const commands = new DreamFolder(root).mailbox().messages.map(({ command }: { command: string }) => command)
    expect(commands, `afterwards, at ${place}`).toContain('first')
  },
})

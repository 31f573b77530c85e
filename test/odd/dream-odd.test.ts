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
  `${state}/telling/mailbox-1.json`,
  `${state}/telling/tasks.json`,
  `${state}/plans/${noteNameOf('plan-1')}`,
  `${state}/dispatch/${noteNameOf('a')}`,
]
/** Odd there, nobody can write anything. */
const needed = /^runtime$|shared_mailboxes$|delivery\/dream$|presence\/dream$|telling$/

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
  await dream.initMailboxes(2)
  await dream.claimMailbox('Bob')
  await dream.sendToMailbox({ mailbox: 1, from: 'Ann', command: 'first', params: {} })
  await dream.takeTask('Eve')
  await dream.sendTask('Bob', task('t'))
  put('runtime/Bob/outbox/msg_1.json', { type: 'NOTE', source_id: 'Bob', target_id: 'Eve', data: {} })
  put('runtime/task_list.json', [task('a')])
  put('templates/a.j2', 'x')
  put('temp/cursor_output.json', { answer: 1 })
  await close()
}

/** All that can be asked for; each ends, and with nothing but an error for people. */
async function everything(dream: Dream, place: string): Promise<void> {
  const acts: Readonly<Record<string, () => Promise<unknown>>> = {
    mailboxes: () => dream.mailboxes(),
    claim: () => dream.claimMailbox('Bob'),
    send: () => dream.sendToMailbox({ mailbox: 1, from: 'Ann', command: 'more', params: {} }),
    next: () => dream.nextMessage(1, 'Bob'),
    heartbeat: () => dream.heartbeat(1, 'Bob'),
    compact: () => dream.compactMailbox(1, 'Bob'),
    inbox: () => dream.inbox('Bob'),
    'task send': () => dream.sendTask('Bob', task('more')),
    take: () => dream.takeTask('Bob'),
    done: () => dream.doneTask('Bob', 'task_t.json', { error: {} }),
    plan: () => dream.plan({ from: 'Ann', to: 'Bob', goal: 'x' }),
    answer: () => dream.answerPlan({ plan: 'plan-1', planner: 'Bob', results: [task('p')] }),
    tasks: () => dream.tasks(),
    dispatch: () => dream.dispatch('S'),
    route: () => dream.route('S'),
    stage: () => dream.stage('a', {}),
    fetch: () => dream.fetch(),
    reflect: () => dream.reflect('Bob', 'x'),
    report: () => dream.report('r', 'x'),
    state: () => dream.setState('s', { a: 1 }),
    events: () => dream.events(),
    completed: () => dream.completed(),
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
  expect(await dream.sendToMailbox({ mailbox: 2, from: 'Ann', command: 'c', params: {} })).toMatchObject({
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
    await dream.route('S')
    await dream.inspect({ repair: true })
    await flows(dream)
    await close()
    const commands = new DreamFolder(root).mailbox().messages.map(({ command }: { command: string }) => command)
    expect(commands, `afterwards, at ${place}`).toContain('first')
  },
})

/** The inboxes of agents. */
import { invalidInput } from '../../kernel/errors.ts'
import { duration, json, text } from '../../kernel/field.ts'
import { actorOf, defineOperation } from '../define.ts'
import { durability, notices } from '../shapes.ts'
import {
  agent,
  agentFlag,
  compat,
  headerOf,
  openDream,
  outcomeFields,
  outcomeFrom,
  recipientCheck,
  withRecord,
} from './fields.ts'
import { header, recorded, recordedBefore, rejected } from './shapes.ts'

const sent = { message: header, durability, notices } as const

export const taskSend = defineOperation({
  name: 'send',
  summary: 'Put a task into the inbox of an agent.',
  more: 'A task or an event in JSON. It is filed under its own `task_id`; the same task twice is one.',
  input: {
    to: agentFlag,
    content: json('The task itself, in JSON; `-` is standard input.', {
      required: true,
      longText: 'standard-input',
      fileFlag: 'file',
      placeholder: 'JSON',
    }),
    compat,
  },
  outcomes: { sent: 'done', unchanged: 'done' },
  output: { sent, unchanged: sent },
  effects: 'writes',
  examples: [{ command: 'dream task send --to RefactorAgent --file task.json', does: 'hand somebody a task' }],

  async run(context, { to, content, compat }) {
    const store = await openDream(context, compat)
    const parsed = store.parse(Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)))
    if (parsed.outcome === 'malformed') {
      const [{ message, hint }] = parsed.problems
      throw invalidInput('BAD_TASK', `Not a task: ${message}`, { hint: hint ?? 'Write one JSON object.' })
    }
    const from = await actorOf(context)
    const notices = await recipientCheck(context)(to)
    const sent = await store.sending.send(to, parsed.message, from === undefined ? {} : { from })
    return { ...sent, message: headerOf(sent.message), notices }
  },
})

export const taskInbox = defineOperation({
  name: 'inbox',
  summary: 'List what waits for an agent, and what it has in hand.',
  input: { agent, compat },
  lists: { waiting: 'first', inHand: 'first', rejected: 'first' },
  outcomes: { listed: 'done' },
  output: { listed: { agent: 'text', waiting: [header], inHand: [header], rejected } },
  effects: 'reads',
  examples: [{ command: 'dream task inbox --as RefactorAgent', does: 'look' }],

  async run(context, { agent, compat }) {
    const { waiting, inHand, unreadable } = await (await openDream(context, compat)).inboxes.list(agent)
    return {
      outcome: 'listed',
      agent,
      waiting: waiting.map(headerOf),
      inHand: inHand.map(headerOf),
      rejected: unreadable,
    } as const
  },
})

export const taskTake = defineOperation({
  name: 'take',
  summary: 'Take the next file for an agent, the most urgent first.',
  more:
    'From its inbox, or straight from the outbox of somebody who sent it one. It is its own for an hour; then it waits again. ' +
    'Exit status 1 means that nothing waits.',
  input: {
    agent,
    id: text('Only this one: its id, or the name of its file.', { placeholder: 'ID' }),
    wait: duration('How long to wait for one to come.', { least: 0, placeholder: 'SECONDS' }),
    compat,
  },
  outcomes: { taken: 'done', nothing: 'nothing' },
  output: {
    taken: {
      message: { ...header, record: 'record' },
      attempt: 'integer',
      redelivered: 'flag',
      until: 'time',
      durability,
      notices,
      rejected,
    },
    nothing: { rejected },
  },
  effects: 'writes',
  examples: [{ command: 'dream task take --as RefactorAgent --wait 60', does: 'get work' }],

  async run(context, { agent, id, wait, compat }) {
    const { claiming } = await openDream(context, compat)
    const taken = await claiming.take(agent, { id, waitMs: wait, signal: context.signal })
    if (taken.outcome === 'nothing') return { outcome: taken.outcome, rejected: taken.unreadable }
    const { unreadable: rejected, notes: notices = [], ...rest } = taken
    return { ...rest, message: withRecord(taken.message), notices, rejected }
  },

  untold: (taken) =>
    taken.outcome === 'taken' ? `The answer was cut off. What it handed out is in ${taken.message.path}.` : undefined,
})

export const taskDone = defineOperation({
  name: 'done',
  summary: 'Record what came of a task, and put its file into the archive.',
  more:
    'Writes a line to `completed_tasks.json`, the status into the list of tasks, and tells the executor and whoever asked. The ' +
    'output that answers a plan is `{"results": […]}`.',
  input: {
    agent,
    file: text('The file: its name, or the id of the task.', {
      positional: true,
      required: true,
      placeholder: 'FILE',
      expected: 'the name of a file, such as task_task-001.json',
    }),
    ...outcomeFields,
    compat,
  },
  outcomes: { recorded: 'done', unchanged: 'done' },
  output: { recorded: { ...recorded, file: 'text' }, unchanged: { ...recordedBefore, file: 'text' } },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    {
      command: `dream task done --as RefactorAgent task_task-001.json --output '{"files_changed": 1}'`,
      does: 'it worked',
    },
    {
      command: `dream task done --as RefactorAgent task_task-001.json --error '{"code": "NotFound"}'`,
      does: 'it did not',
    },
  ],

  async run(context, { agent, file, compat, ...outcome }) {
    const store = await openDream(context, compat)
    return store.settling.done(agent, file, outcomeFrom(store, outcome))
  },
})

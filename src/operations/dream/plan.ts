/** From a goal to tasks, and what became of them. */
import { flag, text } from '../../kernel/field.ts'
import { defineOperation, whoActs } from '../define.ts'
import { durability, notices } from '../shapes.ts'
import { actorOr, agentFlag, compat, headerOf, openDream, recipientCheck, since } from './fields.ts'
import { header } from './shapes.ts'

export const dreamPlan = defineOperation({
  name: 'plan',
  summary: 'Ask a planning agent to break a goal down into tasks.',
  more:
    'Sends GENERATE_TASK_SEQUENCE; to `broadcast` it asks everybody, and the first valid answer counts. The answer comes by the ' +
    'outbox of the planner, by a mailbox or by `task done`, and is joined into the list of tasks.',
  input: {
    to: agentFlag,
    goal: text('What should be reached.', {
      required: true,
      placeholder: 'TEXT',
      longText: 'standard-input',
      expected: 'a goal, in a sentence',
    }),
    under: text('The task to expand into parts; it is done when they are.', { placeholder: 'TASK' }),
    compat,
  },
  outcomes: { sent: 'done' },
  output: { sent: { plan: 'text', sent: [header], durability, notices } },
  effects: 'writes',
  examples: [
    { command: 'dream plan --as Agent_0 --to PlanningAgent --goal "Remove unused code"', does: 'ask for a plan' },
    {
      command: 'dream plan --as Agent_0 --to PlanningAgent --goal "In small steps" --under task-001',
      does: 'expand a task',
    },
  ],

  async run(context, { to, goal, under, compat }) {
    const store = await openDream(context, compat)
    const notices = await recipientCheck(context)(to)
    const from = await whoActs(context)
    const planned = await store.planning.plan({ from, to, goal, ...(under === undefined ? {} : { under }) })
    const all = to === 'broadcast' ? planned.notices : notices
    return { ...planned, sent: planned.sent.map(headerOf), notices: all }
  },
})

const tasks = { tasks: ['record'], paths: ['text'], notices } as const

export const dreamTasks = defineOperation({
  name: 'tasks',
  summary: 'List the tasks, or those that may start, or hand those out.',
  more: 'Handing out puts each task that may start into the inbox of its agent, once, the most urgent first.',
  input: {
    runnable: flag('Only those that may start: all they depend on is completed.'),
    dispatch: flag('Hand out what may start.'),
    compat,
  },
  lists: { tasks: 'first', paths: 'first' },
  // `refused`: nothing but tasks for agents whom nobody has seen, where the settings are strict.
  outcomes: { listed: 'done', dispatched: 'done', nothing: 'done', refused: 'NotFound' },
  output: { listed: tasks, dispatched: tasks, nothing: tasks, refused: tasks },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    { command: 'dream tasks', does: 'look at all of them' },
    { command: 'dream tasks --dispatch', does: 'hand out what may start' },
  ],

  async run(context, { runnable, dispatch, compat }) {
    const store = await openDream(context, compat)
    if (dispatch) {
      const by = await actorOr(context, 'Supervisor')
      const check = recipientCheck(context)
      let isRefused = false
      const recipient = (agent: string) =>
        check(agent).catch((error: unknown) => {
          isRefused = true
          throw error
        })
      const { outcome: did, tasks, paths, problems, notices } = await store.tasks.dispatch(by, { recipient })
      const outcome = did === 'nothing' && isRefused ? 'refused' : did
      return { outcome, tasks, paths, notices: [...problems, ...notices] }
    }
    const { tasks, problems, notes } = await store.tasks.list({ runnable })
    return { outcome: 'listed', tasks, paths: [] as readonly string[], notices: [...problems, ...notes] } as const
  },
})

const outcomes = { completed: ['record'], notices } as const

export const dreamCompleted = defineOperation({
  name: 'completed',
  summary: 'List the outcomes of tasks.',
  input: {
    agent: text('Only of this agent.', { placeholder: 'AGENT' }),
    task: text('Only of this task.', { placeholder: 'ID' }),
    since,
  },
  lists: { completed: 'last' },
  outcomes: { listed: 'done', nothing: 'done' },
  output: { listed: outcomes, nothing: outcomes },
  effects: 'reads',
  examples: [{ command: 'dream completed --agent RefactorAgent', does: 'what it has done' }],

  async run(context, { agent, task, since }) {
    const store = await openDream(context)
    const from = store.given.timeFrom(since)
    const { events, unreadable } = await store.logs.completed({
      ...(agent === undefined ? {} : { agent }),
      ...(task === undefined ? {} : { task }),
      ...(from === undefined ? {} : { since: from }),
    })
    const notices =
      unreadable === 0
        ? []
        : [
            `${unreadable} line${unreadable === 1 ? '' : 's'} could not be read, and ${unreadable === 1 ? 'is' : 'are'} left out.`,
          ]
    return { outcome: events.length > 0 ? 'listed' : 'nothing', completed: events, notices } as const
  },
})

/** Tasks: delegating, reporting, retrying. Shared Agent Protocol §8, §12; what primers add is in README.md. */
import { SignalboxError } from '../../../kernel/errors.ts'
import { ring } from '../../../messaging/waiting/waiting.ts'
import { firstLine, itemsOf, knownAbout, lineNaming, mentions, reported } from '../knowledge.ts'
import { bellFolder } from '../layout.ts'
import { type Dependency, isAway, type Session, type Task } from '../record.ts'
import { Refusal } from '../refusal.ts'
import type { Priority } from '../schema.ts'
import {
  begun,
  circleWith,
  isNamed,
  newTask,
  runnable,
  stepped,
  taskMeant,
  waitsFor,
  withNewTask,
  withTask,
} from '../tasks.ts'
import { carrierFor, carry, handOver } from './handing-over.ts'
import { isOrchestrator } from './parts.ts'
import { type Ending, settleTask } from './settling.ts'
import { bullets, type CommandAnswer, type Handlers, line, notFound, type Speech, told } from './speech.ts'

/** Beyond this, the oldest completed tasks are dropped. */
const mostTasks = 1000
const mostDefinitions = 200

export const taskHandlers: Handlers = {
  async DELEGATE(speech) {
    const { parts, id, agent, given } = speech
    const { agent: to = '', task = '' } = given
    const priority = Number((given['P0-P3'] ?? 'P2').slice(1)) as Priority
    const via = await carrierFor(parts, to)
    const before = await (await import('./kept.ts')).beforeTask(speech, task, priority)
    const made = await parts.documents.change(id, { by: agent }, (session, at) => {
      const more = { agent: to, task, priority, by: agent, ...(via === undefined ? {} : { via }) }
      const one: Task = { ...newTask(session, at), ...more }
      const next = withRoom(withNewTask(session, one))
      const inbox = via === undefined ? { to: [to] } : {}
      const said = { did: 'DELEGATE', about: one.id, text: `P${priority} ${task}`, ...inbox }
      return { session: next, line: said, answer: { one, waits: waitsFor(next, one) } }
    })
    // An agent without a role finds the task in its inbox.
    await ring(parts.tree, bellFolder(id))
    return told(`ack:${made.one.id}`, ...(await handedOver(speech, made.one, made.waits)), ...before)
  },

  async RETRY(speech) {
    const { parts, id, agent, given } = speech
    const meant = taskMeant(speech.session, given.agent ?? '', given.task ?? '')
    const via = meant && (await carrierFor(parts, meant.agent))
    // What is on its way is sent again, and what comes of the first message does not count any more.
    if (meant?.state === 'in_progress' && isAway(meant))
      await carry(parts, id, { agents: [], isCarryingOnly: true, letGo: meant.id })
    const retried = await parts.documents.change(id, { by: agent }, (session, at) => {
      const found = taskMeant(session, given.agent ?? '', given.task ?? '')
      if (!found) return { answer: undefined }
      // A task that waits already is only handed over again. Its agent may be at home elsewhere since.
      const before = found.state === 'pending' ? found : stepped(found, 'retry', at)
      const { via: _, result: __, message: ___, ...again } = before
      const one: Task = via === undefined ? again : { ...again, via }
      const said = { did: 'RETRY', about: one.id, ...(via === undefined ? { to: [one.agent] } : {}) }
      return { session: withTask(session, one), line: said, answer: { one, waits: waitsFor(session, one) } }
    })
    if (!retried) return notFound
    await ring(parts.tree, bellFolder(id))
    const { one, waits } = retried
    return told(`ack:${one.id}`, ...(one.via === undefined ? [] : await handedOver(speech, one, waits)))
  },

  PROGRESS: noteProgress,
  DONE: (speech) => settle(speech, 'complete', speech.given.result ?? 'done', 'done'),
  FAIL: (speech) => settle(speech, 'fail', speech.given.reason ?? 'failed', 'failed'),

  async DEPENDS({ parts, id, agent, given }) {
    const { agent: other = '', task = '' } = given
    return parts.documents.change(id, { by: agent }, (session) => {
      const wanted = { by: agent, agent: other, task }
      const answer = told(`depends:${other}:${task}`)
      if (session.depends.some((one) => one.by === agent && one.agent === other && one.task === task)) return { answer }
      const circle = circleWith(session, wanted)
      if (circle)
        throw new Refusal('E002', `circle_${circle.join('_')}`, `That would be a circle: ${circle.join(' → ')}.`)
      const next = { ...session, depends: [...session.depends, wanted] }
      return { session: next, line: { did: 'DEPENDS', about: other, text: task }, answer }
    })
  },

  async NEXT(speech) {
    const { parts, agent, session } = speech
    const [next] = runnable(session, isOrchestrator(parts, agent) ? undefined : agent)
    return next ? line(speech, next.task, `${next.id} P${next.priority} ${next.agent} `) : notFound
  },

  async REPORT(speech) {
    const { given, session } = speech
    const { 'agent|all': agent = '', topic = '' } = given
    const items = reported(session, agent, topic).flatMap(itemsOf)
    const known = items.length > 0 || agent !== 'all' ? [] : knownAbout(session, topic)
    return bullets(speech, [...items, ...known.map(({ name, text }) => ({ name, text: firstLine(text) }))], topic)
  },

  async ASK(speech) {
    const topic = speech.given.topic ?? ''
    const known = knownAbout(speech.session, topic).map(({ name, text }) => `${firstLine(name)}: ${firstLine(text)}`)
    return bullets(speech, known, topic)
  },

  async EVALUATE(speech) {
    const metric = speech.given.metric ?? ''
    const [found] = knownAbout(speech.session, metric)
    if (!found) return notFound
    return line(speech, mentions(found.name, metric) ? found.text : lineNaming(found.text, metric))
  },

  async DEFINE(speech) {
    const { parts, id, agent, given, session } = speech
    const { term = '', text } = given
    if (text === undefined) {
      const found = session.definitions.find((one) => one.term === term)
      return found ? line(speech, found.text) : notFound
    }
    return parts.documents.change(id, { by: agent }, (now, at) => {
      const others = now.definitions.filter((one) => one.term !== term)
      if (others.length >= mostDefinitions)
        throw new Refusal('E003', `max_definitions_${mostDefinitions}`, 'There are too many definitions.')
      const definitions = [...others, { term, text, at, by: agent }]
      const line = { did: 'DEFINE', about: term, text }
      return { session: { ...now, definitions }, line, answer: told(`defined:${term}`) }
    })
  },

  async SUMMARY(speech) {
    const { session, given } = speech
    const { topic } = given
    const tasks = session.tasks.filter(
      ({ task, result }) => topic === undefined || mentions(task, topic) || mentions(result ?? '', topic),
    )
    if (tasks.length === 0) return notFound
    const words = tasks.map((task) => {
      if (task.state === 'pending') return waitsFor(session, task).length > 0 ? 'blocked' : 'waiting'
      return ({ completed: 'done', in_progress: 'running', failed: 'failed' } as const)[task.state]
    })
    const count = (word: string) => words.filter((one) => one === word).length
    // Done, running and blocked are always shown, the others only if there are some.
    const shown = ['done', 'running', 'blocked', ...['waiting', 'failed'].filter((word) => count(word) > 0)]
    return told(shown.map((word) => `${word} ${count(word)}`).join(', '))
  },

  async ESCALATE({ parts, id, agent, given }) {
    return parts.documents.change(id, { by: agent }, (session, at) => {
      const escalation = `esc_${String(session.escalations.length + 1).padStart(3, '0')}`
      const issue = given.issue ?? ''
      return {
        session: { ...session, escalations: [...session.escalations, { id: escalation, by: agent, at, issue }] },
        line: { did: 'ESCALATE', about: escalation, text: issue },
        answer: told(`escalated:${escalation}`),
      }
    })
  },

  async COORDINATE({ parts, id, agent, given }) {
    const agents = (given.agents ?? '').split(',')
    const answer = await parts.documents.change(id, { by: agent }, (session, at) => {
      const task = `coordinate ${agents.join(', ')}`
      const one = begun({ ...newTask(session, at), agent, task, priority: 2, by: agent }, at)
      return {
        session: withRoom(withNewTask(session, one)),
        line: { did: 'COORDINATE', about: one.id, text: task, to: agents },
        answer: told(`coordinating:${one.id}`),
      }
    })
    await ring(parts.tree, bellFolder(id))
    return answer
  },
}

/** Hands a task over and answers lines about it. The task is recorded in any case; `#RETRY` and `session work` try again. */
async function handedOver({ parts, id }: Speech, task: Task, waits: readonly Dependency[]): Promise<string[]> {
  if (task.via === undefined) return [`unassigned:${task.agent}`]
  if (waits.length > 0) return waits.map((one) => `waits_for:${one.agent}:${one.task}`)
  try {
    await handOver(parts, id, [task])
    const now = isAway(task) ? (await parts.documents.read(id))?.tasks.find((one) => one.id === task.id) : undefined
    if (now?.state === 'failed') return ['not_handed_over:REFUSED']
    return now?.state === 'pending' ? ['not_handed_over:NOT_NOW'] : []
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    return [`not_handed_over:${error.code}`]
  }
}

/** Records how far a task is; a task that waits is begun by that. */
async function noteProgress(speech: Speech): Promise<CommandAnswer> {
  const { parts, id, agent, given } = speech
  const { text = '' } = given
  return parts.documents.change(id, { by: agent }, (session, at) => {
    const found = ownTask(speech, session)
    if (!found) return { answer: notFound }
    const begunTask = found.state === 'pending' ? begun(found, at) : found
    if (begunTask.state !== 'in_progress')
      throw new Refusal('E002', `task_is_${begunTask.state}`, `${begunTask.id} is over.`)
    const task = { ...begunTask, progress: text, changedAt: at }
    const line = { did: 'PROGRESS', about: task.id, text }
    return { session: withTask(session, task), line, answer: told(`noted:${task.id}`) }
  })
}

async function settle(speech: Speech, step: Ending['step'], result: string, word: string): Promise<CommandAnswer> {
  const { parts, id, agent } = speech
  const task = await settleTask(parts, id, agent, (session) => ownTask(speech, session), { step, result })
  return task ? told(`${word}:${task.id}`) : notFound
}

/** The speaker's own task; for the orchestrator any agent's. */
function ownTask({ parts, agent, given }: Speech, session: Session): Task | undefined {
  const named = given.task ?? ''
  if (isOrchestrator(parts, agent)) return taskMeant(session, undefined, named)
  const own = taskMeant(session, agent, named)
  if (!own && session.tasks.some((task) => isNamed(task, undefined, named)))
    throw new Refusal('E005', 'not_your_task', 'Only its agent and the orchestrator can say that.')
  return own
}

function withRoom(session: Session): Session {
  const { tasks } = session
  const surplus = tasks.length - mostTasks
  if (surplus <= 0) return session
  // Dropping a task forgets its key, and a repeated send would make it again: so tasks with a key are dropped last.
  const done = tasks.filter(({ state }) => state === 'completed')
  const gone = new Set([...done.filter(({ key }) => !key), ...done.filter(({ key }) => key)].slice(0, surplus))
  if (gone.size < surplus) throw new Refusal('E003', `max_tasks_${mostTasks}`, 'Finish some tasks first.')
  return { ...session, tasks: tasks.filter((task) => !gone.has(task)) }
}

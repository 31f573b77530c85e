/**
 * Sessions in neutral words. A message is a task: it is sent by delegating, taken by starting on it, and done with its result.
 * What is broadcast or said directly is part of a conversation, and stays in the session's own inbox. A place is a session.
 */

import { isoTime } from '../../../kernel/clock.ts'
import type { Envelope } from '../../../kernel/envelope.ts'
import { conflict, notFound } from '../../../kernel/errors.ts'
import { isMeant } from '../../../kernel/short-id.ts'
import { ring } from '../../../messaging/waiting/bell.ts'
import { waitFor } from '../../../messaging/waiting/wait.ts'
import {
  type Answer,
  type Answered,
  changedSince,
  type Draft,
  digestOf,
  expectAnswerable,
  expectNoOwnId,
  type Filter,
  type InspectionOptions,
  type Message,
  type Neutral,
  type Question,
  type Receipt,
  type Sent,
  type Settled,
  type Taken,
  type TakeOptions,
} from '../../contract.ts'
import { agentName, bellFolder, documentPath, isAgentName, type SessionId, sessionId, sessionPath } from '../layout.ts'
import type { Escalation, Session, Task } from '../record.ts'
import type { Priority } from '../schema.ts'
import { runnable, stepped, taskIdOf, withTask } from '../tasks.ts'
import { currentSession, readableSessions } from './overview.ts'
import type { SessionParts } from './parts.ts'
import type { Sessions } from './sessions.ts'
import { asResult } from './tasks.ts'
import { envelopeOf, messageIdOf } from './view.ts'

/** As `index.ts` has it. */
const named = { title: 'Shared Agent Protocol' }

/** A person says what is to be done; there is nothing to approve. */
const answers = ['answer'] as const

const priorities: Readonly<Record<NonNullable<Draft['urgency']>, Priority>> = { high: 0, normal: 2, low: 3 }

export class SessionNeutral implements Neutral {
  readonly #sessions: Sessions
  readonly #parts: SessionParts

  constructor(sessions: Sessions, parts: SessionParts) {
    this.#sessions = sessions
    this.#parts = parts
  }

  async *seen({ place }: { readonly place?: string } = {}): AsyncGenerator<string> {
    const seen = new Set<string>()
    for await (const session of this.#all(place)) {
      const spoken = [
        ...session.log.map(({ by }) => by),
        ...session.tasks.flatMap(({ by, agent, attempts }) => (attempts > 0 ? [by, agent] : [by])),
        ...session.read.map(([agent]) => agent),
        ...session.channels.flatMap(({ agents }) => agents),
      ]
      const isNew = (agent: string) => isAgentName(agent) && !seen.has(agent) && seen.add(agent) !== undefined
      for (const agent of spoken) if (isNew(agent)) yield agent
      // Older lines are in pages, which are read only when somebody wants to know of more.
      const first = session.log[0]?.n ?? session.changes + 1
      if (first > 1)
        for (const { by } of await this.#parts.documents.log(sessionId(session.id))) if (isNew(by)) yield by
    }
  }

  async *waitingFor(
    agent: string,
    { limit = Number.POSITIVE_INFINITY }: { readonly limit?: number } = {},
  ): AsyncGenerator<Message> {
    let count = 0
    for (const { session, task } of await this.#waiting(agent, undefined)) {
      if (count++ >= limit) return
      yield this.#message(session.id, task)
    }
  }

  async *find(id: string): AsyncGenerator<Message> {
    for await (const session of this.#all(undefined)) {
      for (const task of session.tasks)
        if (isMeant(id, messageIdOf(session.id, task))) yield this.#message(session.id, task)
      for (const one of session.escalations) {
        if (!isMeant(id, messageIdOf(session.id, one))) continue
        yield { envelope: escalationEnvelope(sessionId(session.id), one), text: async () => one.issue }
      }
    }
  }

  async *messages({ place, from, to, states, limit = Number.POSITIVE_INFINITY }: Filter = {}): AsyncGenerator<Message> {
    let count = 0
    for await (const session of this.#all(place)) {
      for (const task of session.tasks) {
        if ((from ?? task.by) !== task.by || (to ?? task.agent) !== task.agent) continue
        if (states && !states.includes(task.state)) continue
        if (count++ >= limit) return
        yield this.#message(session.id, task)
      }
    }
  }

  inspect(options: InspectionOptions) {
    return this.#sessions.inspect(options)
  }

  async send({ from, to, text, summary, place, id, urgency = 'normal' }: Draft): Promise<Sent> {
    expectNoOwnId(named, id)
    const session = await this.#placeOf(place, from)
    const [by, agent] = [agentName(from), agentName(to)]
    const task = await this.#parts.documents.change(session, { by }, (now, at) => {
      const lastTask = now.lastTask + 1
      const made: Task = {
        id: taskIdOf(lastTask),
        agent,
        task: text,
        priority: priorities[urgency],
        state: 'pending',
        by,
        at,
        changedAt: at,
        attempts: 0,
        ...(summary === undefined ? {} : { summary }),
      }
      const line = { did: 'DELEGATE', about: made.id, text: summary ?? text.slice(0, 400), to: [agent] }
      return { did: { session: { ...now, lastTask, tasks: [...now.tasks, made] }, line }, answer: made }
    })
    await ring(this.#parts.tree, bellFolder(session))
    return { outcome: 'sent', message: envelopeOf(session, task), durability: 'process', notices: [] }
  }

  async take(agent: string, { place, id, waitMs = 0 }: TakeOptions = {}): Promise<Taken> {
    const reader = agentName(agent)
    const attempt = () => this.#takeOne(reader, place, id)
    if (waitMs <= 0) return (await attempt()) ?? { outcome: 'nothing' }
    const session = await this.#placeOf(place, reader)
    return (await waitFor(this.#parts.tree, [sessionPath(session)], attempt, { waitMs })) ?? { outcome: 'nothing' }
  }

  async done(receipt: Receipt, { text }: { readonly text?: string } = {}): Promise<Settled> {
    return this.#settle(receipt, 'complete', text ?? 'done')
  }

  async failed(receipt: Receipt, { reason }: { readonly reason: string }): Promise<Settled> {
    return this.#settle(receipt, 'fail', reason)
  }

  async *questions(): AsyncGenerator<Question> {
    const open: { readonly session: string; readonly one: Escalation }[] = []
    for await (const { id, escalations } of this.#all(undefined)) {
      for (const one of escalations) if (one.answer === undefined) open.push({ session: id, one })
    }
    for (const { session, one } of open.sort((a, b) => a.one.at - b.one.at)) {
      yield {
        id: messageIdOf(session, one),
        place: session,
        kind: 'escalation',
        from: one.by,
        summary: one.issue.slice(0, 120),
        text: one.issue,
        digest: digestOf(session, one.id, one.issue),
        options: [],
        answers,
        why: `${one.by} escalated it in session ${session}`,
        askedAt: isoTime(one.at),
        facts: [['session', session]],
        details: { session, escalation: one.id },
      }
    }
  }

  async answer({ id }: Pick<Question, 'id' | 'place'>, { verdict, by, text, digest }: Answer): Promise<Answered> {
    const [name = '', escalation = ''] = id.split(/:(?=[^:]*$)/)
    const session = sessionId(name)
    const found = (await this.#parts.documents.read(session))?.escalations.find((one) => one.id === escalation)
    if (!found) throw noSuchMessage(id)
    expectAnswerable({ id, answers }, verdict)
    if (digest !== undefined && digest !== digestOf(session, found.id, found.issue)) throw changedSince(id)
    const answer = text ?? verdict
    const { one, isNew } = await this.#parts.documents.change(
      session,
      { by: agentName(by), startsIt: false },
      (now, at) => {
        const before = now.escalations.find((other) => other.id === escalation)!
        if (before.answer !== undefined) return { did: undefined, answer: { one: before, isNew: false } }
        const answered = { ...before, answer, answeredBy: by, answeredAt: at }
        const escalations = now.escalations.map((other) => (other.id === escalation ? answered : other))
        const line = { did: 'ANSWER', about: escalation, text: answer, to: [before.by] }
        return { did: { session: { ...now, escalations }, line }, answer: { one: answered, isNew: true } }
      },
    )
    if (!isNew && one.answer !== answer)
      throw conflict('ALREADY_ANSWERED', `${one.answeredBy} has answered it: ${one.answer}`, {
        hint: 'Nothing is left to do.',
      })
    await ring(this.#parts.tree, bellFolder(session))
    return {
      outcome: isNew ? 'answered' : 'unchanged',
      message: escalationEnvelope(session, one),
      details: { session },
    }
  }

  async #takeOne(agent: string, place: string | undefined, id: string | undefined): Promise<Taken | undefined> {
    for (const { session, task } of await this.#waiting(agent, place)) {
      if (id !== undefined && messageIdOf(session.id, task) !== id) continue
      const taken = await this.#parts.documents.change(session.id as SessionId, { by: agent }, (now, at) => {
        const found = now.tasks.find((one) => one.id === task.id)
        if (found?.state !== 'pending') return { did: undefined, answer: undefined }
        const begun = stepped(found, 'start', at, { attempts: found.attempts + 1 })
        return { did: { session: withTask(now, begun), line: { did: 'start task', about: begun.id } }, answer: begun }
      })
      if (!taken) continue
      const receipt = { id: messageIdOf(session.id, taken), agent, place: session.id, attempt: taken.attempts }
      return { outcome: 'taken', message: this.#message(session.id, taken), receipt, durability: 'process' }
    }
    return undefined
  }

  async #settle({ id, agent, attempt }: Receipt, step: 'complete' | 'fail', result: string): Promise<Settled> {
    const [name = '', taskId = ''] = id.split(/:(?=[^:]*$)/)
    const session = await this.#known(name, id)
    const settled = await this.#parts.documents.change(
      session,
      { by: agentName(agent), startsIt: false },
      (now, at) => {
        const found = now.tasks.find((one) => one.id === taskId)
        if (!found) throw noSuchMessage(id)
        if (attempt !== undefined && found.attempts !== attempt)
          throw conflict('LOST_CLAIM', `${id} was handed out again.`, {
            hint: 'Take it again, if it is still waiting.',
          })
        const isOver = found.state === 'completed' || found.state === 'failed'
        if (isOver) return { did: undefined, answer: { task: found, isNew: false } }
        const task = stepped(found, step, at, { result: asResult(result) })
        const line = {
          did: step === 'complete' ? 'DONE' : 'FAIL',
          about: taskId,
          text: asResult(result),
          to: [task.by],
        }
        return { did: { session: withTask(now, task), line }, answer: { task, isNew: true } }
      },
    )
    if (settled.isNew) await ring(this.#parts.tree, bellFolder(session))
    const message = envelopeOf(session, settled.task)
    return { outcome: settled.isNew ? 'settled' : 'unchanged', message, durability: 'process' }
  }

  async #known(name: string, id: string): Promise<SessionId> {
    if (!/^[A-Za-z0-9]/.test(name) || !(await this.#parts.tree.look(documentPath(sessionId(name)))))
      throw noSuchMessage(id)
    return sessionId(name)
  }

  /** What an agent could start on, in all sessions or in one, the most urgent first. */
  async #waiting(agent: string, place: string | undefined) {
    const found: { readonly session: Session; readonly task: Task }[] = []
    for await (const session of this.#all(place))
      for (const task of runnable(session, agent)) found.push({ session, task })
    return found.sort((a, b) => a.task.priority - b.task.priority || a.task.at - b.task.at)
  }

  async *#all(place: string | undefined): AsyncGenerator<Session> {
    for await (const session of readableSessions(this.#parts))
      if (place === undefined || session.id === place) yield session
  }

  async #placeOf(place: string | undefined, agent: string): Promise<SessionId> {
    if (place !== undefined) return sessionId(place)
    const current = await currentSession(this.#parts)
    return current ?? sessionId((await this.#sessions.start(undefined, { agent })).session)
  }

  #message(session: string, task: Task): Message {
    const text = async () => {
      const now = await this.#parts.documents.read(sessionId(session))
      return now?.tasks.find(({ id }) => id === task.id)?.task
    }
    return { envelope: envelopeOf(session, task), text }
  }
}

const escalationEnvelope = (session: SessionId, { id, by, at, issue, answer, answeredBy }: Escalation): Envelope => ({
  protocol: 'session',
  id: messageIdOf(session, { id }),
  from: by,
  to: answeredBy ?? 'human',
  state: answer === undefined ? 'asked' : 'answered',
  path: documentPath(session),
  summary: issue.slice(0, 120),
  createdAt: isoTime(at),
  place: session,
})

const noSuchMessage = (id: string) =>
  notFound('NO_SUCH_MESSAGE', `No session has a message ${JSON.stringify(id.slice(0, 80))}.`, {
    hint: 'See what there is: signalbox session list',
    details: { id: id.slice(0, 400) },
  })

/** Sessions in neutral words. A message is a task, or what was told to an agent; a place is a session. */
import { digestOf } from '../../../formats/digest.ts'
import { isoTime } from '../../../kernel/clock.ts'
import { conflict, notFound } from '../../../kernel/errors.ts'
import { isMeant } from '../../../kernel/short-id.ts'
import { ring } from '../../../messaging/waiting/waiting.ts'
import type { Question, Receipt } from '../../contract.ts'
import { type Answer, type Answered, changedSince, expectAnswerable, type Neutral } from '../../contract.ts'
import { neutralOf, type SettledView, type Source } from '../../neutral.ts'
import { lift, messageIdOf, messageOf, type SessionMessage, textOf } from '../envelope.ts'
import {
  agentName,
  bellFolder,
  documentPath,
  type SessionId,
  sessionId,
  sessionPath,
  sessionsFolder,
} from '../layout.ts'
import { taskStages } from '../lifecycle.ts'
import { isAgentName } from '../names.ts'
import type { Escalation } from '../record.ts'
import { messageFor, messagesIn } from '../tasks.ts'
import { seenAgents } from './agents.ts'
import { take, waitingTasks } from './claiming.ts'
import { currentSession, readableSessions, sessionNames } from './overview.ts'
import type { SessionParts } from './parts.ts'
import { send } from './sending.ts'
import type { Sessions } from './sessions.ts'
import { type Ending, noteProgress, release, type SettledTask, settle } from './settling.ts'

/** As `index.ts` has it. */
const protocol = { name: 'session', title: 'Shared Agent Protocol' }

/** A person says what is to be done; there is nothing to approve. */
const answers = ['answer'] as const

export function neutral(sessions: Sessions, parts: SessionParts): Neutral {
  const placeOf = async (place: string | undefined, agent: string): Promise<SessionId> => {
    if (place !== undefined) return sessionId(place)
    const current = await currentSession(parts)
    return current ?? sessionId((await sessions.start(undefined, { agent })).session)
  }
  const settling = async (receipt: Receipt, ending: Ending) => {
    const [session, task] = await partsOf(parts, receipt.id)
    return settledView(receipt, session, await settle(parts, session, receipt, task, ending))
  }
  const source: Source<SessionMessage> = {
    protocol,
    tree: parts.tree,
    hasPlaces: true,
    isAgentName,
    stages: taskStages,
    lift,
    async text({ place, record }) {
      const now = await parts.documents.read(sessionId(place))
      const found = now && [...messagesIn(now), ...now.escalations].find(({ id }) => id === record.id)
      return found && textOf(found)
    },
    seen: ({ place }) => seenAgents(parts, place),
    async *waiting(agent) {
      for (const { session, task } of await waitingTasks(parts, agent)) yield messageOf(session.id, task)
    },
    async *each({ place }) {
      for await (const session of readableSessions(parts, place))
        for (const task of messagesIn(session)) yield messageOf(session.id, task)
    },
    async *find(wanted) {
      for await (const session of readableSessions(parts))
        for (const record of [...messagesIn(session), ...session.escalations])
          if (isMeant(wanted, messageIdOf(session.id, record))) yield messageOf(session.id, record)
    },
    watched: async () => [sessionsFolder, ...(await sessionNames(parts)).map(sessionPath)],

    async send(draft, { key }) {
      await parts.acted(draft.from)
      const { outcome, session, task } = await send(parts, await placeOf(draft.place, draft.from), draft, key)
      return { outcome, message: messageOf(session, task), durability: 'process', notices: [] }
    },
    async take(agent, options) {
      await parts.acted(agent)
      return take(parts, agent, options, () => placeOf(options.place, agent))
    },
    async release(receipt) {
      const [session, task] = await partsOf(parts, receipt.id)
      return settledView(receipt, session, await release(parts, session, receipt, task))
    },
    done: (receipt, { text = 'done' }) => settling(receipt, { step: 'complete', result: text }),
    failed: (receipt, { reason }) => settling(receipt, { step: 'fail', result: reason }),
  }
  return neutralOf(source, {
    inspect: (options) => sessions.inspect(options),
    async outcomeOf(id, { to }) {
      const [session, task] = await partsOf(parts, id)
      const now = await parts.documents.read(session)
      const found = now && messageFor(now, task, to)
      const isOver = found?.state === 'completed' || found?.state === 'failed'
      return isOver ? { state: found.state, text: found.result ?? found.state } : undefined
    },
    async progressOf(id) {
      const [session, task] = await partsOf(parts, id)
      const found = (await parts.documents.read(session))?.tasks.find((one) => one.id === task)
      return found?.progress === undefined ? undefined : { text: found.progress }
    },
    /** That it has begun its state says already. */
    async progressed(receipt, { text }) {
      const [session, task] = await partsOf(parts, receipt.id)
      if (text !== undefined) await noteProgress(parts, session, receipt, task, text)
    },
    questions: () => questions(parts),
    answer: ({ id }, answer) => answerOne(parts, id, answer),
  })
}

function settledView(
  { id }: Receipt,
  session: SessionId,
  settled: SettledTask | undefined,
): SettledView<SessionMessage> {
  if (!settled) throw noSuchMessage(id)
  return { outcome: settled.outcome, message: messageOf(session, settled.task), durability: 'process' }
}

/** The session and what is left of the id of a message. */
async function partsOf({ tree }: SessionParts, id: string): Promise<readonly [session: SessionId, record: string]> {
  const [name = '', record = ''] = id.split(/:(?=[^:]*$)/)
  if (!/^[A-Za-z0-9]/.test(name) || !(await tree.look(documentPath(sessionId(name))))) throw noSuchMessage(id)
  return [sessionId(name), record]
}

async function* questions(parts: SessionParts): AsyncGenerator<Question> {
  const open: { readonly session: string; readonly one: Escalation }[] = []
  for await (const { id, escalations } of readableSessions(parts))
    for (const one of escalations) if (one.answer === undefined) open.push({ session: id, one })
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

async function answerOne(parts: SessionParts, id: string, { verdict, by, text, digest }: Answer): Promise<Answered> {
  const [session, escalation] = await partsOf(parts, id)
  const found = (await parts.documents.read(session))?.escalations.find((one) => one.id === escalation)
  if (!found) throw noSuchMessage(id)
  expectAnswerable({ id, answers }, verdict)
  if (digest !== undefined && digest !== digestOf(session, found.id, found.issue)) throw changedSince(id)
  const answer = text ?? verdict
  const { one, isNew } = await parts.documents.change(session, { by: agentName(by), startsIt: false }, (now, at) => {
    const before = now.escalations.find((other) => other.id === escalation)!
    if (before.answer !== undefined) return { answer: { one: before, isNew: false } }
    const answered = { ...before, answer, answeredBy: by, answeredAt: at }
    const escalations = now.escalations.map((other) => (other.id === escalation ? answered : other))
    const line = { did: 'ANSWER', about: escalation, text: answer, to: [before.by] }
    return { session: { ...now, escalations }, line, answer: { one: answered, isNew: true } }
  })
  if (!isNew && one.answer !== answer)
    throw conflict('ALREADY_ANSWERED', `${one.answeredBy} has answered it: ${one.answer}`, {
      hint: 'Nothing is left to do.',
    })
  await ring(parts.tree, bellFolder(session))
  return { outcome: isNew ? 'answered' : 'unchanged', message: lift(messageOf(session, one)), details: { session } }
}

const noSuchMessage = (id: string) =>
  notFound('NO_SUCH_MESSAGE', `No session has a message ${JSON.stringify(id.slice(0, 80))}.`, {
    hint: 'See what there is: signalbox session list',
    details: { id: id.slice(0, 400) },
  })

/** Sessions in neutral words. A message is a task, or what an agent was told; a place is a session. */
import { digestOf } from '../../../formats/digest.ts'
import { call } from '../../../kernel/call.ts'
import { isoTime } from '../../../kernel/clock.ts'
import { conflict, notFound } from '../../../kernel/errors.ts'
import { isMeant } from '../../../kernel/short-id.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import { ring } from '../../../messaging/waiting/waiting.ts'
import type { Question, Receipt } from '../../contract.ts'
import { type Answer, type Answered, changedSince, expectAnswerable, type Neutral } from '../../contract.ts'
import { neutralOf, type SettledView, type Source } from '../../neutral.ts'
import { lift, messageIdOf, messageOf, type SessionMessage, textOf, toldNumber } from '../envelope.ts'
import {
  agentName,
  bellFolder,
  documentPath,
  type SessionId,
  sessionId,
  sessionPath,
  sessionsFolder,
} from '../layout.ts'
import { escalationStages, taskStages } from '../lifecycle.ts'
import { toldStages } from '../mailboxes.ts'
import { isAgentName } from '../names.ts'
import type { Escalation } from '../record.ts'
import { seenAgents } from './agents.ts'
import { take, waitingIn } from './claiming.ts'
import { currentSession, readableSessions, sessionNames } from './overview.ts'
import type { SessionParts } from './parts.ts'
import { send } from './sending.ts'
import type { Sessions } from './sessions.ts'
import { type Ending, noteProgress, release, type SettledTask, settle } from './settling.ts'
import { everyTold, findTold, outcomeOfTold, releaseTold, type SettledTold, settleTold } from './told.ts'

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
  const settling = async (receipt: Receipt, step: Ending['step'], text: string | undefined) => {
    const [session, record] = await partsOf(parts, receipt.id)
    const n = toldNumber(record)
    const settled =
      n === undefined
        ? settle(parts, session, receipt, record, { step, result: text ?? 'done' })
        : settleTold(parts, session, receipt, n, text)
    return settledView(receipt, session, await settled)
  }
  const source: Source<SessionMessage> = {
    protocol,
    tree: parts.tree,
    hasPlaces: true,
    isAgentName,
    stages: { ...taskStages, ...escalationStages, ...toldStages },
    lift,
    // What was said does not change while its session is there.
    text: async ({ path, record }) => ((await parts.tree.look(treePath(path))) ? textOf(record) : undefined),
    seen: ({ place }) => seenAgents(parts, place),
    async *waiting(agent) {
      for (const { message } of await waitingIn(parts, agent)) yield message
    },
    async *each({ place, archived }) {
      for await (const session of readableSessions(parts, place)) {
        const { id, tasks, escalations } = session
        for (const record of [...tasks, ...escalations]) yield messageOf(id, record)
        for (const told of await everyTold(parts, session, archived)) yield messageOf(id, told)
      }
    },
    async *find(wanted) {
      for await (const session of readableSessions(parts)) {
        const { id, tasks, escalations } = session
        for (const record of [...tasks, ...escalations])
          if (isMeant(wanted, messageIdOf(id, record))) yield messageOf(id, record)
        for (const told of await findTold(parts, session, wanted)) yield messageOf(id, told)
      }
    },
    watched: async () => [sessionsFolder, ...(await sessionNames(parts)).map(sessionPath)],

    async send(draft, { key }) {
      await parts.acted(draft.from)
      const sent = await send(parts, await placeOf(draft.place, draft.from), draft, key)
      return { ...sent, durability: 'process', notices: [] }
    },
    async take(agent, options) {
      await parts.acted(agent)
      return take(parts, agent, options, () => placeOf(options.place, agent))
    },
    async release(receipt) {
      const [session, record] = await partsOf(parts, receipt.id)
      const n = toldNumber(record)
      const released =
        n === undefined ? release(parts, session, receipt, record) : releaseTold(parts, session, receipt, n)
      return settledView(receipt, session, await released)
    },
    done: (receipt, { text }) => settling(receipt, 'complete', text),
    failed: (receipt, { reason }) => settling(receipt, 'fail', reason),
  }
  return neutralOf(source, {
    inspect: (options) => sessions.inspect(options),
    async homes() {
      const { roles } = await parts.roles()
      return roles.flatMap(({ name, via: protocol, place, to: called = name }) =>
        protocol === undefined ? [] : [{ name, home: { protocol, ...(place === undefined ? {} : { place }) }, called }],
      )
    },
    async outcomeOf(id) {
      const [session, task] = await partsOf(parts, id)
      const n = toldNumber(task)
      if (n !== undefined) return outcomeOfTold(parts, session, n)
      const found = (await parts.documents.read(session))?.tasks.find((one) => one.id === task)
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
  settled: SettledTask | SettledTold | undefined,
): SettledView<SessionMessage> {
  if (!settled) throw noSuchMessage(id)
  const record = 'task' in settled ? settled.task : settled.told
  return { outcome: settled.outcome, message: messageOf(session, record), durability: 'process' }
}

/** The session and the record in the id of a message. */
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
    hint: `See what there is: ${call('session list')}`,
    details: { id: id.slice(0, 400) },
  })

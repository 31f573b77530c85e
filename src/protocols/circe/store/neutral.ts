/**
 * CIRCE in neutral words. It has no places (missions, workspaces), and claims have no end: a message stays with its agent until it
 * is handled or given back. A receipt carries the number of the agent's claim. The log is the archive.
 */
import { digestOf } from '../../../formats/digest.ts'
import { call } from '../../../kernel/call.ts'
import type { Envelope, HeldBy } from '../../../kernel/envelope.ts'
import { conflict, SignalboxError } from '../../../kernel/errors.ts'
import { withoutUndefined } from '../../../kernel/field.ts'
import { isMeant } from '../../../kernel/short-id.ts'
import {
  type Answer,
  type Answered,
  type Correspondence,
  changedSince,
  expectAnswerable,
  isSince,
  type MessageOutcome,
  type Neutral,
  type Progress,
  type Question,
  type Receipt,
} from '../../contract.ts'
import { neutralOf, type SettledView, type Source } from '../../neutral.ts'
import { carryingHeader, type HeadView, lift, lower, textOf } from '../envelope.ts'
import { bodyOf, headOf, optionsOf } from '../format.ts'
import { takesTask } from '../intents.ts'
import { agentsPath, logsPath, newPath } from '../layout.ts'
import { stages } from '../lifecycle.ts'
import {
  agentId,
  type FileName,
  fileName,
  isAgentId,
  isEverybody,
  isFileName,
  isSameAgent,
  type TaskId,
} from '../names.ts'
import { agentsInFiles, knownAgents } from './agents.ts'
import type { Circe } from './circe.ts'
import { isForEverybody } from './fan-out.ts'
import { handedOf } from './handed.ts'
import { attemptOf, givenUp } from './log.ts'
import type { CirceSendInput, CirceSettled, CirceView } from './outcomes.ts'
import type { CirceParts } from './parts.ts'
import {
  findMessage,
  folderAt,
  isFound,
  type Listed,
  namesAt,
  type PlacedMessage,
  readAt,
  readWhole,
  type Spot,
  spotsOf,
} from './places.ts'
import { readTaskFiles } from './task-files.ts'
import { headlineOf, idOf } from './view.ts'

interface View extends HeadView {
  readonly found: Listed
}

const lifted = ({ found: _, ...view }: View): Envelope => lift(view)

export function circeNeutral(circe: Circe, parts: CirceParts): Neutral {
  const { claiming, people, sending, settling } = circe

  const spots = async (withLog: boolean): Promise<Spot[]> => [
    ...spotsOf(await knownAgents(parts)),
    ...(withLog ? [{ place: 'logged' } as const] : []),
  ]

  const viewOf = async (found: Listed): Promise<View> => {
    const head = 'bytes' in found.message ? headOf((found as PlacedMessage).message) : found.message
    const stage = await stageOf(parts, found)
    const claim = await claimOf(parts, found, stage)
    return { ...headlineOf(found), head, stage, ...(claim ? { claim } : {}), found }
  }

  /** The message that one of the protocol's own verbs answered, as it is now. */
  const viewNow = async ({ file, path, state, ...said }: CirceView): Promise<View> => {
    const name = fileName(file)
    const found = await findMessage(parts, name)
    if (found) return viewOf(found)
    // A person or program has removed it since.
    const { createdAt, summary, headers: further, from, to, intent, task, status } = said
    const time = Date.parse(createdAt)
    const message = { from, to, intent, task: task as TaskId, status, createdAt, summary, further, time }
    const spot = { place: state as Spot['place'], name, path: path as Listed['path'] }
    return viewOf({ ...spot, message, problems: [], writtenAt: 0 })
  }

  const settledView = async ({ outcome, message, durability }: CirceSettled): Promise<SettledView<View>> => ({
    outcome: outcome === 'unchanged' ? outcome : 'settled',
    message: await viewNow(message),
    durability,
  })

  /** Sends the outcome of a message to its sender, then moves the message into the log. */
  async function settle(receipt: Receipt, verb: 'done' | 'failed', text?: string): Promise<SettledView<View>> {
    const { id, agent, attempt } = receipt
    const found = await findMessage(parts, fileName(id))
    const isOpen = found !== undefined && found.place !== 'logged'
    if (isOpen && attempt !== undefined) await settling.expectHeld(agent, found.name, attempt)
    // Completing a task puts all its messages away, so the answer comes after it. A process may be killed in between.
    const isCompleted = verb === 'done' && found !== undefined && (await completesTask(found, agent))
    if (text !== undefined && (isOpen || isCompleted)) await reply(found!, agent, text, verb)
    const { outcome, message, durability } = await settling[verb](agent, id, { attempt })
    const isDone = outcome !== 'unchanged' || (isOpen && isCompleted)
    return { outcome: isDone ? 'settled' : 'unchanged', message: await viewNow(message), durability }
  }

  /** Whether the task of some work is completed by now: by its owner, if its checks allow it. */
  async function completesTask({ message: { intent, task }, place }: PlacedMessage, agent: string): Promise<boolean> {
    if (task === undefined || !takesTask(intent)) return false
    const { owner, status } = (await readTaskFiles(parts, task)).task
    if (owner === undefined || !isSameAgent(owner, agent)) return false
    if (place === 'logged') return status === 'completed'
    try {
      await circe.tasks.status(task, 'completed', agent)
      return true
    } catch (error) {
      // Its checks do not allow it, or it was given to another agent since.
      if (error instanceof SignalboxError && (error.kind === 'Conflict' || error.kind === 'Denied')) return false
      throw error
    }
  }

  /** Sends the result as an answer, which counts once: a killed process may have sent it before. */
  async function reply(
    { name, place, message: { from, task } }: PlacedMessage,
    agent: string,
    text: string,
    verb: 'done' | 'failed',
  ) {
    const isFailed = verb === 'failed'
    try {
      await people.answer(name, { text, by: agent, verdict: isFailed ? 'deny' : 'answer' })
    } catch (error) {
      // The message has another answer, or went to another agent: the result is sent as one more message.
      if (!(error instanceof SignalboxError) || (error.kind !== 'Conflict' && error.kind !== 'Denied')) throw error
      // Its work is put away: this is a repeat, or the person who completed the task has answered.
      if (place === 'logged') return
      const said: CirceSendInput = {
        from: agent,
        to: from,
        intent: 'answer',
        status: isFailed ? 'failed' : 'completed',
        body: text,
        replyTo: name,
        ...(task === undefined ? {} : { task }),
      }
      await sending.sendOnce(said, `${verb} ${name} ${text}`)
    }
  }

  const source: Source<View> = {
    protocol: { name: 'circe', title: 'CIRCE' },
    tree: parts.tree,
    hasPlaces: false,
    isAgentName: isAgentId,
    makeInbox: async (agent) => void (await circe.agents.init(agent)),
    isSameAgent,
    lift: lifted,
    async text({ found }) {
      const now = await readWhole(parts, found)
      return now && textOf(now.message)
    },
    async *seen() {
      yield* await agentsInFiles(parts)
    },
    async *waiting(agent) {
      for (const found of await claiming.waitingFor(agent)) yield viewOf(found)
    },
    async *each({ states, archived }) {
      for (const spot of await spots(archived || states?.includes('logged') === true)) {
        if (states && !states.includes(spot.place)) continue
        for (const name of await namesAt(parts, spot)) {
          const read = await readAt(parts, spot, name)
          if (isFound(read)) yield viewOf(read)
        }
      }
    },
    async *find(id) {
      const asked = idOf(id.slice(id.lastIndexOf('/') + 1))
      // A whole id means that message alone, although another id may begin with it: of two messages in a second, one ends in `.2`.
      const whole = isFileName(`${asked}.md`) ? await findMessage(parts, `${asked}.md` as FileName) : undefined
      if (whole) {
        yield viewOf(whole)
        return
      }
      const told = new Set<string>()
      for (const spot of await spots(true)) {
        for (const name of await namesAt(parts, spot)) {
          if (told.has(name) || !isMeant(asked, idOf(name))) continue
          const read = await readAt(parts, spot, name)
          if (!isFound(read)) continue
          told.add(name)
          yield viewOf(read)
        }
      }
    },
    watched: async () => [
      newPath(parts.root),
      logsPath(parts.root),
      agentsPath(parts.root),
      ...(await spots(false)).map((spot) => folderAt(parts, spot)),
    ],

    async send(draft, { key }) {
      const input = lower(draft)
      const sent = key === undefined ? await sending.send(input) : await sending.sendOnce(input, key)
      const { outcome, durability, notices } = sent
      return { outcome, message: await viewNow(sent.message), durability, notices }
    },
    async take(agent, { id, waitMs, signal }) {
      const claimed = await claiming.claim(agent, withoutUndefined({ file: id, waitMs, signal }))
      if (claimed.outcome === 'nothing') return undefined
      const { message, durability } = claimed
      const who = agentId(agent)
      const attempt = await attemptOf(parts, who, fileName(message.file))
      return { message: await viewNow(message), receipt: { id: message.id, agent: who, attempt }, durability }
    },
    done: (receipt, { text }) => settle(receipt, 'done', text),
    failed: (receipt, { reason }) => settle(receipt, 'failed', reason),
    release: async ({ id, agent, attempt }) => settledView(await settling.giveBack(agent, id, { attempt })),
  }

  return neutralOf(source, {
    inspect: (options) => circe.inspect(options),

    /**
     * The answer to a message, or that the message was handled without one. Whether it was handled is asked first, because an
     * answer is sent before that. An answer of another program that names no message counts if it came since.
     */
    async outcomeOf(id: string, sent: Correspondence): Promise<MessageOutcome | undefined> {
      const { from, to } = sent
      const isHandled = (await findMessage(parts, fileName(id)))?.place === 'logged'
      const waiting = await claiming.waitingFor(from)
      for (const one of isHandled ? [...waiting, ...(await loggedBetween(parts, to, from))] : waiting) {
        const { message, name, place } = one
        const { replyTo, status, time } = message
        const isAbout = replyTo === undefined ? place !== 'logged' && isSince(time, sent) : idOf(replyTo) === idOf(id)
        if (!isAbout || !(isSameAgent(message.from, to) || isEverybody(to))) continue
        const state = status === 'failed' ? 'failed' : status === 'completed' ? 'completed' : undefined
        const whole = state && (await readWhole(parts, one))
        if (state && whole)
          return { state, text: textOf(whole.message), ...(place === 'logged' ? {} : { answer: idOf(name) }) }
      }
      return isHandled ? { state: 'completed', text: 'done' } : undefined
    },

    /** The newest `status_update` that waits for its sender and names it, or its task. */
    async progressOf(id: string, { from, to }: Correspondence): Promise<Progress | undefined> {
      const task = (await findMessage(parts, fileName(id)))?.message.task
      const news = (await claiming.waitingFor(from)).findLast(({ message }) => {
        const { intent, status, replyTo } = message
        const isAbout = replyTo === undefined ? task !== undefined && message.task === task : idOf(replyTo) === idOf(id)
        const isOpen = status === 'new' || status === 'in_progress' || status === 'blocked'
        return isAbout && isOpen && intent === 'status_update' && isSameAgent(message.from, to)
      })
      const whole = news && (await readWhole(parts, news))
      if (!whole) return undefined
      const text = textOf(whole.message).trim()
      return { message: idOf(news.name), text: whole.message.status === 'blocked' ? `blocked: ${text}` : text }
    },

    /** The agent starts, which its task follows; a text is a `status_update` to the sender. */
    async progressed({ id, agent, attempt }: Receipt, { text }) {
      const found = await findMessage(parts, fileName(id))
      if (!found || found.place === 'logged') return
      if (attempt !== undefined) await settling.expectHeld(agent, found.name, attempt)
      await settling.start(agent, id)
      if (text === undefined) return
      const { from, task } = found.message
      const update: CirceSendInput = {
        from: agent,
        to: from,
        intent: 'status_update',
        status: 'in_progress',
        body: text,
        replyTo: found.name,
        ...(task === undefined ? {} : { task }),
      }
      await sending.sendOnce(update, `progress ${found.name} ${digestOf(text)}`)
    },

    async *questions() {
      for await (const found of people.open()) yield questionOf(found)
    },

    async answer({ id }, answer: Answer): Promise<Answered> {
      const { verdict, by, option, digest } = answer
      const found = await findMessage(parts, fileName(id))
      if (found && !found.message.asks) {
        throw conflict('NOT_FOR_A_PERSON', `${found.name} does not wait for a person.`, {
          hint: `See what does: ${call('human list')}`,
          details: { id },
        })
      }
      const question = found && questionOf(found)
      if (question) expectAnswerable(question, verdict)
      if (question && digest !== undefined && digest !== question.digest) throw changedSince(id)
      const text = answer.text ?? (option === undefined ? undefined : question?.options[option - 1]) ?? words[verdict]
      const { outcome, message } = await people.answer(id, {
        text,
        verdict,
        ...(by === 'human' || isSameAgent(by, 'rooster') ? {} : { person: by }),
      })
      const now = (await findMessage(parts, fileName(id))) ?? found!
      return {
        outcome,
        message: lifted(await viewOf(now)),
        sent: lifted(await viewNow(message)),
        details: { file: message.file, task: message.task ?? null },
      }
    },

    async *quarantined() {
      const { quarantinedIn } = await import('./quarantine.ts')
      yield* quarantinedIn(parts)
    },

    async putBack(file) {
      const { putBack } = await import('./quarantine.ts')
      return lifted(await viewOf(await putBack(parts, file)))
    },
  })
}

/** By the place of the message; but in an inbox it may still wait, and in the log it may have been given up. */
async function stageOf(parts: CirceParts, { place, agent, name, message }: Listed): Promise<View['stage']> {
  if (place === 'inbox' && agent !== undefined && !(await handedOf(parts, agent, name))) return 'written'
  // One agent that gives up its copy of a message to all says nothing about the other copies.
  if (place === 'logged' && !isForEverybody(message) && (await givenUp(parts)).has(name)) return 'failed'
  return stages[place]
}

/** The agent that has the message, or had it last; `undefined` for a logged message to all, which many agents had. */
async function claimOf(parts: CirceParts, found: Listed, stage: View['stage']): Promise<HeldBy | undefined> {
  const { agent, name, message } = found
  if (stage === 'written') return undefined
  if (agent !== undefined) return { by: agent, attempt: await attemptOf(parts, agent, name) }
  return isForEverybody(message) || isEverybody(message.to) ? undefined : { by: message.to }
}

/** The logged messages from one agent to another. Only files with both in their name are read. */
async function loggedBetween(parts: CirceParts, from: string, to: string): Promise<PlacedMessage[]> {
  const found: PlacedMessage[] = []
  for (const name of await namesAt(parts, { place: 'logged' })) {
    if (!name.includes(`_${from}-${to}_`.toLowerCase())) continue
    const read = await readAt(parts, { place: 'logged' }, name)
    if (isFound(read) && isSameAgent(read.message.to, to)) found.push(read)
  }
  return found
}

const words = { approve: 'Approved.', deny: 'Denied.', answer: '' } as const

function questionOf(found: PlacedMessage): Question {
  const { message, name, path } = found
  const kind = message.asks!
  const text = bodyOf(message)
  const further = Object.entries(message.further).filter(([key]) => key.toLowerCase() !== carryingHeader)
  return {
    id: idOf(name),
    kind,
    from: message.from,
    summary: message.summary,
    text: text.trim() === '' ? message.intent : text,
    digest: digestOf(message.from, message.intent, message.task ?? '', text),
    options: optionsOf(message),
    answers: kind === 'approval' ? ['approve', 'deny', 'answer'] : ['answer'],
    why: whys[kind],
    askedAt: headlineOf(found).createdAt,
    facts: [
      ...(message.task === undefined ? [] : [['task', message.task] as const]),
      ['status', message.status],
      ['file', path],
      ...further,
    ],
    details: { task: message.task ?? null, intent: message.intent, file: name, path },
  }
}

const whys = {
  approval: 'somebody asks for a yes or a no',
  escalation: 'somebody asks a person to decide',
  question: 'it was sent to a person',
} as const

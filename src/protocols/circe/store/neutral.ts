/**
 * CIRCE in neutral words. It has no places (missions, workspaces) and no claims that end: what an agent has claimed is its own
 * until it is handled or given back. The log is its archive.
 */
import type { Envelope } from '../../../kernel/envelope.ts'
import { conflict, SignalboxError } from '../../../kernel/errors.ts'
import { isMeant } from '../../../kernel/short-id.ts'
import type { Finding } from '../../../tree/tree.ts'
import {
  type Answer,
  type Answered,
  type Correspondence,
  changedSince,
  type Draft,
  digestOf,
  envelopeOf,
  expectAnswerable,
  expectNoOwnId,
  expectNoPlace,
  type Filter,
  type InspectionOptions,
  isSince,
  type Message,
  type MessageOutcome,
  type Neutral,
  type Quarantined,
  type Question,
  type Receipt,
  type Sent,
  type Settled,
  type Taken,
  type TakeOptions,
} from '../../contract.ts'
import { bodyOf, optionsOf, plainTextOf } from '../format.ts'
import { agentId, type FileName, fileName, isEverybody, isFileName, isSameAgent } from '../names.ts'
import { agentsInFiles, knownAgents } from './agents.ts'
import type { Circe } from './circe.ts'
import type { CirceParts } from './parts.ts'
import {
  type Found,
  findMessage,
  isFound,
  type Listed,
  namesAt,
  readAt,
  readWhole,
  type Spot,
  spotsOf,
} from './places.ts'
import { idOf, viewOfFound } from './view.ts'

const named = { title: 'CIRCE' }

export class CirceNeutral implements Neutral {
  readonly #circe: Circe
  readonly #parts: CirceParts

  constructor(circe: Circe, parts: CirceParts) {
    this.#circe = circe
    this.#parts = parts
  }

  async *seen({ place }: { readonly place?: string } = {}): AsyncGenerator<string> {
    if (place === undefined) yield* await agentsInFiles(this.#parts)
  }

  async *waitingFor(
    agent: string,
    { limit = Number.POSITIVE_INFINITY }: { readonly limit?: number } = {},
  ): AsyncGenerator<Message> {
    if (limit < 1) return
    let count = 0
    for (const found of await this.#circe.claiming.waitingFor(agent)) {
      yield this.#message(found)
      if (++count >= limit) return
    }
  }

  async *find(id: string): AsyncGenerator<Message> {
    const asked = idOf(id.slice(id.lastIndexOf('/') + 1))
    // A whole id means that one alone, also where another's begins with it: the second of a second is called `….2`.
    const whole = isFileName(`${asked}.md`) ? await findMessage(this.#parts, `${asked}.md` as FileName) : undefined
    if (whole) {
      yield this.#message(whole)
      return
    }
    const told = new Set<string>()
    for (const spot of await this.#spots(true)) {
      for (const name of await namesAt(this.#parts, spot)) {
        if (told.has(name) || !isMeant(asked, idOf(name))) continue
        const read = await readAt(this.#parts, spot, name)
        if (!isFound(read)) continue
        told.add(name)
        yield this.#message(read)
      }
    }
  }

  async *messages(filter: Filter = {}): AsyncGenerator<Message> {
    const { place, from, to, states, archived = false, limit = Number.POSITIVE_INFINITY } = filter
    if (place !== undefined || limit < 1) return
    let count = 0
    for (const spot of await this.#spots(archived || states?.includes('logged') === true)) {
      if (states && !states.includes(spot.place)) continue
      for (const name of await namesAt(this.#parts, spot)) {
        const read = await readAt(this.#parts, spot, name)
        if (!isFound(read)) continue
        const { message } = read
        if (
          (from !== undefined && !isSameAgent(message.from, from)) ||
          (to !== undefined && !isSameAgent(message.to, to))
        )
          continue
        yield this.#message(read)
        if (++count >= limit) return
      }
    }
  }

  inspect(options: InspectionOptions): Promise<readonly Finding[]> {
    return this.#circe.inspect(options)
  }

  /** Information: the one intent that asks for nothing and needs no task. An urgency is a header. */
  async send({ from, to, text, summary, place, id, replyTo, urgency = 'normal' }: Draft): Promise<Sent> {
    expectNoOwnId(named, id)
    expectNoPlace(named, place)
    const { message, durability, notices } = await this.#circe.sending.send({
      from,
      to,
      intent: replyTo === undefined ? 'inform' : 'answer',
      status: replyTo === undefined ? 'new' : 'completed',
      body: text,
      ...(summary === undefined ? {} : { summary }),
      ...(replyTo === undefined ? {} : { replyTo }),
      ...(urgency === 'normal' ? {} : { headers: [['priority', urgency] as const] }),
    })
    return { outcome: 'sent', message: envelopeOf(message), durability, notices }
  }

  async take(agent: string, { place, id, waitMs }: TakeOptions = {}): Promise<Taken> {
    expectNoPlace(named, place)
    const claimed = await this.#circe.claiming.claim(agent, {
      ...(id === undefined ? {} : { file: id }),
      ...(waitMs === undefined ? {} : { waitMs }),
    })
    if (claimed.outcome === 'nothing') return { outcome: 'nothing' }
    const { message, durability } = claimed
    const text = async () => {
      const found = await findMessage(this.#parts, fileName(message.file))
      return found && plainTextOf(found.message)
    }
    return {
      outcome: 'taken',
      message: { envelope: envelopeOf(message), text },
      receipt: { id: message.id, agent: agentId(agent) },
      durability,
    }
  }

  /** A result, if there is one, goes to whoever sent the message; then it is handled. */
  async done({ id, agent }: Receipt, { text }: { readonly text?: string } = {}): Promise<Settled> {
    const found = await findMessage(this.#parts, fileName(id))
    const isOpen = found !== undefined && found.place !== 'logged'
    if (text !== undefined && isOpen) await this.#reply(found, agent, text)
    const { outcome, message, durability } = await this.#circe.settling.done(agent, id)
    return { outcome: outcome === 'unchanged' ? 'unchanged' : 'settled', message: envelopeOf(message), durability }
  }

  /** As an answer, which counts once however often it is given: a process may have been killed before it was done. */
  async #reply({ name, message: { from, task } }: Found, agent: string, text: string): Promise<void> {
    try {
      await this.#circe.people.answer(name, { text, by: agent })
    } catch (error) {
      // Somebody else has answered it, or it was for another: the result is one more message.
      if (!(error instanceof SignalboxError) || (error.kind !== 'Conflict' && error.kind !== 'Denied')) throw error
      const about = task === undefined ? {} : { task }
      const said = { from: agent, to: from, intent: 'answer', status: 'completed', body: text } as const
      await this.#circe.sending.send({ ...said, replyTo: name, ...about })
    }
  }

  /**
   * The answer to it; or that it was handled, which has no words. That is asked first: an answer is sent before, so that none
   * is missed. One that names no message, as those of other programs, counts if it came since.
   */
  async outcomeOf(id: string, sent: Correspondence): Promise<MessageOutcome | undefined> {
    const { from, to } = sent
    const isHandled = (await findMessage(this.#parts, fileName(id)))?.place === 'logged'
    const waiting = await this.#circe.claiming.waitingFor(from)
    for (const one of isHandled ? [...waiting, ...(await this.#logged(to, from))] : waiting) {
      const { message, name, place } = one
      const { replyTo, status, time } = message
      const isAbout = replyTo === undefined ? place !== 'logged' && isSince(time, sent) : idOf(replyTo) === idOf(id)
      if (!isAbout || !(isSameAgent(message.from, to) || isEverybody(to))) continue
      const state = status === 'failed' ? 'failed' : status === 'completed' ? 'completed' : undefined
      const whole = state && (await readWhole(this.#parts, one))
      if (state && whole)
        return { state, text: plainTextOf(whole.message), ...(place === 'logged' ? {} : { answer: idOf(name) }) }
    }
    return isHandled ? { state: 'completed', text: 'done' } : undefined
  }

  /** Of what one agent has sent to another, what is in the log. The names say which files are worth reading. */
  async #logged(from: string, to: string): Promise<Found[]> {
    const found: Found[] = []
    for (const name of await namesAt(this.#parts, { place: 'logged' })) {
      if (!name.includes(`_${from}-${to}_`.toLowerCase())) continue
      const read = await readAt(this.#parts, { place: 'logged' }, name)
      if (isFound(read) && isSameAgent(read.message.to, to)) found.push(read)
    }
    return found
  }

  async *questions(): AsyncGenerator<Question> {
    for await (const found of this.#circe.people.open()) yield questionOf(found)
  }

  async answer({ id }: Pick<Question, 'id' | 'place'>, answer: Answer): Promise<Answered> {
    const { verdict, by, option, digest } = answer
    const found = await findMessage(this.#parts, fileName(id))
    if (found && !found.message.asks) {
      throw conflict('NOT_FOR_A_PERSON', `${found.name} does not wait for a person.`, {
        hint: 'See what does: signalbox human list',
        details: { id },
      })
    }
    const question = found && questionOf(found)
    if (question) expectAnswerable(question, verdict)
    if (question && digest !== undefined && digest !== question.digest) throw changedSince(id)
    const text = answer.text ?? (option === undefined ? undefined : question?.options[option - 1]) ?? words[verdict]
    const { outcome, message } = await this.#circe.people.answer(id, {
      text,
      verdict,
      ...(by === 'human' || isSameAgent(by, 'rooster') ? {} : { person: by }),
    })
    const now = (await findMessage(this.#parts, fileName(id))) ?? found!
    return {
      outcome,
      message: envelopeOf(viewOfFound(now)),
      sent: envelopeOf(message),
      details: { file: message.file, task: message.task ?? null },
    }
  }

  async *quarantined(): AsyncGenerator<Quarantined> {
    const { quarantinedIn } = await import('./quarantine.ts')
    yield* quarantinedIn(this.#parts)
  }

  async putBack(file: Quarantined): Promise<Envelope> {
    const { putBack } = await import('./quarantine.ts')
    return envelopeOf(await putBack(this.#parts, file))
  }

  async #spots(withLog: boolean): Promise<Spot[]> {
    return [...spotsOf(await knownAgents(this.#parts)), ...(withLog ? [{ place: 'logged' } as const] : [])]
  }

  #message(found: Listed): Message {
    const text = async () => {
      const now = isFileName(found.name) ? await readAt(this.#parts, found, found.name) : undefined
      return isFound(now) ? plainTextOf(now.message) : undefined
    }
    return { envelope: envelopeOf(viewOfFound(found)), text }
  }
}

const words = { approve: 'Approved.', deny: 'Denied.', answer: '' } as const

function questionOf(found: Found): Question {
  const { message, name } = found
  const kind = message.asks!
  const view = viewOfFound(found)
  const text = bodyOf(message)
  const facts: (readonly [string, string])[] = [
    ...(message.task === undefined ? [] : [['task', message.task] as const]),
    ['status', message.status],
    ['file', view.path],
    ...Object.entries(view.headers),
  ]
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
    askedAt: view.createdAt,
    facts,
    details: { task: message.task ?? null, intent: message.intent, file: name, path: view.path },
  }
}

const whys = {
  approval: 'somebody asks for a yes or a no',
  escalation: 'somebody asks a person to decide',
  question: 'it was sent to a person',
} as const

/** Putting a message into `pending/`. AC-MQ §4.1, §7.1, §8.3, §10.2. */
import { conflict, invalidInput } from '../../../kernel/errors.ts'
import { lastAnswer } from '../../../kernel/last-answer.ts'
import type { AgentDirectory } from '../../../messaging/agents/directory.ts'
import type { Durability } from '../../../tree/tree.ts'
import type { AcmqDraft } from '../draft.ts'
import { agentId, fileNameOf, idLengths, isMessageId, recipientId } from '../layout.ts'
import { messageContent, printHeader } from '../print-header.ts'
import { type AcmqRecord, areSame, noDependencies } from '../schema.ts'
import type { Finder } from './finder.ts'
import { labelOf } from './label.ts'
import type { MissionPlaces } from './places.ts'
import type { Policy } from './policy.ts'
import { type AcmqView, viewOf } from './view.ts'
import type { WaitingMessages } from './waiting/waiting.ts'

export interface SendInput {
  readonly from: string
  /** An agent, or `all` for the first that claims it. */
  readonly to: string
  readonly body: string | Uint8Array
  /** One line. Without it the first line of the body is used. */
  readonly summary?: string
  readonly priority?: number
  readonly timeoutSeconds?: number
  /** `msg:ID`, `path:FILE`, or either without its prefix. */
  readonly dependencies?: readonly string[]
  /** For senders that may have to send again: the same id and content is sent once. */
  readonly id?: string
  readonly timestamp?: string
  readonly replyTo?: string
  /** What a neutral draft says and no field of AC-MQ can, as JSON (`envelope.ts`). */
  readonly envelope?: string
  /** YAML lines of fields that AC-MQ does not know. */
  readonly otherFields?: string
}

export interface Sent {
  readonly outcome: 'sent' | 'unchanged'
  readonly message: AcmqView
  readonly durability: Durability
  readonly notices: readonly string[]
}

interface SendingParts {
  readonly places: MissionPlaces
  readonly policy: Policy
  readonly directory: AgentDirectory
}

/** A command that only sends loads these when an id or a dependency needs them. */
interface MissionKnowledge {
  readonly finder: Finder
  readonly waiting: WaitingMessages
}

export class Sending {
  readonly #places: MissionPlaces
  readonly #policy: Policy
  readonly #directory: AgentDirectory
  #knowledge: MissionKnowledge | undefined
  /** Of the last message, checked: the next message often has the same. */
  #dependencies = noDependencies

  constructor({ places, policy, directory }: SendingParts, knowledge?: MissionKnowledge) {
    this.#places = places
    this.#policy = policy
    this.#directory = directory
    this.#knowledge = knowledge
  }

  async send(input: SendInput): Promise<Sent> {
    const sent = await this.#send(input)
    if (this.#policy.isAbsent) return sent
    const notice = await this.#policy.noticeAbout(sent.message, input.body)
    return notice === undefined ? sent : { ...sent, notices: [...sent.notices, notice] }
  }

  async #send(input: SendInput): Promise<Sent> {
    const dependencies = input.dependencies?.length ? await this.#checked(input.dependencies) : noDependencies
    const { clock, settings, place } = this.#places
    const given = { address: place.address, timeoutSeconds: settings.timeoutSeconds, now: clock.now() }
    const record = recordOf(input, dependencies, given)
    if (!this.#directory.hasJustActed(record.from)) await this.#noteSender(record.from)
    if (input.id !== undefined) return this.#sendOnce(record, input)
    const { stored, content, notices } = await this.#prepare(record, input)
    for (const length of idLengths) {
      const name = fileNameOf(stored, length)
      const path = this.#places.at('pending', name)
      const created = await this.#places.tree.create(path, content, { label: () => labelOf(stored) })
      if (created.outcome !== 'created') continue
      this.#knowledge?.waiting.came(name, stored)
      return { outcome: 'sent', message: viewOf(stored, 'pending', path), durability: created.durability, notices }
    }
    throw conflict('NAME_TAKEN', `Every file name for message ${record.id} is taken.`, {
      hint: 'Send it with another id.',
    })
  }

  async #noteSender(agent: string): Promise<void> {
    try {
      await this.#directory.acted(agent, { home: `acmq:${this.#places.place.address}` })
    } catch (refusal) {
      const { expectShown } = await import('./agents.ts')
      await expectShown((await this.#loadKnowledge()).finder.files, agent, refusal)
    }
  }

  async readDraft(text: string): Promise<AcmqDraft> {
    return (await import('../draft.ts')).readDraft(text, this.#places.place.address)
  }

  async checkDependencies(given: readonly string[]): Promise<readonly string[]> {
    if (given.length === 0) return []
    const { noticesAbout } = await import('./dependency-notices.ts')
    return noticesAbout((await this.#loadKnowledge()).waiting, given)
  }

  async #sendOnce(record: AcmqRecord, input: SendInput): Promise<Sent> {
    const { inputDigest, SendingOnce } = await import('./sending-once.ts')
    const { finder, waiting } = await this.#loadKnowledge()
    const once = new SendingOnce(finder.files)
    // A message that another program or an earlier version wrote has no note under its id.
    const known = await once.find(finder, record, input.body)
    if (known) return unchanged(known)
    if (record.dependencies.length > 0) once.refuseCycle(record, [...(await waiting.all()).values()])
    const { stored, content, notices } = await this.#prepare(record, input)
    const sent = await once.send(stored, content, inputDigest(record, input.body))
    const path = this.#places.at('pending', sent.name)
    const message = viewOf(stored, 'pending', path)
    if (sent.outcome === 'known') return unchanged((await once.find(finder, record, input.body)) ?? message)
    waiting.came(sent.name, stored)
    return { outcome: 'sent', message, durability: sent.durability, notices }
  }

  async #loadKnowledge(): Promise<MissionKnowledge> {
    if (this.#knowledge) return this.#knowledge
    const [{ filesAt }, { Finder }, { WaitingMessages }] = await Promise.all([
      import('./parts.ts'),
      import('./finder.ts'),
      import('./waiting/waiting.ts'),
    ])
    const files = filesAt(this.#places)
    const finder = new Finder(files)
    this.#knowledge ??= { finder, waiting: new WaitingMessages(files, finder) }
    return this.#knowledge
  }

  async #prepare(record: AcmqRecord, { body, otherFields }: SendInput) {
    const { largestBody, largestMessage } = this.#places.settings
    // Half of the largest message is left for the reports that agents add.
    const isLarge = Buffer.byteLength(body) > Math.min(largestBody, largestMessage / 2)
    const written = isLarge
      ? await (await import('./large-bodies.ts')).byReference(this.#places, record, body)
      : { stored: record, body, notices: [] }
    const { stored, notices } = written
    const header = otherFields
      ? (await import('../format.ts')).printHeaderWith(stored, otherFields)
      : printHeader(stored)
    return { stored, content: messageContent(header, written.body), notices }
  }

  async #checked(dependencies: readonly string[]): Promise<readonly string[]> {
    if (!areSame(dependencies, this.#dependencies)) {
      const { parseDependency } = await import('../dependencies.ts')
      for (const text of dependencies) parseDependency(text)
      this.#dependencies = Object.freeze([...dependencies])
    }
    return this.#dependencies
  }
}

/** The fields that the sender gave, checked, and defaults for the others. */
export function recordOf(
  input: SendInput,
  dependencies: readonly string[],
  given: { readonly address: string; readonly timeoutSeconds: number; readonly now: number },
): AcmqRecord {
  const priority = input.priority ?? 3
  if (!Number.isInteger(priority) || priority < 1 || priority > 5)
    throw badField('priority', 'a whole number from 1 to 5', priority)
  const timeout = input.timeoutSeconds ?? given.timeoutSeconds
  if (!Number.isInteger(timeout) || timeout < 1) throw badField('timeout', 'a whole number of seconds above 0', timeout)
  if (input.id !== undefined && !isMessageId(input.id))
    throw badField('id', 'letters, digits, `.`, `_` and `-`, 64 at most', input.id)
  return {
    id: input.id ?? crypto.randomUUID(),
    mission_id: given.address,
    // To the millisecond, so that messages of one second are claimed in the order they were sent.
    timestamp: input.timestamp ?? toTheMillisecond(given.now),
    from: senderId(input.from),
    to: addresseeId(input.to),
    status: 'pending',
    priority,
    timeout_seconds: timeout,
    dependencies,
    summary: input.summary ?? firstLineOf(input.body),
    attempt: 1,
    ...(input.replyTo === undefined ? {} : { reply_to: input.replyTo }),
    ...(input.envelope === undefined ? {} : { envelope: input.envelope }),
  }
}

const unchanged = (message: AcmqView): Sent => ({
  outcome: 'unchanged',
  message,
  durability: 'process',
  notices: ['It had been sent before.'],
})

const senderId = lastAnswer(agentId)
const addresseeId = lastAnswer(recipientId)
const toTheMillisecond = lastAnswer((ms: number) => new Date(ms).toISOString())

function firstLineOf(body: string | Uint8Array): string {
  const text = typeof body === 'string' ? body : Buffer.from(body.subarray(0, 2000)).toString('utf8')
  const line = text.split(/\r?\n/).find((one) => one.trim() !== '') ?? ''
  const plain = line.replace(/^#+\s*/, '').trim()
  return plain.length > 120 ? `${plain.slice(0, 119)}…` : plain
}

const badField = (field: string, expected: string, found: unknown) =>
  invalidInput('INVALID_MESSAGE', `The ${field} must be ${expected}; it is ${JSON.stringify(found)}.`, {
    hint: `Correct the ${field} and send again.`,
    details: { field, expected, found },
  })

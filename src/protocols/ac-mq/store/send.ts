/** Putting a message into `pending/`: whole, once, with dependencies that can be met. AC-MQ §4.1, §7.1, §8.3, §10.2. */
import { conflict, invalidInput } from '../../../kernel/errors.ts'
import { lastAnswer } from '../../../kernel/last-answer.ts'
import { isMeant } from '../../../kernel/short-id.ts'
import type { SendingOnce } from '../../../messaging/sending-once/sending-once.ts'
import type { Durability } from '../../../tree/tree.ts'
import { findCycle, parseDependency, readDependency } from '../dependencies.ts'
import { contentOf } from '../format.ts'
import { agentId, fileNameOf, isMessageId, recipientId } from '../layout.ts'
import { type AcmqRecord, areSame, noDependencies } from '../schema.ts'
import { bodyPathOf } from './body-elsewhere.ts'
import type { Finder } from './finder.ts'
import { idLengths } from './moving.ts'
import { sendingOnce } from './once.ts'
import type { MissionFiles } from './parts.ts'
import { digestOf, SentBefore, sameId } from './sent-before.ts'
import { type AcmqView, viewOf } from './view.ts'
import { labelOf, type Waiting } from './waiting/waiting.ts'

export interface SendInput {
  readonly from: string
  /** An agent, or `all` for whoever claims first. */
  readonly to: string
  readonly body: string | Uint8Array
  /** One line; the first line of the body when left out. */
  readonly summary?: string
  /** 1 (first) to 5 (last). */
  readonly priority?: number
  readonly timeoutSeconds?: number
  /** `msg:ID`, `path:FILE`, or either without its prefix. */
  readonly dependencies?: readonly string[]
  /** For senders that may have to repeat themselves: the same id and content is sent once. */
  readonly id?: string
  readonly timestamp?: string
  /** YAML lines for fields that AC-MQ does not know; they stand after ours. */
  readonly otherFields?: string
}

export interface Sent {
  readonly outcome: 'sent' | 'unchanged'
  readonly message: AcmqView
  readonly durability: Durability
  /** What else a sender should know, one sentence each. */
  readonly notices: readonly string[]
}

export class Sending {
  readonly #files: MissionFiles
  readonly #waiting: Waiting
  readonly #sentBefore: SentBefore
  readonly #once: SendingOnce<string>
  /** Those of the last message, checked: often the next ones have the same. */
  #dependencies = noDependencies

  constructor(files: MissionFiles, finder: Finder, waiting: Waiting) {
    this.#files = files
    this.#waiting = waiting
    this.#sentBefore = new SentBefore(files, finder)
    this.#once = sendingOnce(files)
  }

  async send(input: SendInput): Promise<Sent> {
    const record = this.#recordOf(input)
    if (input.id !== undefined) return this.#sendOnce(record, input)
    const { stored, content, notices } = await this.#prepare(record, input)
    for (const length of idLengths) {
      const name = fileNameOf(stored, length)
      const path = this.#files.at('pending', name)
      const created = await this.#files.tree.create(path, content, { label: () => labelOf(stored) })
      if (created.outcome !== 'created') continue
      this.#waiting.came(name, stored)
      return { outcome: 'sent', message: viewOf(stored, 'pending', path), durability: created.durability, notices }
    }
    throw conflict('NAME_TAKEN', `Every file name for message ${record.id} is taken.`, {
      hint: 'Send it with another id.',
    })
  }

  /** Puts into the queue what others had decided to send when they were killed or held up. */
  finishAll(): Promise<void> {
    return this.#once.finishAll()
  }

  /** Under an id that its sender chose, and may choose again. */
  async #sendOnce(record: AcmqRecord, input: SendInput): Promise<Sent> {
    // Not all were sent this way: another program may have written one, or an earlier version of this one.
    const known = await this.#sentBefore.find(record, input.body)
    if (known) return unchanged(known)
    await this.#refuseCycle(record)
    const { stored, content, notices } = await this.#prepare(record, input)
    const digest = digestOf(record, input.body)
    const sent = await this.#once.send(stored.id, content, digest)
    if (sent.outcome === 'known') {
      const path = this.#files.at('pending', fileNameOf(record))
      if (sent.digest !== digest) throw sameId(record.id, path)
      return unchanged((await this.#sentBefore.find(record, input.body)) ?? viewOf(stored, 'pending', path))
    }
    const { published: name = fileNameOf(stored), durability } = sent
    const path = this.#files.at('pending', name)
    this.#waiting.came(name, stored)
    return { outcome: 'sent', message: viewOf(stored, 'pending', path), durability, notices }
  }

  async #prepare(record: AcmqRecord, input: SendInput): Promise<Prepared> {
    const size = Buffer.byteLength(input.body)
    const { largestBody, largestMessage } = this.#files.settings
    // A message must stay one with the reports that are added to it.
    const isLarge = size > Math.min(largestBody, largestMessage / 2)
    const { stored, body, notices } = isLarge
      ? await this.#byReference(record, input.body, size)
      : asItIs(record, input)
    return { stored, content: contentOf(stored, body, input.otherFields), notices }
  }

  #recordOf(input: SendInput): AcmqRecord {
    const { clock, settings, place } = this.#files
    const priority = input.priority ?? 3
    if (!Number.isInteger(priority) || priority < 1 || priority > 5)
      throw badField('priority', 'a whole number from 1 to 5', priority)
    const timeout = input.timeoutSeconds ?? settings.timeoutSeconds
    if (!Number.isInteger(timeout) || timeout < 1)
      throw badField('timeout', 'a whole number of seconds above 0', timeout)
    if (input.id !== undefined && !isMessageId(input.id))
      throw badField('id', 'letters, digits, `.`, `_` and `-`, 64 at most', input.id)
    return {
      id: input.id ?? crypto.randomUUID(),
      mission_id: place.address,
      // To the millisecond, so that messages of one second are claimed in the order they were sent.
      timestamp: input.timestamp ?? toTheMillisecond(clock.now()),
      from: senderId(input.from),
      to: addresseeId(input.to),
      status: 'pending',
      priority,
      timeout_seconds: timeout,
      dependencies: this.#checked(input.dependencies ?? noDependencies),
      summary: input.summary ?? firstLineOf(input.body),
      attempt: 1,
    }
  }

  #checked(dependencies: readonly string[]): readonly string[] {
    if (!areSame(dependencies, this.#dependencies)) {
      this.#dependencies = Object.freeze(dependencies.map(checkedDependency))
    }
    return this.#dependencies
  }

  /** Only an id that others could already name can close a circle. */
  async #refuseCycle(record: AcmqRecord): Promise<void> {
    if (record.dependencies.length === 0) return
    const waiting = new Map([...(await this.#waiting.all()).values()].map((one) => [one.id, one]))
    const dependsOn = (id: string): readonly string[] => {
      const { dependencies } = id === record.id ? record : (waiting.get(id) ?? { dependencies: [] })
      return dependencies.flatMap((text) => {
        const dependency = readDependency(text)
        const named =
          dependency.kind === 'message' ? dependency.id : dependency.kind === 'either' ? dependency.text : undefined
        if (named === undefined) return []
        if (isMeant(named, record.id)) return [record.id]
        return waiting.has(named) ? [named] : [...waiting.keys()].filter((one) => isMeant(named, one))
      })
    }
    const cycle = findCycle(record.id, dependsOn)
    if (!cycle) return
    throw invalidInput('DEPENDENCY_CYCLE', `This message would wait for itself: ${cycle.join(' → ')}.`, {
      hint: 'Leave out one of these dependencies.',
      details: { cycle },
    })
  }

  /** AC-MQ §10.2: large bodies travel by reference; nothing is cut. */
  async #byReference(record: AcmqRecord, body: string | Uint8Array, size: number): Promise<Stored> {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    const path = await this.#keepBody(record.id, bytes)
    return {
      stored: { ...record, dependencies: [...record.dependencies, `path:${path}`] },
      body: `The body of this message (${size} bytes) is in \`${path}\`.\n`,
      notices: [`The body has ${size} bytes; it is stored in ${path} and the message refers to it.`],
    }
  }

  /** Somebody else may send another body under this id at the same moment: each keeps its own. */
  async #keepBody(id: string, bytes: Uint8Array): Promise<string> {
    const { tree } = this.#files
    const mark = process.getBuiltinModule('node:crypto').hash('sha256', bytes, 'hex').slice(0, 8)
    for (const path of [bodyPathOf(id), bodyPathOf(id, `-${mark}`)]) {
      const place = this.#files.inside(path)
      if ((await tree.create(place, bytes)).outcome === 'created') return path
      const there = await tree.read(place)
      if (there && Buffer.compare(there.bytes, bytes) === 0) return path
    }
    throw conflict('NAME_TAKEN', `Other files have the names under which the body of ${id} would be stored.`, {
      hint: 'Send it with another id.',
      details: { id },
    })
  }
}

interface Prepared {
  readonly stored: AcmqRecord
  readonly content: string | Buffer
  readonly notices: readonly string[]
}

const unchanged = (message: AcmqView): Sent => ({
  outcome: 'unchanged',
  message,
  durability: 'process',
  notices: ['It had been sent before.'],
})

/** What becomes the file. */
interface Stored {
  readonly stored: AcmqRecord
  readonly body: string | Uint8Array
  readonly notices: readonly string[]
}

const asItIs = (stored: AcmqRecord, { body }: SendInput): Stored => ({ stored, body, notices: [] })

const senderId = lastAnswer(agentId)
const addresseeId = lastAnswer(recipientId)
const toTheMillisecond = lastAnswer((ms: number) => new Date(ms).toISOString())

export function checkedDependency(text: string): string {
  parseDependency(text)
  return text
}

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

/** Reading the messages of a mission: shared by everything in this folder. */
import { SignalboxError } from '../../../kernel/errors.ts'
import { type Problem, tooLarge } from '../../../kernel/problem.ts'
import { nameOf, type TreePath } from '../../../kernel/tree-path.ts'
import { isUnread, readOrSayWhy, type Unread } from '../../../messaging/leaves/readable.ts'
import type { Leaf } from '../../../tree/tree.ts'
import { unknownTime } from '../check-fields.ts'
import {
  type ClosedMessage,
  errorOf,
  type MalformedMessage,
  malformedBy,
  messageOrThrow,
  type ParsedMessage,
  parseMessage,
  parseOwnMessage,
  type ReadMessage,
} from '../format.ts'
import type { AcmqRecord, QueueName } from '../schema.ts'
import { MissionPlaces } from './places.ts'

export class MissionFiles extends MissionPlaces {
  /** What the header in these bytes says, or what is wrong with it. */
  parse(bytes: Uint8Array, fileName: string, file: FileTime = unknownFile): ParsedMessage {
    const { timeoutSeconds, largestMessage } = this.settings
    const problem = tooLarge(bytes.length, largestMessage)
    if (problem) return malformed(problem, fileName)
    const { address } = this.place
    return parseMessage(bytes, { fileName, address, timeoutSeconds, modifiedAt: file.modifiedAt })
  }

  /** For a message that a caller asked for: throws a `Corrupt` error when the file is no message. */
  expect(bytes: Uint8Array, fileName: string, file?: FileTime): ReadMessage {
    return messageOrThrow(this.parse(bytes, fileName, file))
  }

  /** `undefined` when it is no message. */
  recordOf(bytes: Uint8Array, fileName: string, file?: FileTime): AcmqRecord | undefined {
    const read = this.parse(bytes, fileName, file)
    return read.outcome === 'message' ? read.message.record : undefined
  }

  /** For moves that judge or change a message: what is larger than one is given in part, and `parse` calls it malformed. */
  get bounded(): { readonly atMost: number } {
    return { atMost: this.settings.largestMessage + 1 }
  }

  /** The bytes of a message that lies there; `undefined` when it is gone. Throws when it cannot be read or is too large. */
  async readWhole(path: TreePath): Promise<Leaf | undefined> {
    const read = await readOrSayWhy(this.tree, path, { most: this.settings.largestMessage })
    if (!read || !isUnread(read)) return read
    throw errorOf(unread(read, nameOf(path)))
  }

  /** Reads many headers quickly where the tree can. Answers the names for which `readHeader` has to be used. */
  async readHeaders(
    queue: QueueName,
    names: readonly string[],
    onMessage: (name: string, record: AcmqRecord) => void,
  ): Promise<readonly string[]> {
    const { tree } = this
    if (!tree.heads || names.length < worthReadingTogether) return names
    const left: string[] = []
    for (let at = 0; at < names.length; at += mostTogether) {
      const some = names.slice(at, at + mostTogether)
      const done = new Set<string>()
      await tree.heads(this.queues[queue], some, headBytes, (name, head, size) => {
        const record = size > this.settings.largestMessage ? undefined : this.#recordInHead(head, name)
        if (!record) return
        done.add(name)
        onMessage(name, record)
      })
      left.push(...some.filter((name) => !done.has(name)))
    }
    return left
  }

  /** Only of a head with a whole header in it, in which nothing is wrong. */
  #recordInHead(head: Uint8Array, name: string): AcmqRecord | undefined {
    const own = parseOwnMessage(head, this.place)
    if (own) return own.message.record
    const record = head.length < headBytes || endsHeader(head) ? this.recordOf(head, name) : undefined
    // Then the time of the file counts, which is not known here.
    return record?.timestamp === unknownTime ? undefined : record
  }

  /** `undefined` when there is no such file. `malformed`: also what is no file, or too large. `closed`: this user may not read it. */
  async readHeader(queue: QueueName, name: string): Promise<HeaderRead | undefined> {
    try {
      const path = this.at(queue, name)
      const most = this.settings.largestMessage
      let leaf = await readOrSayWhy(this.tree, path, { most, atMost: headBytes })
      if (leaf && !isUnread(leaf) && leaf.bytes.length < leaf.size && !endsHeader(leaf.bytes)) {
        leaf = await readOrSayWhy(this.tree, path, { most, atMost: longestHeader })
      }
      if (!leaf) return undefined
      if (isUnread(leaf)) return unread(leaf, name)
      const read = this.parse(leaf.bytes, name, leaf)
      return read.outcome === 'message' ? { ...read, changedAt: leaf.changedAt } : read
    } catch (error) {
      if (error instanceof SignalboxError && error.kind === 'Corrupt') return malformedBy(error)
      throw error
    }
  }

  async readRecord(queue: QueueName, name: string): Promise<AcmqRecord | undefined> {
    const read = await this.readHeader(queue, name)
    return read?.outcome === 'message' ? read.message.record : undefined
  }
}

export const filesAt = ({ tree, clock, settings, place }: MissionPlaces): MissionFiles =>
  new MissionFiles(tree, clock, settings, place)

export type ReadHeader = ReadMessage & { readonly changedAt: number }
export type HeaderRead = ReadHeader | MalformedMessage | ClosedMessage

type FileTime = { readonly modifiedAt?: number | undefined }
const unknownFile: FileTime = {}

const malformed = (problem: Problem, file: string): MalformedMessage => ({
  outcome: 'malformed',
  problems: [problem],
  details: { file },
})

const unread = ({ outcome, problem }: Unread, file: string): MalformedMessage | ClosedMessage =>
  outcome === 'closed' ? { outcome, problems: [problem], details: { file } } : malformed(problem, file)

/** Why a file is not read as a message, in a line for people. */
export const unreadableReason = ({ outcome, problems: [problem] }: MalformedMessage | ClosedMessage): string =>
  outcome === 'closed' ? withHint(problem) : problem.message

/** What is wrong, and what a person can do. */
export const withHint = ({ message, hint }: Problem): string => (hint === undefined ? message : `${message} ${hint}`)

/** How much of a file is read for its header. Our own headers take a third of this. */
const headBytes = 1024
/** A longer header does not count as one. */
export const longestHeader = 64 * 1024
const worthReadingTogether = 16
/** Between two batches other work of this process gets a turn, and the engine checks that the folder is still the same. */
const mostTogether = 1000

/** True when a closing `---` line, and its end, is within what was read. */
const endsHeader = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).subarray(0, -2).includes('\n---', 3)

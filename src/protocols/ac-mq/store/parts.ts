/** Reading the messages of a mission. */
import { bufferOf } from '../../../formats/front-matter.ts'
import { longestHeader } from '../../../formats/header-field.ts'
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
  parse(bytes: Uint8Array, fileName: string, file: FileTime = unknownFile): ParsedMessage {
    const { timeoutSeconds, largestMessage } = this.settings
    const problem = tooLarge(bytes.length, largestMessage)
    if (problem) return malformed(problem, fileName)
    const { address } = this.place
    return parseMessage(bytes, { fileName, address, timeoutSeconds, modifiedAt: file.modifiedAt })
  }

  /** Throws a `Corrupt` error when the bytes are no message. */
  expect(bytes: Uint8Array, fileName: string, file?: FileTime): ReadMessage {
    return messageOrThrow(this.parse(bytes, fileName, file))
  }

  /** `undefined` when the bytes are no message. */
  recordOf(bytes: Uint8Array, fileName: string, file?: FileTime): AcmqRecord | undefined {
    const read = this.parse(bytes, fileName, file)
    return read.outcome === 'message' ? read.message.record : undefined
  }

  /** For moves that judge or change a message. A larger file is read in part, and `parse` calls it malformed. */
  get bounded(): { readonly atMost: number } {
    return { atMost: this.settings.largestMessage + 1 }
  }

  /** `undefined` when the file is gone. Throws when it cannot be read or is too large. */
  async readWhole(path: TreePath): Promise<Leaf | undefined> {
    const read = await readOrSayWhy(this.tree, path, { most: this.settings.largestMessage })
    if (!read || !isUnread(read)) return read
    throw errorOf(unread(read, nameOf(path)))
  }

  /** Reads many headers at once where the tree can. Returns the names that have to be read by `readHeader`. */
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

  /** `undefined` unless the whole header is in `head` and says all that is needed. */
  #recordInHead(head: Uint8Array, name: string): AcmqRecord | undefined {
    const own = parseOwnMessage(head, this.place)
    if (own) return own.message.record
    const record = head.length < headBytes || endsHeader(head) ? this.recordOf(head, name) : undefined
    // Without a timestamp the time of the file counts, which is not known here.
    return record?.timestamp === unknownTime ? undefined : record
  }

  /** `undefined` when there is no such file. `malformed`: also a link or folder, and a file that is too large. */
  async readHeader(queue: QueueName, name: string): Promise<ReadHeader | MalformedMessage | ClosedMessage | undefined> {
    try {
      const path = this.at(queue, name)
      const most = this.settings.largestMessage
      let leaf = await readOrSayWhy(this.tree, path, { most, atMost: headBytes })
      if (leaf && !isUnread(leaf) && leaf.bytes.length < leaf.size && !endsHeader(leaf.bytes)) {
        leaf = await readOrSayWhy(this.tree, path, { most, atMost: wholeHeaderBytes })
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

type FileTime = { readonly modifiedAt?: number | undefined }
const unknownFile: FileTime = {}

const malformed = (problem: Problem, file: string): MalformedMessage => ({
  outcome: 'malformed',
  problems: [problem],
  details: { file },
})

const unread = ({ outcome, problem }: Unread, file: string): MalformedMessage | ClosedMessage =>
  outcome === 'closed' ? { outcome, problems: [problem], details: { file } } : malformed(problem, file)

/** Why a file cannot be read as a message, in a line for people. */
export const unreadableReason = ({ outcome, problems: [problem] }: MalformedMessage | ClosedMessage): string =>
  outcome === 'closed' ? withHint(problem) : problem.message

export const withHint = ({ message, hint }: Problem): string => (hint === undefined ? message : `${message} ${hint}`)

/** How much of a file is read for its header. Our own headers take a third of this. */
const headBytes = 1024
/** Enough for the longest header and the lines around it. */
export const wholeHeaderBytes = 2 * longestHeader
const worthReadingTogether = 16
/** Between two batches the event loop runs other work, and the engine checks that the folder is still the same. */
const mostTogether = 1000

/** True when these bytes hold a closing `---` line with its line end. */
const endsHeader = (bytes: Uint8Array): boolean => bufferOf(bytes).subarray(0, -2).includes('\n---', 3)

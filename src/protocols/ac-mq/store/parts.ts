/** One mission's place on the tree and what is needed to read its messages: shared by everything in this folder. */
import type { Clock } from '../../../kernel/clock.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import type { Tree } from '../../../tree/tree.ts'
import { type AcmqMessage, parseMessage, parseOwnMessage } from '../format.ts'
import { type MissionPlace, missionPath, queuePath } from '../layout.ts'
import type { QueueName } from '../schema.ts'
import type { AcmqSettings } from '../settings.ts'

export class MissionFiles {
  readonly tree: Tree
  readonly clock: Clock
  readonly settings: AcmqSettings
  readonly place: MissionPlace
  readonly path: TreePath
  readonly queues: Readonly<Record<QueueName, TreePath>>
  #lastName = ''

  constructor(tree: Tree, clock: Clock, settings: AcmqSettings, place: MissionPlace) {
    this.tree = tree
    this.clock = clock
    this.settings = settings
    this.place = place
    this.path = missionPath(place)
    this.queues = {
      pending: queuePath(place, 'pending'),
      processing: queuePath(place, 'processing'),
      completed: queuePath(place, 'completed'),
      failed: queuePath(place, 'failed'),
    }
  }

  at(queue: QueueName, name: string): TreePath {
    // A message is asked for in one queue after the other, under the name that was checked the first time.
    if (name === this.#lastName) return `${this.queues[queue]}/${name}` as TreePath
    const path = childOf(this.queues[queue], name)
    this.#lastName = name
    return path
  }

  /** The place of a path that is relative to the mission. */
  inside(path: string): TreePath {
    return path.split('/').reduce(childOf, this.path)
  }

  /** Reads the header of a message. Throws a `Corrupt` error that says what is wrong with it. */
  parse(bytes: Uint8Array, fileName: string): AcmqMessage {
    const { timeoutSeconds } = this.settings
    return parseMessage(bytes, { fileName, address: this.place.address, defaults: { timeoutSeconds } })
  }

  /**
   * Reads the headers of many messages, quickly where the tree can. Answers the names that are left: gone, or to be read one
   * by one, by which it is also found out what is wrong with them.
   */
  async readHeaders(
    queue: QueueName,
    names: readonly string[],
    onMessage: (name: string, message: AcmqMessage) => void,
  ): Promise<readonly string[]> {
    const { tree } = this
    if (!tree.heads || names.length < worthReadingTogether) return names
    const left: string[] = []
    for (let at = 0; at < names.length; at += mostTogether) {
      const some = names.slice(at, at + mostTogether)
      const done = new Set<string>()
      await tree.heads(this.queues[queue], some, headBytes, (name, head) => {
        const message = this.#parseHead(head, name)
        if (!message) return
        done.add(name)
        onMessage(name, message)
      })
      left.push(...some.filter((name) => !done.has(name)))
    }
    return left
  }

  /** Only of a head with a whole header in it, in which nothing is wrong. */
  #parseHead(head: Uint8Array, name: string): AcmqMessage | undefined {
    const own = parseOwnMessage(head, this.place)
    if (own) return own
    try {
      return head.length < headBytes || endsHeader(head) ? this.parse(head, name) : undefined
    } catch (error) {
      if (error instanceof SignalboxError) return undefined
      throw error
    }
  }

  /** Enough for any header that is not itself an attack. */
  async readHeader(queue: QueueName, name: string): Promise<HeaderRead | undefined> {
    const leaf = await this.tree.read(this.at(queue, name), { atMost: headBytes })
    if (!leaf) return undefined
    const { bytes, size, modifiedAt, changedAt } = leaf
    if (bytes.length < size && !endsHeader(bytes)) {
      const whole = await this.tree.read(this.at(queue, name), { atMost: longestHeader })
      if (!whole) return undefined
      return { message: this.parse(whole.bytes, name), size, modifiedAt, changedAt }
    }
    return { message: this.parse(bytes, name), size, modifiedAt, changedAt }
  }
}

export interface HeaderRead {
  readonly message: AcmqMessage
  readonly size: number
  readonly modifiedAt: number
  readonly changedAt: number
}

/** Ours take a third of this; it is read for each of a hundred thousand. */
const headBytes = 1024
/** A header that is longer is none. */
export const longestHeader = 64 * 1024
const worthReadingTogether = 16
/** In between others get a turn, and the folder is made sure of. */
const mostTogether = 1000

/** True when a closing `---` line, and its end, is within what was read. */
const endsHeader = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).subarray(0, -2).includes('\n---', 3)

/**
 * Puts in order what crashes and other programs leave: a status that disagrees with its folder, a finished message
 * that was not moved, one message in two queues, files that are no messages. The folder is the truth, except where a
 * status shows that its agent was further than the move. AC-MQ §4, §9.1.
 */
import { SignalboxError } from '../../../kernel/errors.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import { failureOf, withFailure, withStatus } from '../format.ts'
import { archivePath, isMessageName, isoTime } from '../layout.ts'
import { type QueueName, queueNames } from '../schema.ts'
import type { HeaderRead, MissionFiles } from './mission-files.ts'
import type { PendingIndex } from './pending-index.ts'

export interface Repair {
  readonly what: 'status' | 'finished' | 'duplicate' | 'quarantined' | 'waiting' | 'strange'
  readonly path: string
  /** One sentence for people. */
  readonly message: string
}

/** How far along a copy is: of two copies of one message the further one counts. */
const progress: Record<QueueName, number> = { pending: 0, processing: 1, failed: 2, completed: 3 }

export class Reconciliation {
  readonly #files: MissionFiles
  readonly #index: PendingIndex

  constructor(files: MissionFiles, index: PendingIndex) {
    this.#files = files
    this.#index = index
  }

  async run(): Promise<Repair[]> {
    const repairs: Repair[] = []
    const places = new Map<string, { queue: QueueName; name: string }>()
    for (const queue of queueNames) {
      for (const { name, kind } of await this.#files.tree.list(this.#files.queues[queue])) {
        if (!isMessageName(name)) continue
        if (kind !== 'leaf') {
          repairs.push({
            what: 'strange',
            path: this.#files.at(queue, name),
            message: `Not an ordinary file (${kind}); it is left alone.`,
          })
          continue
        }
        const read = await this.#read(queue, name, repairs)
        if (!read) continue
        const { id } = read.message.record
        const other = places.get(id)
        const place = { queue, name }
        if (other) repairs.push(...(await this.#oneOfTwo(other, place)))
        places.set(id, other && progress[other.queue] >= progress[queue] ? other : place)
        repairs.push(...(await this.#agree(queue, name, read)))
      }
    }
    return repairs
  }

  async #read(queue: QueueName, name: string, repairs: Repair[]): Promise<HeaderRead | undefined> {
    try {
      return await this.#files.readHeader(queue, name)
    } catch (error) {
      if (!(error instanceof SignalboxError) || error.kind !== 'Corrupt') throw error
      repairs.push(...(await this.setAside(queue, name, error)))
      return undefined
    }
  }

  /** A file that is no message, once nobody is writing it any more, waits in `failed/` for a person, with the reason. */
  async setAside(queue: QueueName, name: string, error: SignalboxError): Promise<Repair[]> {
    const { tree, clock, settings } = this.#files
    const path = this.#files.at(queue, name)
    const now = await tree.look(path)
    if (!now) return []
    if (queue === 'failed') return this.#reportOnce(name, error)
    if (clock.now() - now.changedAt < settings.quarantineAfterMs) {
      return [{ what: 'waiting', path, message: `${error.message} It may still be being written.` }]
    }
    const moved = await tree.move(path, this.#files.at('failed', name))
    if (moved.outcome !== 'moved') return []
    this.#index.drop(name)
    await this.#reportOnce(name, error)
    return [{ what: 'quarantined', path: this.#files.at('failed', name), message: error.message }]
  }

  /** Line by line at the end, so that the file itself, which may be huge, is not rewritten. */
  async #reportOnce(name: string, error: SignalboxError): Promise<Repair[]> {
    const { tree, clock } = this.#files
    const path = this.#files.at('failed', name)
    const size = (await tree.look(path))?.size ?? 0
    if (size > largestReported) return []
    const leaf = await tree.read(path)
    if (!leaf || failureOf(leaf.bytes)) return []
    const failure = {
      agent: 'signalbox',
      at: clock.now(),
      reason: error.message,
      ...(error.hint ? { detail: error.hint } : {}),
    }
    const report = withFailure(new Uint8Array(), failure).toString('utf8')
    for (const line of report.split('\n').slice(0, -1)) await tree.append(path, line.replaceAll('\r', ''))
    return []
  }

  /** Status and folder say the same, or one follows the other. */
  async #agree(queue: QueueName, name: string, { message }: HeaderRead): Promise<Repair[]> {
    const { status } = message.record
    if (status === queue) return []
    const path = this.#files.at(queue, name)
    // Its agent had finished and died before the move: roll it forward.
    if (queue === 'processing' && (status === 'completed' || status === 'failed')) {
      const moved = await this.#files.tree.move(path, this.#files.at(status, name), { unique: true })
      if (moved.outcome !== 'moved') return []
      if (status === 'completed') this.#index.wake(message.record.id)
      return [{ what: 'finished', path: this.#files.at(status, name), message: `It was ${status} but not moved yet.` }]
    }
    const edited = await this.#files.tree.move(path, path, { change: (before) => withStatus(before, queue) })
    if (edited.outcome !== 'moved') return []
    return [{ what: 'status', path, message: `Its status said ${JSON.stringify(status)}; it is in ${queue}.` }]
  }

  /** The copy that is less far goes out of the way; nothing is deleted. */
  async #oneOfTwo(a: { queue: QueueName; name: string }, b: { queue: QueueName; name: string }): Promise<Repair[]> {
    const lesser = progress[a.queue] < progress[b.queue] ? a : b
    const path = this.#files.at(lesser.queue, lesser.name)
    const aside = childOf(
      childOf(archivePath(this.#files.place), 'duplicates'),
      `${stampOf(this.#files.clock.now())}-${lesser.name}`,
    )
    const moved = await this.#files.tree.move(path, aside)
    if (moved.outcome !== 'moved') return []
    this.#index.drop(lesser.name)
    const further = lesser === a ? b : a
    return [
      {
        what: 'duplicate',
        path: aside,
        message: `The same message is in ${further.queue}; this copy from ${lesser.queue} is set aside.`,
      },
    ]
  }
}

const largestReported = 16 * 1024 * 1024
const stampOf = (now: number) => isoTime(now).replaceAll(/[-:TZ]/g, '')

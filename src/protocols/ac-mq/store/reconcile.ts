/**
 * Repairs what crashes and other programs leave: a status that disagrees with its folder, a finished message that was not moved,
 * one message in two queues, files that are no messages. The folder decides, unless the status is further along. AC-MQ §4, §9.1.
 * Messages in order are remembered, so that a process that stays reads only new files and a few others in turn.
 */
import type { Problem } from '../../../kernel/problem.ts'
import { nameOf } from '../../../kernel/tree-path.ts'
import { withStatus } from '../format.ts'
import { isMessageName, isoTime } from '../layout.ts'
import { transitions } from '../lifecycle.ts'
import { type AcmqRecord, forQueues, type QueueName, queueNames } from '../schema.ts'
import { EditChecks } from './edit-checks.ts'
import { FolderView } from './folder-view.ts'
import { moveMessage, setAside } from './moving.ts'
import { type MissionFiles, wholeHeaderBytes, withHint } from './parts.ts'
import { reportReason } from './quarantine.ts'
import type { WaitingMessages } from './waiting/waiting.ts'

export interface Repair {
  readonly what: 'status' | 'finished' | 'duplicate' | 'quarantined' | 'waiting' | 'strange' | 'closed'
  readonly path: string
  readonly message: string
}

interface QueuePlace {
  readonly queue: QueueName
  readonly name: string
}

/** Of two copies of a message the one that is further along counts. */
const progress: Record<QueueName, number> = { pending: 0, processing: 1, failed: 2, completed: 3 }

export class Reconciliation {
  readonly #files: MissionFiles
  readonly #waiting: WaitingMessages
  readonly #views: Readonly<Record<QueueName, FolderView>>
  /** For each queue, the names of messages in order, with their ids. */
  readonly #inOrder = forQueues(() => new Map<string, string>())
  readonly #places = new Map<string, QueuePlace>()
  readonly #editChecks = forQueues(() => new EditChecks())

  constructor(files: MissionFiles, waiting: WaitingMessages) {
    this.#files = files
    this.#waiting = waiting
    this.#views = forQueues((queue) => new FolderView(files.tree, files.queues[queue]))
  }

  async run({ everything = false } = {}): Promise<Repair[]> {
    const repairs: Repair[] = []
    const now = await this.#files.tree.now()
    // All queues are listed first, `failed/` last: otherwise a message that is retried meanwhile would be seen twice.
    for (const queue of queueNames) {
      await this.#views[queue].update(true, ({ went }) => {
        for (const name of went) this.#forget(queue, name)
      })
    }
    for (const queue of queueNames) {
      const [view, known] = [this.#views[queue], this.#inOrder[queue]]
      const due = new Set(this.#editChecks[queue].next(known, now))
      for (const [name, kind] of [...view.names]) {
        if (!isMessageName(name)) continue
        if (kind !== 'leaf') {
          const message = `Not an ordinary file (${kind}); it is left alone.`
          repairs.push({ what: 'strange', path: this.#files.at(queue, name), message })
          continue
        }
        if (!everything && queue !== 'processing' && known.has(name) && !due.has(name)) continue
        repairs.push(...(await this.#settle(queue, name)))
      }
    }
    return repairs
  }

  async #settle(queue: QueueName, name: string): Promise<Repair[]> {
    const repairs: Repair[] = []
    this.#forget(queue, name)
    const read = await this.#files.readHeader(queue, name)
    if (!read) return repairs
    if (read.outcome === 'closed') {
      return [{ what: 'closed', path: this.#files.at(queue, name), message: withHint(read.problems[0]) }]
    }
    if (read.outcome === 'malformed') {
      // A malformed file in `failed/` waits for a person; its report is written once.
      if (queue === 'failed') this.#inOrder.failed.set(name, '')
      return this.setAside(queue, name, read.problems[0])
    }
    const { id } = read.message.record
    const other = this.#places.get(id)
    if (other) repairs.push(...(await this.#oneOfTwo(id, other, { queue, name })))
    const agreed = await this.#agree(queue, name, read.message.record)
    // A message that was just repaired is checked again in the next pass.
    if (agreed.length > 0) return [...repairs, ...agreed]
    this.#inOrder[queue].set(name, id)
    if (!other || progress[other.queue] < progress[queue]) this.#places.set(id, { queue, name })
    return repairs
  }

  #forget(queue: QueueName, name: string): void {
    const id = this.#inOrder[queue].get(name)
    this.#inOrder[queue].delete(name)
    const place = id === undefined ? undefined : this.#places.get(id)
    if (place?.queue === queue && place.name === name) this.#places.delete(id!)
  }

  /** Moves a file that is no message to `failed/`, with the reason, once no program seems to be writing it any more. */
  async setAside(queue: QueueName, name: string, problem: Problem): Promise<Repair[]> {
    const { tree, settings } = this.#files
    const path = this.#files.at(queue, name)
    const now = await tree.look(path)
    if (!now) return []
    if (queue === 'failed') {
      await reportReason(this.#files, name, problem)
      return []
    }
    if ((await tree.now()) - now.changedAt < settings.quarantineAfterMs) {
      return [{ what: 'waiting', path, message: `${problem.message} It may still be being written.` }]
    }
    const isTooLarge = now.size > settings.largestMessage
    const { moved, path: target } = await moveMessage(
      this.#files,
      { name, from: queue, transition: 'quarantine' },
      {
        // Judged again when it is won, because its writer may have finished it meanwhile.
        change: (before) => (this.#files.recordOf(before, name) ? undefined : before),
        // The header is enough. For a file that is too large, the default reads as much as shows that.
        ...(isTooLarge ? {} : { atMost: wholeHeaderBytes }),
      },
    )
    if (moved.outcome !== 'moved') return []
    this.#waiting.went(name)
    await reportReason(this.#files, nameOf(target), problem)
    return [{ what: 'quarantined', path: target, message: problem.message }]
  }

  async #agree(queue: QueueName, name: string, { status, id, attempt }: AcmqRecord): Promise<Repair[]> {
    if (status === queue) return []
    // Another process may have changed the message since it was read, so the change checks it again.
    const ifStillSo = (change: (before: Uint8Array) => Uint8Array) => ({
      change: (before: Uint8Array) => {
        const record = this.#files.recordOf(before, name)
        const isStillSo = record?.id === id && record.attempt === attempt && record.status === status
        return isStillSo ? change(before) : undefined
      },
    })
    // The agent finished and died before the move, so the move is made now.
    const ending = queue === 'processing' ? endings.find((one) => transitions.processing[one] === status) : undefined
    if (ending) {
      const step = { name, from: queue, transition: ending }
      const same = ifStillSo((before) => before)
      const { moved, path: target } = await moveMessage(this.#files, step, same)
      if (moved.outcome !== 'moved') return []
      if (status === 'completed') this.#waiting.wake(id)
      return [{ what: 'finished', path: target, message: `It was ${status} but not moved yet.` }]
    }
    const corrected = ifStillSo((before) => withStatus(before, queue))
    const { moved } = await moveMessage(this.#files, { name, from: queue, transition: 'correct' }, corrected)
    if (moved.outcome !== 'moved') return []
    const path = this.#files.at(queue, name)
    return [{ what: 'status', path, message: `Its status said ${JSON.stringify(status)}; it is in ${queue}.` }]
  }

  /** Sets aside the copy that is less far along. */
  async #oneOfTwo(id: string, a: QueuePlace, b: QueuePlace): Promise<Repair[]> {
    const [lesser, further] = progress[a.queue] < progress[b.queue] ? [a, b] : [b, a]
    if (a.queue === b.queue && a.name === b.name) return []
    const at = { name: lesser.name, from: lesser.queue }
    const as = `${stampOf(this.#files.clock.now())}-${lesser.name}`
    const { moved, path } = await setAside(this.#files, at, as, {
      // Read again while no other process can move the lesser copy: a message that was moved between two listings was seen
      // in two places although it is in one.
      change: async (before) => {
        const kept = Buffer.from(before)
        const record = this.#files.recordOf(before, lesser.name)
        const there = record?.id === id ? await this.#files.readRecord(further.queue, further.name) : undefined
        return there?.id === id && there.attempt >= record!.attempt ? kept : undefined
      },
    })
    if (moved.outcome !== 'moved') return []
    this.#waiting.went(lesser.name)
    const message = `The same message is in ${further.queue}; this copy from ${lesser.queue} is set aside.`
    return [{ what: 'duplicate', path, message }]
  }
}

const endings = ['complete', 'fail'] as const

const stampOf = (now: number) => isoTime(now).replaceAll(/[-:TZ]/g, '')

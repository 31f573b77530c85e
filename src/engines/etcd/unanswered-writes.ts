/**
 * Finds out whether a write was done whose answer never came. It may still lie in the memory of a paused member and be done
 * in an hour, when another process has long moved the message on: then there would be two.
 *
 * So it is revoked first: every write is done only if there is no key with its operation's id under `revoked`. Once that
 * key is there, the write is either done already or never will be. The history of the folder's stamp, in which every write
 * leaves its id, tells which.
 */
import { unavailable } from '../../kernel/errors.ts'
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Gateway } from './gateway.ts'
import { type Keys, wire } from './keys.ts'
import { foundBy, get, isPresent, type KeyValue, put, revisionOf, type TransactionAnswer } from './transaction.ts'
import { parseValue, printValue } from './value.ts'

interface Unanswered {
  readonly operation: string
  /** The folder in whose stamp the operation left its id if it was done. */
  readonly folder: TreePath
  /** A revision of the cluster before the write was sent. */
  readonly since: number
  readonly now: number
}

/** How long revocations are kept. No member keeps a request for longer than that. */
const keepSeconds = 3600
const patienceMs = 20_000
/** After so many writes a process is likely to go on writing. */
const manyWrites = 20
/** If a member sends no history for so long, go to another one. */
const silenceMs = 500

export class UnansweredWrites {
  readonly #gateway: Gateway
  readonly #keys: Keys
  #lease: Promise<string> | undefined
  #count = 0

  constructor(gateway: Gateway, keys: Keys) {
    this.#gateway = gateway
    this.#keys = keys
  }

  /** The revision at which the write was done; `undefined` if it was not, and never will be. */
  async find({ operation, folder, since, now }: Unanswered): Promise<number | undefined> {
    const stamp = this.#keys.stamp(folder)
    const lease = await this.#leaseForRevocations()
    const revocation = put(this.#keys.revoked(operation), '', lease)
    const answer = await this.#until(() =>
      this.#gateway.write<TransactionAnswer>('/v3/kv/txn', {
        compare: [isPresent(stamp)],
        // A new stamp marks the end of the history to be read.
        success: [
          get(stamp),
          revocation,
          put(stamp, printValue({ modifiedAt: now, changedAt: now, by: `not ${operation}` })),
        ],
        failure: [revocation],
      }),
    )
    // Without a stamp the folder does not exist, so no write to it was done.
    if (!answer.succeeded) return undefined
    // The stamp right before ours often has the id already. Then no history need be read.
    const [before] = foundBy(answer)[0] ?? []
    const writtenAt = Number(before?.mod_revision ?? 0)
    if (parseValue(before?.value ?? '')?.about.by === operation) return writtenAt
    if (writtenAt <= since) return undefined
    const startedAt = performance.now()
    for (;;) {
      const read = await this.#readHistory(stamp, operation, since, revisionOf(answer.header))
      if (read.isWhole) return read.revision
      if (read.isCompacted || performance.now() - startedAt > patienceMs) throw outcomeUnknown()
    }
  }

  /** One more write was answered. After many, takes a lease for revocations: none can be had while there is no leader. */
  answered(): void {
    if (++this.#count !== manyWrites) return
    void this.#leaseForRevocations().catch(() => {
      // The cluster cannot be reached now. The lease is asked for again when it is needed.
    })
  }

  /** For writes that leave a trace of their own: after this, such a write is done already or never will be. */
  async revoke(operation: string): Promise<void> {
    const lease = await this.#leaseForRevocations()
    const key = wire(this.#keys.revoked(operation))
    await this.#until(() => this.#gateway.write('/v3/kv/put', { key, value: '', lease }))
  }

  #readHistory(stamp: string, operation: string, since: number, until: number): Promise<HistoryRead> {
    return new Promise((resolve) => {
      let found: number | undefined
      const done = (read: HistoryRead) => {
        clearTimeout(timer)
        stream.close()
        resolve(read)
      }
      const { host } = this.#gateway
      const giveUp = () => {
        this.#gateway.leave(host)
        done({ isWhole: false, isCompacted: false })
      }
      let timer = setTimeout(giveUp, silenceMs)
      const stream = this.#gateway.stream(
        '/v3/watch',
        { create_request: { key: wire(stamp), start_revision: `${since + 1}` } },
        {
          onMessage: ({ events = [] }: { events?: readonly { kv: KeyValue }[] }) => {
            // The member is still sending.
            clearTimeout(timer)
            timer = setTimeout(giveUp, silenceMs)
            for (const { kv } of events) {
              const revision = Number(kv.mod_revision)
              if (parseValue(kv.value ?? '')?.about.by === operation) found = revision
              if (revision >= until) return done({ isWhole: true, revision: found })
            }
          },
          onEnd: ({ compacted }) => done({ isWhole: false, isCompacted: compacted }),
        },
      )
    })
  }

  #leaseForRevocations(): Promise<string> {
    const grant = async () => {
      const body = { TTL: `${keepSeconds}` }
      const { ID } = await this.#until(() => this.#gateway.write<{ ID: string }>('/v3/lease/grant', body))
      return ID
    }
    this.#lease ??= grant().catch((error: unknown) => {
      this.#lease = undefined
      throw error
    })
    // A revocation ends with its lease, so take a new lease before too little time is left on this one.
    setTimeout(() => (this.#lease = undefined), (keepSeconds * 1000) / 4).unref()
    return this.#lease
  }

  /** Repeats a write until it is answered. Only for writes whose repetition changes nothing. */
  async #until<Answer>(write: () => Promise<Answer | undefined>): Promise<Answer> {
    const startedAt = performance.now()
    for (;;) {
      const answer = await write()
      if (answer !== undefined) return answer
      if (performance.now() - startedAt > patienceMs) throw outcomeUnknown()
    }
  }
}

type HistoryRead =
  | { readonly isWhole: true; readonly revision: number | undefined }
  | { readonly isWhole: false; readonly isCompacted: boolean }

const outcomeUnknown = () =>
  unavailable('OUTCOME_UNKNOWN', 'The etcd cluster did not say whether a write was done, and cannot be asked now.', {
    hint: 'Wait until a majority of the members is back, look whether it was done, and repeat it if not.',
  })

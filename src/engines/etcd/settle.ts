/**
 * What became of a write whose answer never came. It may have had its effect, or not, or still lie in the memory of a
 * paused member and have it in an hour, when somebody has long moved the message on: then it would be there twice.
 *
 * So it is revoked first. Every write is done only if no key carries the id of its operation under `revoked`; putting
 * that key decides the matter, whoever it was that was slow. And every write leaves its id in the stamp of a folder,
 * whose history up to the revocation then says whether it had its effect, whatever others did since.
 */
import { unavailable } from '../../kernel/errors.ts'
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Gateway } from './gateway.ts'
import { type Keys, wire } from './keys.ts'
import { foundBy, get, isPresent, type KeyValue, put, revisionOf, type TransactionAnswer } from './transaction.ts'
import { parseValue, printValue } from './value.ts'

export interface Unanswered {
  readonly operation: string
  /** In whose stamp the operation would have left its id. */
  readonly folder: TreePath
  /** A revision of the cluster before the write was sent. */
  readonly since: number
  readonly now: number
}

/** Revocations are kept this long: no member comes back with a request older than that. */
const keepSeconds = 3600
const patienceMs = 20_000
/** A member that tells nothing of the past for so long is left for another one. */
const silenceMs = 500

export class Settling {
  readonly #gateway: Gateway
  readonly #keys: Keys
  #lease: Promise<string> | undefined

  constructor(gateway: Gateway, keys: Keys) {
    this.#gateway = gateway
    this.#keys = keys
  }

  /** The revision at which it had its effect; `undefined` when it had none, and now never will. */
  async settle({ operation, folder, since, now }: Unanswered): Promise<number | undefined> {
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
    // Without the folder's stamp no write to the folder can have been done.
    if (!answer.succeeded) return undefined
    // As it was just before: where little happens, that says everything.
    const [before] = foundBy(answer)[0] ?? []
    const writtenAt = Number(before?.mod_revision ?? 0)
    if (parseValue(before?.value ?? '')?.about.by === operation) return writtenAt
    if (writtenAt <= since) return undefined
    return this.#inHistory(stamp, operation, since, revisionOf(answer.header))
  }

  /** For a process that goes on writing: what is needed when there is no leader is better had before. */
  prepare(): void {
    void this.#leaseForRevocations().catch(() => {
      // Unreachable just now: it is asked for again when it is needed.
    })
  }

  /** For writes that say by themselves whether they were done: from here on they will not be. */
  async revoke(operation: string): Promise<void> {
    const lease = await this.#leaseForRevocations()
    const key = wire(this.#keys.revoked(operation))
    await this.#until(() => this.#gateway.write('/v3/kv/put', { key, value: '', lease }))
  }

  async #inHistory(stamp: string, operation: string, since: number, until: number): Promise<number | undefined> {
    const startedAt = performance.now()
    for (;;) {
      const read = await this.#readHistory(stamp, operation, since, until)
      if (read.isWhole) return read.revision
      if (read.isCompacted || performance.now() - startedAt > patienceMs) throw outcomeUnknown()
    }
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
            // Whoever is still telling is not gone.
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
    // It must outlive the revocations made with it: a new one in good time.
    setTimeout(() => (this.#lease = undefined), (keepSeconds * 1000) / 4).unref()
    return this.#lease
  }

  /** These may be repeated: doing them twice is doing them once. */
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

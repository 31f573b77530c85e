/**
 * The etcd lease that the turns of this process depend on. If it is not renewed in time, etcd deletes their keys, so a turn
 * ends with its process. It is renewed only while a turn needs it, and runs out otherwise.
 */
import type { Gateway } from './gateway.ts'

/**
 * How long the next process waits for a turn whose holder has died. Less would not do on a busy machine: some renewals may get
 * no answer, which takes 0.4 to 5 s to notice. While the cluster has no leader no lease runs out. etcd makes at least 2 s of it.
 */
const usualSeconds = 5

interface Held {
  readonly id: string
  /** When the last renewal that got an answer was sent. */
  renewedAt: number
}

export class Session {
  readonly #gateway: Gateway
  readonly #seconds: number
  #held: Held | undefined
  #opening: Promise<string> | undefined
  #users = 0
  #renewals: NodeJS.Timeout | undefined

  constructor(gateway: Gateway, seconds = usualSeconds) {
    this.#gateway = gateway
    this.#seconds = seconds
  }

  /** The id of a lease that is renewed until `leave`. */
  async join(): Promise<string> {
    this.#users++
    try {
      this.#opening ??= this.#open().finally(() => {
        this.#opening = undefined
      })
      const id = await this.#opening
      this.#renewals ??= setInterval(() => void this.#renew(), this.renewMs).unref()
      return id
    } catch (error) {
      this.leave()
      throw error
    }
  }

  leave(): void {
    if (--this.#users === 0) this.close()
  }

  /** Stops using a lease that has run out, or should. The next caller gets another one. */
  abandon(id: string): void {
    if (this.#held?.id === id) this.#held = undefined
  }

  close(): void {
    clearInterval(this.#renewals)
    this.#renewals = undefined
  }

  /** How often a sign of life is due. */
  get renewMs(): number {
    return this.silenceMs / 3
  }

  /** A process that gives no sign of life for so long counts as dead. */
  get silenceMs(): number {
    return this.#seconds * 1000
  }

  async #open(): Promise<string> {
    const held = this.#held
    if (held && performance.now() - held.renewedAt > this.renewMs) await this.#renew()
    if (this.#held) return this.#held.id
    const renewedAt = performance.now()
    // If the answer gets lost, the lease runs out by itself.
    const { ID: id } = await this.#gateway.read<{ ID: string }>('/v3/lease/grant', { TTL: `${this.#seconds}` })
    this.#held = { id, renewedAt }
    return id
  }

  /** Ignores failures: if the lease has run out, the next write says so. */
  async #renew(): Promise<void> {
    const held = this.#held
    if (!held) return
    const sentAt = performance.now()
    try {
      const { result } = await this.#gateway.read<KeptAlive>('/v3/lease/keepalive', { ID: held.id })
      if (Number(result?.TTL ?? 0) > 0) held.renewedAt = sentAt
      else this.abandon(held.id)
    } catch {
      // No member answers, or the login fails.
      this.abandon(held.id)
    }
  }
}

interface KeptAlive {
  /** Missing if the lease has run out. */
  readonly result?: { readonly TTL?: string }
}

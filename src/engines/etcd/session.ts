/**
 * The lease of etcd that the turns of this process hang on: etcd drops their keys when it has not been renewed in time,
 * so that a turn ends with its process. It is renewed only while somebody needs it, and one that nobody needs runs out.
 */
import type { Gateway } from './gateway.ts'

/**
 * Who waits for a dead process waits for so long. A shorter time would be lost to a busy machine: there must be room
 * for some renewals that get no answer, each of which is noticed after 0.4 to 5 s. While the cluster has no leader no
 * lease runs out. etcd makes 2 s of anything shorter.
 */
export const usualSeconds = 5

interface Held {
  readonly id: string
  /** When the last renewal that was answered had been sent. */
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

  /** The id of a lease that is kept until `leave`. */
  async join(): Promise<string> {
    this.#users++
    try {
      this.#opening ??= this.#open().finally(() => {
        this.#opening = undefined
      })
      const id = await this.#opening
      this.#renewals ??= setInterval(() => void this.#renew(), this.#renewMs).unref()
      return id
    } catch (error) {
      this.leave()
      throw error
    }
  }

  leave(): void {
    if (--this.#users === 0) this.close()
  }

  /** This one has run out, or has to: the next to come get another. */
  abandon(id: string): void {
    if (this.#held?.id === id) this.#held = undefined
  }

  close(): void {
    clearInterval(this.#renewals)
    this.#renewals = undefined
  }

  get #renewMs(): number {
    return (this.#seconds * 1000) / 3
  }

  async #open(): Promise<string> {
    const held = this.#held
    if (held && performance.now() - held.renewedAt > this.#renewMs) await this.#renew()
    if (this.#held) return this.#held.id
    const renewedAt = performance.now()
    // One that was granted without an answer hurts nobody, and runs out.
    const { ID: id } = await this.#gateway.read<{ ID: string }>('/v3/lease/grant', { TTL: `${this.#seconds}` })
    this.#held = { id, renewedAt }
    return id
  }

  /** Failing is no matter here: whoever writes is told what became of the lease. */
  async #renew(): Promise<void> {
    const held = this.#held
    if (!held) return
    const sentAt = performance.now()
    try {
      const { result } = await this.#gateway.read<KeptAlive>('/v3/lease/keepalive', { ID: held.id })
      if (Number(result?.TTL ?? 0) > 0) held.renewedAt = sentAt
      else this.abandon(held.id)
    } catch {
      // No member answers, or none lets us in.
      this.abandon(held.id)
    }
  }
}

interface KeptAlive {
  /** Without a time it has run out. */
  readonly result?: { readonly TTL?: string }
}

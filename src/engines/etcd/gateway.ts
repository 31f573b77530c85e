/**
 * Speaks to the cluster's JSON gateway: chooses the member, the time-out and the login, and reads the answers. After a
 * failure it goes to the next member and repeats reads there. For a write whose answer never came it gives `undefined`:
 * only the caller can find out whether it was done.
 */
import { call } from '../../kernel/call.ts'
import { pause } from '../../kernel/clock.ts'
import { type SignalboxError, unavailable } from '../../kernel/errors.ts'
import { type EtcdAddress, type Host, printAddress, printHost } from './address.ts'
import { ClusterTime } from './cluster-time.ts'
import { type KeyRange, Keys, wire } from './keys.ts'
import { findLeader } from './leader.ts'
import { Pace } from './pace.ts'
import { judge, judgeRefusal, loginNeeded } from './refusals.ts'
import { type Header, type RangeAnswer, revisionOf } from './transaction.ts'
import { NoAnswer, type Reply, type Stream, type TlsFiles, Transport } from './transport.ts'

interface GatewayOptions {
  readonly address: EtcdAddress
  readonly user?: string | undefined
  /** Read when it is needed, so that a new password counts without a restart. */
  readonly password?: (() => string) | undefined
  readonly tls?: TlsFiles | undefined
  /** How long to go on trying while members do not answer. */
  readonly patienceMs?: number | undefined
}

export interface Watched {
  readonly onMessage: (message: never) => void
  /** The stream has ended. `compacted`: the history from which it should begin is not kept any more. */
  readonly onEnd: (end: { readonly compacted: boolean; readonly error?: SignalboxError }) => void
}

/** Longer than any election. For so long we try members that are up but do not answer. */
const defaultPatience = 20_000
/** How long we try if no member can be reached at all: the address may be mistyped, and the user should hear soon. */
const patienceWithRefusals = 3000
const longestPause = 200
/** A member that failed is not asked again for so long, while others can be. */
const avoidMs = 3000
/** Hashing a password is slow by design and takes the cluster a good part of a second. */
const loginMs = 3000
const pageMs = 3000
/** A member answers a question about itself at once. */
const statusMs = 200
/** More would only wait in the cluster, and run into our time-outs there. */
const mostInFlight = 32

interface Ask {
  readonly isWrite: boolean
  readonly path: string
  readonly body: string
  /** How much longer than usual to wait. */
  readonly moreMs?: number
}

export class Gateway {
  /** The newest revision of the cluster in any answer so far. */
  revision = 0
  /** What time it is at the members. */
  readonly time: ClusterTime
  readonly #options: GatewayOptions
  readonly #transport: Transport
  readonly #pace = new Pace()
  readonly #limit = new RequestLimit(mostInFlight)
  readonly #leftAt = new Map<Host, number>()
  #at: number
  /** The last request got no answer, and none has been answered since. */
  #isTroubled = false
  #search: Promise<Host | undefined> | undefined
  #token: string | undefined
  #login: Promise<void> | undefined

  constructor(options: GatewayOptions) {
    this.#options = options
    this.#transport = new Transport(options.tls)
    // A question that every user may ask: roles are limited to the keys of their tenant.
    const anything = { key: wire(new Keys(options.address.tenant).prefix), count_only: true }
    this.time = new ClusterTime(() => this.read('/v3/kv/range', anything))
    // Start at a random member, to spread the load.
    this.#at = Math.floor(Math.random() * options.address.hosts.length)
  }

  get hosts(): readonly Host[] {
    return this.#options.address.hosts
  }

  /** Asks until a member answers. Only for requests that may be repeated. */
  async read<Answer>(path: string, body: object): Promise<Answer> {
    return (await this.#ask({ isWrite: false, path, body: JSON.stringify(body) })) as Answer
  }

  /** All keys of a range at one revision, in pages, with more time for each. */
  async *pages({ from, to }: KeyRange, pageSize: number, options: { readonly keys_only?: true } = {}) {
    let [key, revision, more]: [string, number, boolean] = [wire(from), 0, true]
    while (more) {
      const at = revision > 0 ? { revision: `${revision}` } : {}
      const body = JSON.stringify({ key, range_end: wire(to), limit: `${pageSize}`, ...options, ...at })
      const page = (await this.#ask({ isWrite: false, path: '/v3/kv/range', body, moreMs: pageMs })) as RangeAnswer
      const { kvs = [] } = page
      revision ||= revisionOf(page.header)
      yield { kvs, revision }
      more = page.more === true && kvs.length > 0
      // The next possible key: the last one and a zero byte.
      if (more) key = Buffer.concat([Buffer.from(kvs.at(-1)!.key, 'base64'), Buffer.of(0)]).toString('base64')
    }
  }

  /** `undefined`: the answer never came. The write may have been done, or may still be done later. */
  async write<Answer>(path: string, body: object): Promise<Answer | undefined> {
    return (await this.#ask({ isWrite: true, path, body: JSON.stringify(body) })) as Answer | undefined
  }

  /** Asks one member about itself, once. */
  async askMember<Answer>(host: Host, path: string, timeoutMs: number): Promise<Answer> {
    const judged = judge(await this.#transport.request(host, path, '{}', { token: this.#token, timeoutMs }))
    if (judged.is === 'answer') return judged.document as Answer
    throw judged.is === 'refused' ? judged.error : new NoAnswer(judged.why, true)
  }

  /** The metrics of a member as text; `undefined` if it does not show them. */
  async metricsOf(host: Host, timeoutMs: number): Promise<string | undefined> {
    try {
      const { status, text } = await this.#transport.request(host, '/metrics', '', { timeoutMs, method: 'GET' })
      return status === 200 ? text : undefined
    } catch (error) {
      if (error instanceof NoAnswer) return undefined
      throw error
    }
  }

  stream(path: string, body: object, { onMessage, onEnd }: Watched): Stream {
    const host = this.host
    return this.#transport.stream(host, path, JSON.stringify(body), {
      token: this.#token,
      onLine: (line) => {
        const { result, error } = JSON.parse(line) as StreamLine
        if (result && !result.canceled) {
          this.#note(result.header)
          onMessage(result as never)
          return
        }
        // A refusal comes with status 200.
        const why = result?.cancel_reason ?? error?.message ?? 'canceled'
        const judged = judgeRefusal(error?.grpc_code, why)
        if (judged.is === 'login') this.#token = undefined
        const compacted = judged.is === 'compacted' || Number(result?.compact_revision ?? 0) > 0
        onEnd({ compacted, ...(judged.is === 'refused' ? { error: judged.error } : {}) })
      },
      onEnd: () => {
        this.leave(host)
        onEnd({ compacted: false })
      },
    })
  }

  /** Stops using a member: asks the next one from now on, and this one last. */
  leave(host: Host = this.host): void {
    const now = performance.now()
    this.#leftAt.set(host, now)
    if (this.host !== host) return
    const { length } = this.hosts
    const others = Array.from({ length: length - 1 }, (_, i) => (this.#at + 1 + i) % length)
    const isGood = (at: number) => now - (this.#leftAt.get(this.hosts[at]!) ?? Number.NEGATIVE_INFINITY) > avoidMs
    this.#at = others.find(isGood) ?? others[0] ?? this.#at
  }

  /** The member in use. */
  get host(): Host {
    return this.hosts[this.#at]!
  }

  close(): void {
    this.#isTroubled = false
    this.#transport.close()
  }

  async #ask(ask: Ask): Promise<unknown> {
    const { isWrite, path } = ask
    const { patienceMs = defaultPatience } = this.#options
    const startedAt = performance.now()
    let isOnlyRefused = true
    let logins = 0
    for (let tries = 1; ; tries++) {
      if (this.#options.user !== undefined && this.#token === undefined && path !== loginPath) await this.#logIn()
      const host = this.host
      let why: string
      try {
        const judged = judge(await this.#limit.take(() => this.#sendUnlessLedElsewhere(host, ask)))
        if (judged.is === 'answer') {
          this.#isTroubled = false
          this.#note((judged.document as { header?: Header }).header)
          return judged.document
        }
        if (judged.is === 'refused') throw judged.error
        if (judged.is === 'compacted') throw compacted()
        why = judged.why
        isOnlyRefused = false
        if (judged.is === 'login') {
          if (this.#options.user === undefined) throw loginNeeded()
          this.#token = undefined
          if (++logins > 3) throw loginNeeded()
          continue
        }
        this.#isTroubled = true
        this.leave(host)
        if (judged.is === 'unknown' && isWrite) return undefined
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error
        this.#isTroubled = true
        if (error instanceof LedElsewhere) this.#at = this.hosts.indexOf(error.leader)
        else this.leave(host)
        if (error.wasSent) isOnlyRefused = false
        if (error.wasSent && isWrite) return undefined
        why = error.message
      }
      const patience = isOnlyRefused ? Math.min(patienceMs, patienceWithRefusals) : patienceMs
      if (performance.now() - startedAt > patience) throw this.#unreachable(host, why)
      // Go to the next member at once; wait only after all have been asked.
      if (tries % this.hosts.length === 0) await pause(Math.min(longestPause, 10 * tries))
    }
  }

  /** While requests fail, stops waiting as soon as another member has become the leader. */
  async #sendUnlessLedElsewhere(host: Host, ask: Ask): Promise<Reply> {
    const sending = this.#send(host, ask)
    if (!this.#isTroubled || this.hosts.length === 1) return sending
    this.#search ??= findLeader({
      hosts: this.hosts,
      ask: (one) => this.askMember(one, '/v3/maintenance/status', statusMs),
      isWanted: () => this.#isTroubled,
    }).finally(() => (this.#search = undefined))
    const leader = await Promise.race([this.#search, sending.then(() => undefined)])
    if (leader === undefined || leader === host) return sending
    // No caller waits for this request any more, so its failure must not count as unhandled.
    sending.catch(() => {})
    throw new LedElsewhere(leader)
  }

  async #send(host: Host, { path, body, moreMs = path === loginPath ? loginMs : 0 }: Ask) {
    const startedAt = performance.now()
    const timeoutMs = this.#pace.timeoutMs + moreMs
    try {
      const reply = await this.#transport.request(host, path, body, { token: this.#token, timeoutMs })
      const receivedAt = performance.now()
      this.time.heard(reply.date, startedAt, receivedAt)
      if (moreMs === 0) this.#pace.answered(receivedAt - startedAt)
      return reply
    } catch (error) {
      if (performance.now() - startedAt >= timeoutMs) this.#pace.waitedInVain()
      throw error
    }
  }

  /** One login for all requests that wait for it: it takes 0.2 s. */
  #logIn(): Promise<void> {
    this.#login ??= (async () => {
      try {
        const { user: name, password } = this.#options
        const answer = await this.read<{ token?: string }>(loginPath, { name, password: password?.() ?? '' })
        this.#token = answer.token ?? ''
      } finally {
        this.#login = undefined
      }
    })()
    return this.#login
  }

  #note(header: Header | undefined): void {
    if (header) this.revision = Math.max(this.revision, revisionOf(header))
  }

  #unreachable(host: Host, why: string): SignalboxError {
    return unavailable(
      'ENGINE_UNREACHABLE',
      `No member of ${printAddress(this.#options.address)} answers; ${printHost(host)}: ${why}.`,
      {
        hint: `Check the address, the network and the members (${call('doctor')}), then repeat the command.`,
        details: { hosts: this.hosts.map(printHost), why },
      },
    )
  }
}

class LedElsewhere extends NoAnswer {
  readonly leader: Host

  constructor(leader: Host) {
    super(`${printHost(leader)} leads now`, true)
    this.leader = leader
  }
}

const loginPath = '/v3/auth/authenticate'

interface StreamLine {
  readonly result?: {
    readonly header?: Header
    readonly canceled?: boolean
    readonly cancel_reason?: string
    readonly compact_revision?: string
  }
  readonly error?: { readonly grpc_code?: number; readonly message?: string }
}

const compacted = () =>
  unavailable('HISTORY_COMPACTED', 'The etcd cluster does not keep that moment any more.', {
    hint: 'Repeat the command. If it happens often, keep history longer: --auto-compaction-retention 5m.',
  })

/** Lets so many requests run at a time. One that waits here has not been sent, and its time-out has not begun. */
class RequestLimit {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(count: number) {
    this.#free = count
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}

/** The hooks for signatures, encryption, rate limits and the refusal of copies. Each is off unless configured. */
import { call } from '../../../kernel/call.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import type { Tree } from '../../../tree/tree.ts'
import {
  type Hooks,
  type Incoming,
  type Opened,
  type Refusal,
  type Rejection,
  rejected,
  type Sealed,
} from '../hooks.ts'
import type { MrMessage } from '../schema.ts'
import type { SecuritySettings } from '../settings.ts'
import { isSealed, openPayload, type SealedPayload, type Sealing, sealPayload } from './encryption.ts'
import type { KeyRing } from './keys.ts'
import { RateLimits } from './rate-limits.ts'
import { Replays } from './replay.ts'
import { isSignable, rejectSignature, sign } from './signing.ts'

interface GuardParts {
  readonly tree: Tree
  /** Asked for only where something is signed, verified or encrypted: rate limits need no keys. */
  readonly keys: () => Promise<KeyRing>
  readonly sealing: () => Promise<Sealing>
  readonly settings: SecuritySettings
}

type GuardHooks = Required<Pick<Hooks, 'admit' | 'seal' | 'open' | 'verify' | 'vouch' | 'recover'>>

export class Guards implements GuardHooks {
  readonly #parts: GuardParts
  readonly #settings: SecuritySettings
  readonly #rates: RateLimits | undefined
  readonly #replays: Replays | undefined

  constructor(parts: GuardParts) {
    this.#parts = parts
    this.#settings = parts.settings
    const { signing, messagesPerMinute: perMinute, replayWindowMs: windowMs } = parts.settings
    this.#rates = perMinute > 0 ? new RateLimits(parts.tree, { perMinute }) : undefined
    this.#replays = signing === 'off' ? undefined : new Replays(parts.tree, { windowMs })
  }

  /** Keys first: a message that cannot be sealed should not use up the sender's rate. */
  async admit(from: string, to: string, now: number): Promise<Refusal | undefined> {
    const { signing, encryption } = this.#settings
    if (signing !== 'off' && !(await (await this.#parts.keys()).signingKey(from))) return noKey(from, 'sign with')
    if (encryption) {
      if ((await (await this.#parts.keys()).recipientOf(to)) === undefined) return noKey(to, 'encrypt to')
      // Loading takes long, and `seal` runs in the turn of the inbox.
      await (await this.#parts.sealing()).load()
    }
    const rated = await this.#rates?.takeForSending(from, now)
    return rated?.outcome === 'empty' ? tooFast(from, rated.retryAt - now, this.#settings) : undefined
  }

  /** Encrypts first and then signs, so that a reader recognises a forgery without decrypting it. */
  async seal(message: MrMessage): Promise<Sealed | Refusal> {
    const { signing, encryption } = this.#settings
    if ((signing !== 'off' || encryption) && !isSignable(message)) return unsignable
    let sealed = message
    if (encryption) {
      const recipient = await (await this.#parts.keys()).recipientOf(message.to)
      if (recipient === undefined) return noKey(message.to, 'encrypt to')
      sealed = await sealPayload(sealed, recipient, await this.#parts.sealing())
    }
    if (signing !== 'off') {
      const key = await (await this.#parts.keys()).signingKey(message.from)
      if (!key) return noKey(message.from, 'sign with')
      sealed = sign(sealed, key)
    }
    return { outcome: 'sealed', message: sealed }
  }

  /**
   * Signature and copy are checked before the rate: a forger must not use up the rate of the agent that it pretends to be. A
   * message is remembered as handed out only after all other checks.
   */
  open(incoming: Incoming): Promise<Opened | Rejection> {
    return rejectedIfUnjudged(() => this.#admitOrReject(incoming))
  }

  async verify(agent: string, message: MrMessage): Promise<Rejection | undefined> {
    if (this.#settings.signing === 'off') return undefined
    // Its signature may be valid, but a message for another agent means nothing here.
    if (message.to !== agent) return misaddressed(message, agent)
    return rejectedIfUnjudged(() => this.#rejectForgery(message))
  }

  async vouch(message: MrMessage): Promise<MrMessage> {
    const key = this.#settings.signing === 'off' ? undefined : await (await this.#parts.keys()).signingKey(message.from)
    return key && isSignable(message) ? sign(message, key) : message
  }

  async #admitOrReject(incoming: Incoming): Promise<Opened | Rejection> {
    const { agent, message, now, isPeek } = incoming
    const forged = await this.#rejectForgery(message)
    if (forged) return forged
    const copied = await this.#replays?.look(agent, message)
    if (copied) return copied
    const opened = isSealed(message.payload) ? await this.#open(message, message.payload, agent) : inClear(message)
    if (opened.outcome === 'rejected' || isPeek) return opened
    const arrivedAt = incoming.arrivedAt ?? Date.parse(message.timestamp)
    const rated = await this.#rates?.takeForReceiving(agent, message.from, arrivedAt)
    if (rated?.outcome === 'empty') return overRate(message.from, this.#settings)
    return (await this.#replays?.admit(agent, message, now)) ?? opened
  }

  async recover(agent: string, message: MrMessage): Promise<void> {
    await this.#replays?.permit(agent, message)
  }

  async #rejectForgery(message: MrMessage): Promise<Rejection | undefined> {
    const { signing } = this.#settings
    if (signing === 'off') return undefined
    const trusted = await (await this.#parts.keys()).trustedKeys(message.from)
    // A sender with a trusted key always signs, so an unsigned message in its name is forged.
    return signing === 'sign' && trusted.length === 0 ? undefined : rejectSignature(message, trusted)
  }

  async #open(message: MrMessage, payload: SealedPayload, agent: string): Promise<Opened | Rejection> {
    const identity = await (await this.#parts.keys()).identityOf(agent)
    if (identity !== undefined) return openPayload(message, payload, identity, await this.#parts.sealing())
    return rejected('NOT_OPENED', `The payload is encrypted, and the key of ${agent} that opens it is not here`)
  }
}

const judgementFails: ReadonlySet<string> = new Set(['NOT_CANONICAL', 'BAD_KEY_FILE', 'BAD_JSON'])

/** Damaged keys, or a text without canonical bytes: this message is rejected, and the next one can still be judged. */
async function rejectedIfUnjudged<T>(judge: () => Promise<T>): Promise<T | Rejection> {
  try {
    return await judge()
  } catch (error) {
    if (error instanceof SignalboxError && judgementFails.has(error.code))
      return rejected('UNKNOWN_KEY', `It cannot be verified: ${error.message.replace(/\.$/, '')}`)
    throw error
  }
}

const inClear = (message: MrMessage): Opened => ({ outcome: 'opened', message })

const refusal = (code: string, reason: string, hint: string): Refusal => ({ outcome: 'refused', code, reason, hint })

const noKey = (agent: string, purpose: string): Refusal =>
  refusal(
    'NO_KEY',
    `There is no key of ${agent} to ${purpose}.`,
    `Make one: ${call('mr keys', { agent, generate: true })}`,
  )

const unsignable = refusal(
  'NOT_CANONICAL',
  'The message holds text that is not well-formed Unicode, which can be neither signed nor encrypted.',
  'Remove halves of surrogate pairs from the payload.',
)

function tooFast(from: string, waitMs: number, { messagesPerMinute }: SecuritySettings): Refusal {
  const reason = `${from} may send ${messagesPerMinute} messages a minute and has sent them.`
  const hint = `Try again in ${Math.ceil(waitMs / 1000)} s.`
  return { ...refusal('RATE_LIMITED', reason, hint), retryAfterMs: Math.ceil(waitMs) }
}

const misaddressed = ({ to }: MrMessage, agent: string): Rejection =>
  rejected('WRONG_INBOX', `The message is for ${to}, not for ${agent}`)

const overRate = (from: string, { messagesPerMinute }: SecuritySettings): Rejection =>
  rejected('RATE_EXCEEDED', `More than ${messagesPerMinute} messages a minute came from ${from}`)

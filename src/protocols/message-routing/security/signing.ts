/**
 * Signing messages and verifying them. Pure but for the arithmetic of Ed25519.
 *
 * What is signed is the canonical JSON of every field but `signature`: sender, recipient, id, number, time, payload and
 * whatever else stands there, so that nothing can be changed, added or taken away unnoticed.
 * See docs/decisions/0020-signed-messages.md.
 */
import type { KeyObject } from 'node:crypto'
import { SignalboxError } from '../../../kernel/errors.ts'
import { type Rejection, rejected } from '../hooks.ts'
import type { MrMessage } from '../schema.ts'
import { printCanonical } from './canonical.ts'

export interface SigningKey {
  readonly id: string
  readonly privateKey: KeyObject
}

/** A public key that the owner of the key ring has entered for an agent. */
export interface TrustedKey {
  readonly id: string
  readonly publicKey: KeyObject
  /** What it signed before this moment still counts. */
  readonly retiredAt?: number
}

export interface Signature {
  readonly algorithm: 'ed25519'
  /** Says which of several keys it was; a hint for people, never what decides. */
  readonly key: string
  /** Base64url of the 64 bytes. */
  readonly value: string
}

// Loaded when first needed: a command that signs nothing does not pay for it.
const crypto = () => process.getBuiltinModule('node:crypto')

/** The bytes that a signature is about. */
export function signedBytes({ signature: _, ...rest }: MrMessage): Buffer {
  return Buffer.from(printCanonical(rest))
}

/** False where a text is not well-formed: it has no bytes that could be signed. */
export function isSignable(message: MrMessage): boolean {
  try {
    signedBytes(message)
    return true
  } catch (error) {
    if (error instanceof SignalboxError && error.code === 'NOT_CANONICAL') return false
    throw error
  }
}

/** Names a message by all that it says: equal digests mean the same message. 128 bits, base64url. */
export const messageDigest = (message: MrMessage): string =>
  crypto().createHash('sha256').update(signedBytes(message)).digest().toString('base64url', 0, 16)

/** The message with the signature as its last field. One that was there before is replaced. */
export function sign(message: MrMessage, key: SigningKey): MrMessage {
  const value = crypto().sign(null, signedBytes(message), key.privateKey).toString('base64url')
  const signature: Signature = { algorithm: 'ed25519', key: key.id, value }
  const { signature: _, ...rest } = message
  return { ...(rest as MrMessage), signature }
}

/** The signature, if it has the shape of one of ours. A text, which other programs write there, does not count. */
export function signatureIn(message: MrMessage): Signature | undefined {
  const found = message.signature
  if (typeof found !== 'object' || found === null) return undefined
  const { algorithm, key, value } = found as Partial<Record<keyof Signature, unknown>>
  return algorithm === 'ed25519' && typeof key === 'string' && keyId.test(key) && typeof value === 'string'
    ? { algorithm, key, value }
    : undefined
}

/** It is repeated in log lines, so it must not be able to say anything else. */
const keyId = /^[A-Za-z0-9_-]{1,64}$/

/** Why the signature does not hold, or `undefined` when it does. `trusted` are the keys of the agent in `from`. */
export function rejectSignature(message: MrMessage, trusted: readonly TrustedKey[]): Rejection | undefined {
  const { from } = message
  const signature = signatureIn(message)
  if (!signature) return rejected('UNSIGNED', unsignedBecause(message))
  if (trusted.length === 0)
    return rejected('UNKNOWN_KEY', `No key of ${from} is known here, so nobody can tell whether it wrote this`)
  const key = findSigner(message, signature, trusted)
  if (!key) {
    const isNamed = trusted.some(({ id }) => id === signature.key)
    const why = isNamed ? 'it was altered after it was signed' : `it names the key ${signature.key}, which is another's`
    return rejected('BAD_SIGNATURE', `The signature is not one of ${from} over this content: ${why}`)
  }
  if (key.retiredAt !== undefined && !(Date.parse(message.timestamp) < key.retiredAt)) {
    const when = new Date(key.retiredAt).toISOString()
    return rejected('UNKNOWN_KEY', `It is signed with a key that ${from} gave up at ${when}`)
  }
  return undefined
}

function findSigner(message: MrMessage, { value }: Signature, trusted: readonly TrustedKey[]): TrustedKey | undefined {
  const bytes = signedBytes(message)
  const signature = Buffer.from(value, 'base64url')
  return trusted.find(({ publicKey }) => crypto().verify(null, bytes, publicKey, signature))
}

const unsignedBecause = (message: MrMessage): string =>
  Object.hasOwn(message, 'signature')
    ? `Its signature is not an Ed25519 signature, and messages from ${message.from} must have one`
    : `It is not signed, and messages from ${message.from} must be`

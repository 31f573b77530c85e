/**
 * Signing messages and verifying them, with Ed25519.
 *
 * The signature covers the canonical JSON of all other fields, known and unknown, so that no field can be changed, added or removed
 * unnoticed. See docs/decisions/0020-signed-messages.md.
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
  /** Messages from before this time are still accepted. */
  readonly retiredAt?: number
}

export interface Signature {
  readonly algorithm: 'ed25519'
  /** The id of the key: for people only. Verifying tries all trusted keys. */
  readonly key: string
  /** Base64url of the 64 bytes. */
  readonly value: string
}

// Loaded when first needed: a command that signs nothing does not pay for it.
const crypto = () => process.getBuiltinModule('node:crypto')

function signedBytes({ signature: _, ...rest }: MrMessage): Buffer {
  return Buffer.from(printCanonical(rest))
}

/** False where a text is not well-formed Unicode, which has no canonical bytes. */
export function isSignable(message: MrMessage): boolean {
  try {
    signedBytes(message)
    return true
  } catch (error) {
    if (error instanceof SignalboxError && error.code === 'NOT_CANONICAL') return false
    throw error
  }
}

/** Messages with equal digests are the same. 128 bits, base64url. */
export const messageDigest = (message: MrMessage): string =>
  crypto().createHash('sha256').update(signedBytes(message)).digest().toString('base64url', 0, 16)

/** The message with the signature as its last field. An earlier signature is replaced. */
export function sign(message: MrMessage, key: SigningKey): MrMessage {
  const value = crypto().sign(null, signedBytes(message), key.privateKey).toString('base64url')
  const signature: Signature = { algorithm: 'ed25519', key: key.id, value }
  const { signature: _, ...rest } = message
  return { ...(rest as MrMessage), signature }
}

/** The signature, if it has our form. Other programs write a text there, which does not count. */
export function signatureIn(message: MrMessage): Signature | undefined {
  const found = message.signature
  if (typeof found !== 'object' || found === null) return undefined
  const { algorithm, key, value } = found as Partial<Record<keyof Signature, unknown>>
  return algorithm === 'ed25519' && typeof key === 'string' && keyId.test(key) && typeof value === 'string'
    ? { algorithm, key, value }
    : undefined
}

/** It is printed in log lines, so other characters are refused. */
const keyId = /^[A-Za-z0-9_-]{1,64}$/

/** Why the signature is not valid; `undefined` when it is. `trusted`: the keys of the agent in `from`. */
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

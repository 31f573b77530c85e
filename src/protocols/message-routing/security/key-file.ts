/**
 * The files of the key ring. Pure.
 *
 *   public/dev-1.json    the trusted keys of dev-1. Written only by the owner of the ring.
 *   private/dev-1.pem    the signing key, PKCS#8
 *   private/dev-1.age    the identity that opens what is encrypted to dev-1, as the `age` program reads it
 */
import { parseJson, printJson } from '../../../formats/json.ts'
import { call } from '../../../kernel/call.ts'
import { corrupt } from '../../../kernel/errors.ts'

interface PublicKeyEntry {
  /** The first 16 hex digits of the SHA-256 of the 32 bytes. */
  readonly id: string
  /** The 32 bytes, base64url. */
  readonly publicKey: string
  readonly createdAt: string
  readonly retiredAt?: string
}

export interface PublicKeys {
  readonly agent: string
  /** Newest first; those after the first are retired. */
  readonly signing: readonly PublicKeyEntry[]
  /** `age1…` */
  readonly encryption?: string
}

export const printPublicKeys = (keys: PublicKeys): Buffer => Buffer.from(printJson(keys))

/** Throws for anything unexpected: a guess here could let a forgery in. */
export function parsePublicKeys(bytes: Uint8Array, agent: string): PublicKeys {
  const value = parseJson(bytes, { maxBytes: 64 * 1024, maxDepth: 8, onDuplicate: 'refuse' })
  const keys = value as Partial<PublicKeys> | null
  const isWhole =
    typeof keys === 'object' &&
    keys !== null &&
    keys.agent === agent &&
    Array.isArray(keys.signing) &&
    keys.signing.every(isEntry) &&
    (keys.encryption === undefined || isRecipient(keys.encryption))
  if (!isWhole) throw badKeys(agent)
  return keys as PublicKeys
}

const isEntry = (entry: unknown): entry is PublicKeyEntry => {
  if (typeof entry !== 'object' || entry === null) return false
  const { id, publicKey, createdAt, retiredAt } = entry as Partial<Record<keyof PublicKeyEntry, unknown>>
  return (
    typeof publicKey === 'string' &&
    isPublicKey(publicKey) &&
    id === keyIdOf(publicKey) &&
    isTime(createdAt) &&
    (retiredAt === undefined || isTime(retiredAt))
  )
}

const isTime = (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value))

/** 32 bytes as base64url: 43 signs. */
export const isPublicKey = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)
export const isRecipient = (text: unknown): text is string =>
  typeof text === 'string' && /^age1[a-z0-9]{58}$/.test(text)

export const keyIdOf = (publicKey: string): string =>
  process.getBuiltinModule('node:crypto').hash('sha256', Buffer.from(publicKey, 'base64url'), 'hex').slice(0, 16)

export const printIdentity = (identity: string, recipient: string, createdAt: string): Buffer =>
  Buffer.from(`# created: ${createdAt}\n# public key: ${recipient}\n${identity}\n`)

export function parseIdentity(bytes: Uint8Array): string | undefined {
  const lines = Buffer.from(bytes).toString('utf8').split(/\r?\n/)
  return lines.map((line) => line.trim()).find((line) => /^AGE-SECRET-KEY-1[A-Z0-9]{58}$/.test(line))
}

const badKeys = (agent: string) =>
  corrupt('BAD_KEY_FILE', `The file with the public keys of ${agent} cannot be trusted as it is.`, {
    hint: `Restore it, or remove it and make new ones: ${call('mr keys', { agent, generate: true })}`,
    details: { agent },
  })

/**
 * The key ring: private keys of the agents that run here, public keys of all that are trusted.
 *
 * It lies in a directory that belongs to one user alone, always in files and never in the workspace: every user of a cluster
 * would read all private keys, and the author of a workspace could bring some along. Being in the ring is the trust: its
 * owner enters a key, which is never learned from a message. See docs/decisions/0020-signed-messages.md.
 */
import type { KeyObject } from 'node:crypto'
import type { Clock } from '../../../kernel/clock.ts'
import { conflict, corrupt, denied, invalidInput, SignalboxError } from '../../../kernel/errors.ts'
import { childOf, type TreePath, treePath } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import type { Revision, Tree } from '../../../tree/tree.ts'
import { isAgentId } from '../layout.ts'
import type { MrPorts } from '../ports.ts'
import type { Sealing } from './encryption.ts'
import {
  isPublicKey,
  isRecipient,
  keyIdOf,
  type PublicKeys,
  parseIdentity,
  parsePublicKeys,
  printIdentity,
  printPublicKeys,
} from './key-file.ts'
import type { SigningKey, TrustedKey } from './signing.ts'

/** In the directory that `keysFolder` names. */
export const ringFolder = treePath('keys')

export async function openRing(clock: Clock, named: string | undefined, ports: Partial<MrPorts>): Promise<KeyRing> {
  const { keysFolder, openTree, sealing } = ports
  if (!keysFolder || !openTree || !sealing) throw withoutPlace()
  const home = named ?? (await keysFolder())
  // Opened with the defaults, so that only its owner can read what is made there.
  return new KeyRing({ tree: await openTree(home), clock, home, sealing: await sealing() })
}

/** Also what `keysFolder` throws where the environment names no home directory. */
export const isNoPlace = (error: unknown): boolean =>
  error instanceof SignalboxError && error.code === 'NO_PLACE_FOR_KEYS'

const withoutPlace = () =>
  denied('NO_PLACE_FOR_KEYS', 'There is no place for keys: Message Routing was opened without one.', {
    hint: 'Open the workspace with `openWorkspace`, or hand `keysFolder`, `openTree` and `sealing` to `open`.',
  })

export interface KeyRingParts {
  /** Its files can be read and written by their owner alone. */
  readonly tree: Tree
  readonly clock: Clock
  /** The directory of the tree, as it was named; where the tree is unless given. */
  readonly home?: string
  /** Left out: keys for signing only. */
  readonly sealing?: Sealing
}

/** What may be shown of an agent's keys: never a private one. */
export interface KeyView {
  readonly agent: string
  readonly signing?: { readonly id: string; readonly publicKey: string; readonly createdAt: string }
  readonly encryption?: string
  /** Keys of before that still count for what they signed then. */
  readonly retired: number
  /** Whether this ring can sign as that agent. */
  readonly isOwn: boolean
}

export class KeyRing {
  /** The directory that the ring lies in, for people. */
  readonly home: string
  readonly #parts: KeyRingParts
  readonly #trusted = new Map<string, Remembered<readonly TrustedKey[]>>()
  readonly #signing = new Map<string, Remembered<SigningKey>>()

  constructor(parts: KeyRingParts) {
    this.#parts = parts
    this.home = parts.home ?? parts.tree.place
  }

  /** Lets go of the tree. */
  async close(): Promise<void> {
    await this.#parts.tree.close()
  }

  /** All agents in the ring, by name. */
  async list(): Promise<KeyView[]> {
    const entries = await this.#parts.tree.list(publicFolder)
    const agents = entries.flatMap(({ name, kind }) => {
      const agent = name.replace(/\.json$/, '')
      return kind === 'leaf' && name.endsWith('.json') && isAgentId(agent) ? [agent] : []
    })
    return (await Promise.all(agents.map((agent) => this.show(agent)))).filter((view) => view !== undefined)
  }

  async show(agent: string): Promise<KeyView | undefined> {
    const keys = await this.#read(agent)
    if (!keys) return undefined
    const [current, ...retired] = keys.signing
    return {
      agent,
      ...(current && current.retiredAt === undefined ? { signing: withoutTime(current) } : {}),
      ...(keys.encryption === undefined ? {} : { encryption: keys.encryption }),
      retired: retired.length,
      isOwn: (await this.#parts.tree.look(pemOf(agent))) !== undefined,
    }
  }

  /**
   * Makes the keys that an agent lacks; with `replace`, new ones, and the old are retired. Interrupted half-way, the
   * next call goes on from there: the public key is always worked out from the private one that is in place.
   */
  async generate(
    agent: string,
    { replace = false } = {},
  ): Promise<{ readonly outcome: 'created' | 'replaced' | 'unchanged'; readonly key: KeyView }> {
    checkAgent(agent)
    const before = await this.#read(agent)
    // Trusted, but not ours to sign with: its private key is elsewhere.
    if (before && !replace && !(await this.#parts.tree.look(pemOf(agent)))) throw otherKey(agent)
    if (replace) await this.#giveUp(agent)
    const publicKey = await this.#makeSigningKey(agent)
    const encryption = this.#parts.sealing && (await this.#makeIdentity(agent, this.#parts.sealing))
    const changed = await this.#enter(agent, publicKey, encryption, true)
    const key = await this.show(agent)
    if (!key) throw vanished(agent)
    return { outcome: !changed ? 'unchanged' : before ? 'replaced' : 'created', key }
  }

  /**
   * Enters a key that its owner handed over by another way than the messages themselves. One that would take the
   * place of another must be meant to.
   */
  async trust(
    agent: string,
    key: { readonly publicKey: string; readonly encryption?: string | undefined },
    { replace = false } = {},
  ): Promise<{ readonly outcome: 'trusted' | 'unchanged' }> {
    checkAgent(agent)
    if (!isPublicKey(key.publicKey) || (key.encryption !== undefined && !isRecipient(key.encryption))) {
      throw invalidInput('BAD_KEY', 'A public key is 43 signs of base64url, one for encryption begins with age1.', {
        hint: 'Copy what `signalbox mr keys AGENT` prints where the key was made.',
      })
    }
    return { outcome: (await this.#enter(agent, key.publicKey, key.encryption, replace)) ? 'trusted' : 'unchanged' }
  }

  /** The key this agent signs with; `undefined` when it has none here. */
  async signingKey(agent: string): Promise<SigningKey | undefined> {
    const leaf = await this.#parts.tree.read(pemOf(agent))
    if (!leaf) return undefined
    const known = this.#signing.get(agent)
    if (known?.revision === leaf.revision) return known.value
    const privateKey = readPrivateKey(leaf.bytes, agent)
    const value = { id: keyIdOf(publicTextOf(privateKey)), privateKey }
    this.#signing.set(agent, { revision: leaf.revision, value })
    return value
  }

  /** The keys by which messages of this agent are verified; none when none was entered. */
  async trustedKeys(agent: string): Promise<readonly TrustedKey[]> {
    // The name is the sender's own; one that no agent can have has no key, and must not stop other messages.
    if (!isAgentId(agent)) return []
    const leaf = await this.#parts.tree.read(publicPathOf(agent))
    if (!leaf) return []
    const known = this.#trusted.get(agent)
    if (known?.revision === leaf.revision) return known.value
    const value = parsePublicKeys(leaf.bytes, agent).signing.map((entry) => ({
      id: entry.id,
      publicKey: publicKeyFrom(entry.publicKey),
      ...(entry.retiredAt === undefined ? {} : { retiredAt: Date.parse(entry.retiredAt) }),
    }))
    this.#trusted.set(agent, { revision: leaf.revision, value })
    return value
  }

  /** To whom a payload for this agent is encrypted. */
  async recipientOf(agent: string): Promise<string | undefined> {
    return (await this.#read(agent))?.encryption
  }

  /** What opens payloads for this agent. */
  async identityOf(agent: string): Promise<string | undefined> {
    const leaf = await this.#parts.tree.read(identityPathOf(agent), { atMost: 4096 })
    return leaf && parseIdentity(leaf.bytes)
  }

  /** Of concurrent makers one wins, and all go on with what it made. */
  async #makeSigningKey(agent: string): Promise<string> {
    const path = pemOf(agent)
    const { generateKeyPairSync } = process.getBuiltinModule('node:crypto')
    for (;;) {
      const leaf = await this.#parts.tree.read(path, { atMost: 4096 })
      if (leaf) return publicTextOf(readPrivateKey(leaf.bytes, agent))
      const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
      await this.#parts.tree.create(path, Buffer.from(pem))
    }
  }

  async #makeIdentity(agent: string, sealing: Sealing): Promise<string> {
    for (;;) {
      const identity = await this.identityOf(agent)
      if (identity !== undefined) return sealing.recipientOf(identity)
      const made = await sealing.makeKeys()
      const text = printIdentity(made.identity, made.recipient, this.#now())
      const created = await this.#parts.tree.create(identityPathOf(agent), text)
      if (created.outcome === 'taken' && (await this.identityOf(agent)) === undefined) throw badPrivateKey(agent)
    }
  }

  /** The old identity is kept under another name: what was encrypted to it can still be opened by hand. */
  async #giveUp(agent: string): Promise<void> {
    const { tree } = this.#parts
    await tree.remove(pemOf(agent))
    const stamp = this.#now().replace(/[-:.]/g, '')
    await tree.move(identityPathOf(agent), childOf(privateFolder, `${agent}.${stamp}.age`))
  }

  /** Writes the public keys so that this one is the current one. False when it already was. */
  async #enter(agent: string, publicKey: string, encryption: string | undefined, replace: boolean): Promise<boolean> {
    const entered = await changeLeaf(this.#parts.tree, publicPathOf(agent), (leaf) => {
      const before = leaf ? parsePublicKeys(leaf.bytes, agent) : { agent, signing: [] }
      const next = withKey(before, publicKey, encryption, this.#now())
      if (next && leaf && !replace) throw otherKey(agent)
      return next && printPublicKeys(next)
    })
    return entered.outcome !== 'unchanged'
  }

  async #read(agent: string): Promise<PublicKeys | undefined> {
    const leaf = await this.#parts.tree.read(publicPathOf(agent))
    return leaf && parsePublicKeys(leaf.bytes, agent)
  }

  #now(): string {
    return new Date(this.#parts.clock.now()).toISOString()
  }
}

const [publicFolder, privateFolder] = [childOf(ringFolder, 'public'), childOf(ringFolder, 'private')]
const publicPathOf = (agent: string): TreePath => childOf(publicFolder, `${agent}.json`)
const pemOf = (agent: string): TreePath => childOf(privateFolder, `${agent}.pem`)
const identityPathOf = (agent: string): TreePath => childOf(privateFolder, `${agent}.age`)

interface Remembered<Value> {
  /** Of the file it came from. Not its time: a key that was changed in the same instant must not go on counting. */
  readonly revision: Revision
  readonly value: Value
}

/** The keys with this one first and the one before retired; `undefined` when nothing changes. */
export function withKey(
  keys: PublicKeys,
  publicKey: string,
  encryption: string | undefined,
  now: string,
): PublicKeys | undefined {
  const [current, ...older] = keys.signing
  const isCurrent = current?.publicKey === publicKey && current.retiredAt === undefined
  const isSameRecipient = encryption === undefined || encryption === keys.encryption
  if (isCurrent && isSameRecipient) return undefined
  const retired = current && !isCurrent ? [{ ...current, retiredAt: current.retiredAt ?? now }] : []
  const first = isCurrent ? current : { id: keyIdOf(publicKey), publicKey, createdAt: now }
  const recipient = encryption ?? keys.encryption
  return {
    agent: keys.agent,
    signing: [first, ...retired, ...older],
    ...(recipient === undefined ? {} : { encryption: recipient }),
  }
}

const withoutTime = ({ id, publicKey, createdAt }: NonNullable<KeyView['signing']>) => ({ id, publicKey, createdAt })

function readPrivateKey(pem: Uint8Array, agent: string): KeyObject {
  try {
    const key = process.getBuiltinModule('node:crypto').createPrivateKey(Buffer.from(pem))
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // Not a key at all: the same answer as for one of another kind, and without the text of it as a cause.
  }
  throw badPrivateKey(agent)
}

const publicTextOf = (privateKey: KeyObject): string =>
  process.getBuiltinModule('node:crypto').createPublicKey(privateKey).export({ format: 'jwk' }).x as string

const publicKeyFrom = (publicKey: string): KeyObject =>
  process
    .getBuiltinModule('node:crypto')
    .createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' })

function checkAgent(agent: string): void {
  if (isAgentId(agent)) return
  throw invalidInput('INVALID_AGENT_ID', `Not the name of an agent: ${JSON.stringify(agent.slice(0, 80))}.`, {
    hint: 'Use small letters, digits, dashes and underscores, such as dev-1.',
  })
}

const badPrivateKey = (agent: string) =>
  corrupt('BAD_KEY_FILE', `The private key of ${agent} cannot be read.`, {
    hint: `Make new ones: signalbox mr keys ${agent} --generate --replace`,
    details: { agent },
  })

const otherKey = (agent: string) =>
  conflict('OTHER_KEY', `Another key of ${agent} is already trusted.`, {
    hint: 'Ask its owner whether the key was changed; if so, say that the new one replaces it.',
    details: { agent },
  })

const vanished = (agent: string) =>
  conflict('KEY_GONE', `Somebody removed the keys of ${agent} while they were being made.`, { hint: 'Try again.' })

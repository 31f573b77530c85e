/**
 * The key ring: private keys of the agents that run here, public keys of all agents that are trusted.
 *
 * It lies in a directory of one user, always in files and never in the workspace: every user of a cluster could read the private
 * keys there, and the author of a workspace could add some. A key in the ring is trusted: the owner of the ring enters it, and no
 * message does. See docs/decisions/0020-signed-messages.md.
 */
import type { KeyObject } from 'node:crypto'
import { call } from '../../../kernel/call.ts'
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
  // With the defaults of the engine, only the owner can read the files that are made there.
  return new KeyRing({ tree: await openTree(home), clock, home, sealing: await sealing() })
}

/** `keysFolder` throws this too, where the environment names no home directory. */
export const isNoPlace = (error: unknown): boolean =>
  error instanceof SignalboxError && error.code === 'NO_PLACE_FOR_KEYS'

const withoutPlace = () =>
  denied('NO_PLACE_FOR_KEYS', 'There is no place for keys: Message Routing was opened without one.', {
    hint: 'Open the workspace with `openWorkspace`, or hand `keysFolder`, `openTree` and `sealing` to `open`.',
  })

interface KeyRingParts {
  /** Only the owner can read and write its files. */
  readonly tree: Tree
  readonly clock: Clock
  /** The directory of the tree as it was named; by default the place of the tree. */
  readonly home?: string
  /** Left out: keys for signing only. */
  readonly sealing?: Sealing
}

/** The keys of an agent without the private ones. */
export interface KeyView {
  readonly agent: string
  readonly signing?: { readonly id: string; readonly publicKey: string; readonly createdAt: string }
  readonly encryption?: string
  /** The number of former keys, which still count for messages from before their retirement. */
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
   * Makes the keys that an agent lacks; with `replace`, makes new ones and retires the old. After a crash the next call goes on:
   * the public key is always computed from the private one that is there.
   */
  async generate(
    agent: string,
    { replace = false } = {},
  ): Promise<{ readonly outcome: 'created' | 'replaced' | 'unchanged'; readonly key: KeyView }> {
    checkAgent(agent)
    const before = await this.#read(agent)
    // The agent is trusted, but its private key is elsewhere.
    if (before && !replace && !(await this.#parts.tree.look(pemOf(agent)))) throw otherKey(agent)
    if (replace) await this.#giveUp(agent)
    const publicKey = await this.#makeSigningKey(agent)
    const encryption = this.#parts.sealing && (await this.#makeIdentity(agent, this.#parts.sealing))
    const changed = await this.#enter(agent, publicKey, encryption, true)
    const key = await this.show(agent)
    if (!key) throw vanished(agent)
    return { outcome: !changed ? 'unchanged' : before ? 'replaced' : 'created', key }
  }

  /** Enters a key that its owner handed over outside of the messages. Only with `replace` does it replace another key. */
  async trust(
    agent: string,
    key: { readonly publicKey: string; readonly encryption?: string | undefined },
    { replace = false } = {},
  ): Promise<{ readonly outcome: 'trusted' | 'unchanged' }> {
    checkAgent(agent)
    if (!isPublicKey(key.publicKey) || (key.encryption !== undefined && !isRecipient(key.encryption))) {
      throw invalidInput('BAD_KEY', 'A public key is 43 signs of base64url, one for encryption begins with age1.', {
        hint: `Copy what ${call('mr keys', { agent: 'AGENT' })} shows where the key was made.`,
      })
    }
    return { outcome: (await this.#enter(agent, key.publicKey, key.encryption, replace)) ? 'trusted' : 'unchanged' }
  }

  /** The key that this agent signs with; `undefined` when it has none here. */
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

  /** The keys by which messages of this agent are verified. */
  async trustedKeys(agent: string): Promise<readonly TrustedKey[]> {
    // The sender chose the name in its message: one that no agent can have must not stop other messages.
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

  /** The public key for encrypting payloads to this agent. */
  async recipientOf(agent: string): Promise<string | undefined> {
    return (await this.#read(agent))?.encryption
  }

  /** The private key for decrypting payloads to this agent. */
  async identityOf(agent: string): Promise<string | undefined> {
    const leaf = await this.#parts.tree.read(identityPathOf(agent), { atMost: 4096 })
    return leaf && parseIdentity(leaf.bytes)
  }

  /** If several processes make a key at once, all use the first one. */
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

  /** The old identity is renamed and kept: a person can still decrypt messages with it. */
  async #giveUp(agent: string): Promise<void> {
    const { tree } = this.#parts
    await tree.remove(pemOf(agent))
    const stamp = this.#now().replace(/[-:.]/g, '')
    await tree.move(identityPathOf(agent), childOf(privateFolder, `${agent}.${stamp}.age`))
  }

  /** Makes this key the current one. False when it already was. */
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
  /** Of the file. Not its time: two changes in the same instant have the same time, and the first key must not stay valid. */
  readonly revision: Revision
  readonly value: Value
}

/** The keys with this one first and the former one retired; `undefined` when nothing changes. */
function withKey(
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
    // Not a key at all. The cause is left out of the error below, since it may contain the text of the file.
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
    hint: `Make new ones: ${call('mr keys', { agent, generate: true, replace: true })}`,
    details: { agent },
  })

const otherKey = (agent: string) =>
  conflict('OTHER_KEY', `Another key of ${agent} is already trusted.`, {
    hint: 'Ask its owner whether the key was changed; if so, say that the new one replaces it.',
    details: { agent },
  })

const vanished = (agent: string) =>
  conflict('KEY_GONE', `Somebody removed the keys of ${agent} while they were being made.`, { hint: 'Try again.' })

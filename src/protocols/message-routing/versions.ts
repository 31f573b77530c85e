/**
 * Versions of the protocol: which are read, and which two agents have in common. Spec: Message Routing, "Version
 * Compatibility". Where agents state theirs: docs/decisions/0023-stated-versions.md.
 */
import { parseJson, printJson } from '../../formats/json.ts'
import { corrupt, unsupported } from '../../kernel/errors.ts'
import type { Problem } from '../../kernel/problem.ts'
import { childOf, type TreePath } from '../../kernel/tree-path.ts'
import type { Tree } from '../../tree/tree.ts'

/** What we write, and what an agent speaks that says nothing about it. */
export const currentVersion = '1.0.0'
export const spokenVersions: readonly string[] = [currentVersion]

/** Beside the inbox, so that whoever can write to an agent can also see what it understands. */
export const versionsFile = 'versions.json'

export type Version = readonly [major: bigint, minor: bigint, patch: bigint]

/** Three numbers and nothing else, as the specification's pattern has it. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch] = /^(\d{1,30})\.(\d{1,30})\.(\d{1,30})$/.exec(text) ?? []
  return major && minor && patch ? [BigInt(major), BigInt(minor), BigInt(patch)] : undefined
}

export function compareVersions(a: Version, b: Version): number {
  const different = a.findIndex((part, index) => part !== b[index])
  return different < 0 ? 0 : a[different]! < b[different]! ? -1 : 1
}

/**
 * Why a message of this version is not read, or `undefined`. Only the major number decides: a newer minor one adds
 * fields, and unknown fields are kept.
 */
export function versionProblem(text: string): Problem | undefined {
  const version = parseVersion(text)
  const majors = new Set(spokenVersions.map((spoken) => parseVersion(spoken)?.[0]))
  if (version && majors.has(version[0])) return undefined
  const message = version
    ? `Unsupported version: ${text}; versions ${[...majors].map((major) => `${major}.x.y`).join(', ')} are read here`
    : `Invalid version: expected three numbers such as ${currentVersion}, got ${JSON.stringify(text.slice(0, 40))}`
  return { code: 'UNSUPPORTED_VERSION', field: '', message }
}

/** The highest version that stands in both lists; `undefined` when they share none. What is no version is passed over. */
export function negotiate(ours: readonly string[], theirs: readonly string[]): string | undefined {
  let best: { readonly text: string; readonly version: Version } | undefined
  for (const text of ours) {
    const version = parseVersion(text)
    if (!version || !theirs.some((other) => isSame(other, version))) continue
    if (!best || compareVersions(version, best.version) > 0) best = { text, version }
  }
  return best?.text
}

const isSame = (text: string, version: Version): boolean => {
  const other = parseVersion(text)
  return other !== undefined && compareVersions(other, version) === 0
}

/** What agents say they speak, in a file of their own folder. */
export class StatedVersions {
  readonly #tree: Tree
  readonly #root: TreePath

  constructor(tree: Tree, root: TreePath) {
    this.#tree = tree
    this.#root = root
  }

  /** An agent that says nothing speaks the version of the specification. */
  async of(agent: string): Promise<readonly string[]> {
    const leaf = await this.#tree.read(this.#pathOf(agent), { atMost: longestFile })
    return leaf ? parseVersions(leaf.bytes, agent) : [currentVersion]
  }

  /** Throws when an agent understands nothing that we could write to it. */
  async expectCommon(agent: string): Promise<void> {
    const theirs = await this.of(agent)
    if (negotiate(spokenVersions, theirs) !== undefined) return
    throw unsupported(
      'NO_COMMON_VERSION',
      `${agent} speaks ${theirs.join(', ')}; Signalbox speaks ${spokenVersions.join(', ')}.`,
      { hint: `Reach it by another way, or correct its ${versionsFile}.`, details: { agent, theirs } },
    )
  }

  /** States what we speak for an agent that has stated nothing yet. */
  async introduce(agent: string): Promise<void> {
    await this.#tree.create(this.#pathOf(agent), printVersions(spokenVersions))
  }

  /** Twice is fine; the last list counts. */
  async state(agent: string, versions: readonly string[]): Promise<void> {
    const path = this.#pathOf(agent)
    const bytes = printVersions(versions)
    for (;;) {
      if ((await this.#tree.create(path, bytes)).outcome === 'created') return
      const leaf = await this.#tree.read(path)
      if (leaf && (await this.#tree.replace(path, bytes, leaf.revision)).outcome === 'replaced') return
    }
  }

  #pathOf = (agent: string): TreePath => childOf(childOf(this.#root, agent), versionsFile)
}

const longestFile = 16 * 1024

const printVersions = (versions: readonly string[]): Buffer => Buffer.from(printJson({ versions }))

export function parseVersions(bytes: Uint8Array, agent: string): readonly string[] {
  const value = parseJson(bytes, { maxBytes: longestFile, maxDepth: 8 }) as { readonly versions?: unknown } | null
  const versions = value?.versions
  if (Array.isArray(versions) && versions.length > 0 && versions.every(isVersionText)) return versions
  throw corrupt('BAD_VERSIONS', `The versions that ${agent} states cannot be read.`, {
    hint: `Write for example: {"versions": ["${currentVersion}"]}`,
    details: { agent },
  })
}

const isVersionText = (value: unknown): value is string =>
  typeof value === 'string' && parseVersion(value) !== undefined

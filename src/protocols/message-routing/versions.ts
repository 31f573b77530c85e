/**
 * Versions of the protocol: which are read, and which two agents have in common. Pure. Spec: Message Routing, "Version
 * Compatibility". Where agents state theirs: docs/decisions/0023-stated-versions.md.
 */
import type { Problem } from '../../kernel/problem.ts'

/** The version that we write, and that an agent speaks if it states none. */
export const currentVersion = '1.0.0'
export const spokenVersions: readonly string[] = [currentVersion]

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

/** Why a message of this version is not read. Only the major number decides: minor versions add fields, and unknown ones are kept. */
export function versionProblem(text: string): Problem | undefined {
  const version = parseVersion(text)
  const majors = new Set(spokenVersions.map((spoken) => parseVersion(spoken)?.[0]))
  if (version && majors.has(version[0])) return undefined
  const message = version
    ? `Unsupported version: ${text}; versions ${[...majors].map((major) => `${major}.x.y`).join(', ')} are read here`
    : `Invalid version: expected three numbers such as ${currentVersion}, got ${JSON.stringify(text.slice(0, 40))}`
  return { code: 'UNSUPPORTED_VERSION', field: '', message }
}

/** The highest version in both lists; `undefined` when they share none. A text that is no version is skipped. */
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

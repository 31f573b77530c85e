/** The versions that agents state in a file of their own folder. See docs/decisions/0023-stated-versions.md. */
import { parseJson, printJson } from '../../../formats/json.ts'
import { corrupt, unsupported } from '../../../kernel/errors.ts'
import { nameOf } from '../../../kernel/tree-path.ts'
import { type AgentId, versionsPath } from '../layout.ts'
import { currentVersion, negotiate, parseVersion, spokenVersions } from '../versions.ts'
import type { RoutingParts } from './parts.ts'
import { leafAt } from './reading.ts'

type Parts = Pick<RoutingParts, 'tree' | 'root'>

const longestFile = 16 * 1024

/** An agent that states nothing speaks the version of the specification. */
export async function versionsOf({ tree, root }: Parts, agent: AgentId): Promise<readonly string[]> {
  const leaf = await leafAt({ tree }, versionsPath(root, agent))
  return leaf ? versionsIn(leaf.bytes, agent) : [currentVersion]
}

/** Throws when an agent speaks none of our versions. */
export async function expectCommonVersion(parts: Parts, agent: AgentId): Promise<void> {
  const theirs = await versionsOf(parts, agent)
  if (negotiate(spokenVersions, theirs) !== undefined) return
  const file = nameOf(versionsPath(parts.root, agent))
  throw unsupported(
    'NO_COMMON_VERSION',
    `${agent} speaks ${theirs.join(', ')}; Signalbox speaks ${spokenVersions.join(', ')}.`,
    { hint: `Reach it by another way, or correct its ${file}.`, details: { agent, theirs } },
  )
}

/** States our versions for an agent that has stated none yet. */
export async function introduce({ tree, root }: Parts, agent: AgentId): Promise<void> {
  await tree.create(versionsPath(root, agent), Buffer.from(printJson({ versions: spokenVersions })))
}

function versionsIn(bytes: Uint8Array, agent: AgentId): readonly string[] {
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

/** The files of `context/`: reading them, and those that never move, one a line in `context/.pinned`. AC-MQ §15. */

import { isUtf8 } from 'node:buffer'
import { inputs } from '../../../../kernel/call.ts'
import { invalidInput, notFound } from '../../../../kernel/errors.ts'
import { childOf, type TreePath } from '../../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../../messaging/leaves/change.ts'
import { unlessUnreadable } from '../../../../messaging/leaves/tolerant.ts'
import { pathInside } from '../../layout.ts'
import type { ContextFile } from '../../memory/clusters.ts'
import { contentDigest } from '../../memory/generated.ts'
import type { MissionFiles } from '../parts.ts'
import { longestCompared } from './moved-files.ts'

export const readme = 'README.md'
const pinnedName = '.pinned'
const mostRead = 64 * 1024

/** Bodies of messages, hidden files, and a README that a person may have written: they never move. */
export const isOwnName = (name: string): boolean =>
  name.startsWith('.') || name === readme || /^message-.*\.md$/.test(name)

export interface ReadFile extends ContextFile {
  readonly digest: string
  readonly size: number
}

export async function readContextText(
  { tree }: MissionFiles,
  folder: TreePath,
  name: string,
  cluster?: string,
): Promise<ReadFile | undefined> {
  const leaf = await unlessUnreadable(tree.read(childOf(folder, name), { atMost: longestCompared }))
  if (!leaf || leaf.size > longestCompared || leaf.bytes.includes(0) || !isUtf8(leaf.bytes)) return undefined
  const text = Buffer.from(leaf.bytes.subarray(0, mostRead)).toString('utf8')
  return {
    name,
    text,
    digest: contentDigest(leaf.bytes),
    size: leaf.size,
    ...(cluster === undefined ? {} : { cluster }),
  }
}

export async function textsInCluster(files: MissionFiles, cluster: string): Promise<ReadFile[]> {
  const folder = files.inside(`context/${cluster}`)
  const found: ReadFile[] = []
  for (const { name, kind } of await files.tree.list(folder)) {
    const read = kind === 'leaf' && name !== readme ? await readContextText(files, folder, name, cluster) : undefined
    if (read) found.push(read)
  }
  return found
}

export async function pin(files: MissionFiles, paths: readonly string[]): Promise<readonly string[]> {
  const names = paths.map((text) => {
    const inside = pathInside(text.replace(/^(?:\.\/)?(?:context\/)?/, 'context/'))
    if (inside === undefined || !inside.startsWith('context/')) throw notInContext(text)
    return inside.slice('context/'.length)
  })
  for (const name of names) {
    if (!(await files.tree.look(files.inside(`context/${name}`)))) throw noSuchFile(name, files.place.address)
  }
  await changeLeaf(files.tree, files.inside(`context/${pinnedName}`), (before) => {
    const known = before ? Buffer.from(before.bytes).toString('utf8').split('\n').filter(Boolean) : []
    const all = [...new Set([...known, ...names])]
    return all.length === known.length ? undefined : Buffer.from(`${all.join('\n')}\n`)
  })
  return names
}

/** Empty lines and comments of a person are passed over. */
export async function pinnedIn(files: MissionFiles): Promise<string[]> {
  const leaf = await unlessUnreadable(files.tree.read(files.inside(`context/${pinnedName}`), { atMost: 1024 * 1024 }))
  const lines = leaf ? Buffer.from(leaf.bytes).toString('utf8').split(/\r?\n/) : []
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
}

const notInContext = (text: string) =>
  invalidInput('NOT_IN_CONTEXT', `Not a file of context/: ${JSON.stringify(text.slice(0, 120))}.`, {
    hint: `Name it as it lies there: ${inputs({ pin: 'context/architecture.md' })}`,
  })

const noSuchFile = (name: string, mission: string) =>
  notFound('NO_SUCH_FILE', `There is no context/${name} in mission ${mission}.`, {
    hint: `See what is there: ls context/`,
  })

/** What `organize` would move in `context/`, and what stays where it is, each with the reason. Touches nothing. AC-MQ §15. */
import { SignalboxError } from '../../../../kernel/errors.ts'
import { childOf, isSegment } from '../../../../kernel/tree-path.ts'
import { readDependency } from '../../dependencies.ts'
import { pathInside } from '../../layout.ts'
import { type ContextFile, clustersOf, comparedText } from '../../memory/clusters.ts'
import { saysGenerated } from '../../memory/generated.ts'
import { digestOf } from '../../memory/noted.ts'
import type { AcmqPorts } from '../../ports.ts'
import { readManifest } from '../documents.ts'
import type { MissionFiles } from '../parts.ts'
import { readRuns } from './aliases.ts'
import { type ReadFile, readme, readText } from './context-files.ts'
import { embedTexts } from './embedding.ts'
import { pinnedName } from './pins.ts'
import { isProviderFailure } from './search.ts'
import { eachText } from './texts.ts'

export interface PlannedMove {
  readonly from: string
  readonly to: string
  readonly cluster: string
}

const mostFiles = 5000

export async function plan(files: MissionFiles, ports: AcmqPorts) {
  const context = files.inside('context')
  const entries = await files.tree.list(context)
  const own = new Set((await readRuns(files.tree, files.place.address)).flatMap(({ clusters }) => clusters))
  const stay: { path: string; reason: string }[] = []
  const needed = await neededWhereTheyAre(files)
  const texts = new Map<string, ReadFile>()
  for (const { name, kind } of entries.slice(0, mostFiles)) {
    const path = `context/${name}`
    if (kind === 'folder' || isOwnName(name) || !isSegment(name)) continue
    const reason = kind === 'other' ? 'it is a link, pipe or device' : needed.get(path)
    const read = reason === undefined ? await readText(files.tree, childOf(context, name)) : undefined
    const isOurs = read !== undefined && saysGenerated(read.text)
    if (read && !isOurs) texts.set(path, { name, ...read })
    else stay.push({ path, reason: reason ?? (isOurs ? 'it is a report' : 'it is no text, or too large') })
  }
  const inClusters: ReadFile[] = []
  for (const { name, kind } of entries) {
    if (kind !== 'folder' || !own.has(name)) continue
    for (const inner of await files.tree.list(childOf(context, name))) {
      const read =
        inner.kind === 'leaf' && inner.name !== readme
          ? await readText(files.tree, childOf(childOf(context, name), inner.name))
          : undefined
      if (read) inClusters.push({ name: inner.name, cluster: name, ...read })
    }
  }
  const taken = new Set<string>()
  for (const { name, kind } of entries) {
    // An empty folder is what an undone `organize` leaves behind: its name may be used again.
    const isEmpty = kind === 'folder' && (await files.tree.list(childOf(context, name))).length === 0
    if (!isEmpty && !own.has(name)) taken.add(name)
  }
  const all = [...texts.values(), ...inClusters]
  const clusters = clustersOf(all, taken, await contextVectors(files, ports, all))
  const moves = clusters.flatMap(({ name, joining }) =>
    joining.map((file): PlannedMove => ({ from: `context/${file}`, to: `context/${name}/${file}`, cluster: name })),
  )
  return { moves, stay, texts }
}

/** What files mean is worked out for so long, in milliseconds; the others are compared by their words. */
const patience = { atFirst: 20_000, later: 20_000 }

async function contextVectors(files: MissionFiles, ports: AcmqPorts, all: readonly ContextFile[]) {
  const texts = all.map((file) => {
    const text = comparedText(file)
    return { file, digest: digestOf(text), text: async () => text }
  })
  try {
    const { embedder } = await ports.meaning()
    const index = embedder && (await embedTexts(files, embedder, texts, patience)).index
    const vectors = new Map(texts.map(({ file, digest }) => [file, index?.vectorOf(digest)]))
    return (file: ContextFile) => vectors.get(file)
  } catch (error) {
    if (!isProviderFailure(error)) throw error
    return () => undefined
  }
}

/** Bodies of messages, our own lists, and what a person may have put there to explain the folder. */
export const isOwnName = (name: string): boolean =>
  name.startsWith('.') || name === readme || /^message-.*\.md$/.test(name)

/** By path, with the reason: somebody with nothing but a shell looks for it there. */
async function neededWhereTheyAre(files: MissionFiles): Promise<ReadonlyMap<string, string>> {
  const needed = new Map<string, string>()
  for (const name of await pinnedIn(files)) needed.set(`context/${name}`, 'it is pinned')
  for (const pattern of (await readManifest(files))?.patterns ?? []) {
    const inside = pathInside(pattern)
    if (inside !== undefined && !/[*?[{]/.test(pattern)) needed.set(inside, 'the manifest names it')
  }
  for await (const { message } of eachText(files, { queues: ['pending', 'processing', 'failed'], archived: false })) {
    for (const text of message.dependencies) {
      const read = readDependency(text)
      const path = read.kind === 'path' ? read.path : read.kind === 'either' ? read.text : undefined
      if (path !== undefined) needed.set(path, `message ${message.id} depends on it, and is not finished`)
    }
  }
  return needed
}

async function pinnedIn(files: MissionFiles): Promise<string[]> {
  const leaf = await files.tree
    .read(files.inside(`context/${pinnedName}`), { atMost: 1024 * 1024 })
    .catch((error: unknown) => {
      if (error instanceof SignalboxError && error.kind !== 'Unavailable') return undefined
      throw error
    })
  return leaf
    ? Buffer.from(leaf.bytes)
        .toString('utf8')
        .split(/\r?\n/)
        .map((line) => line.trim())
        .filter((line) => line !== '' && !line.startsWith('#'))
    : []
}

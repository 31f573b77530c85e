/** What `organize` would move in `context/`, and what stays where it is, each with the reason. Touches nothing. AC-MQ §15. */
import { childOf, isSegment } from '../../../../kernel/tree-path.ts'
import { embedTexts, isProviderFailure } from '../../../../messaging/search/embedding.ts'
import { readDependency } from '../../dependencies.ts'
import { pathInside } from '../../layout.ts'
import { type ContextFile, clustersOf, comparedText } from '../../memory/clusters.ts'
import { contentDigest, saysGenerated } from '../../memory/generated.ts'
import type { AcmqPorts } from '../../ports.ts'
import { readManifest } from '../documents.ts'
import type { MissionFiles } from '../parts.ts'
import { isOwnName, pinnedIn, type ReadFile, readContextText, textsInCluster } from './context-files.ts'
import { readRuns } from './moved-files.ts'
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
  const own = new Set((await readRuns(files)).flatMap(({ clusters }) => clusters))
  const stay: { path: string; reason: string }[] = []
  const needed = await neededWhereTheyAre(files)
  const texts = new Map<string, ReadFile>()
  for (const { name, kind } of entries.slice(0, mostFiles)) {
    const path = `context/${name}`
    if (kind === 'folder' || isOwnName(name) || !isSegment(name)) continue
    const reason = kind === 'other' ? 'it is a link, pipe or device' : needed.get(path)
    const read = reason === undefined ? await readContextText(files, context, name) : undefined
    const isOurs = read !== undefined && saysGenerated(read.text)
    if (read && !isOurs) texts.set(path, read)
    else stay.push({ path, reason: reason ?? (isOurs ? 'it is a report' : 'it is no text, or too large') })
  }
  const inClusters: ReadFile[] = []
  const taken = new Set<string>()
  for (const { name, kind } of entries) {
    if (own.has(name)) inClusters.push(...(kind === 'folder' ? await textsInCluster(files, name) : []))
    // An empty folder is what an undone `organize` leaves behind: its name may be used again.
    else if (kind !== 'folder' || (await files.tree.list(childOf(context, name))).length > 0) taken.add(name)
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
    return { file, digest: contentDigest(text), text: async () => text }
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

/** By path, with the reason: an agent with nothing but a shell looks for it there. */
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

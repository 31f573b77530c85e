/** Documents about a whole mission: its manifest, its hydration, the drawing of its dependencies. AC-MQ §5. */
import { notFound } from '../../../kernel/errors.ts'
import { parentOf, type TreePath } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { messageOrThrow } from '../format.ts'
import type { GraphFormat, GraphNode } from '../graph.ts'
import type { Hydration } from '../hydrate/hydrate.ts'
import { fallbackManifestPath, manifestPath, missionAddress, missionPath } from '../layout.ts'
import { type Manifest, parseManifest, tickMilestone } from '../manifest/manifest.ts'
import { queueNames } from '../schema.ts'
import type { Finder } from './finder.ts'
import { bodyElsewhere } from './large-bodies.ts'
import type { Overview } from './overview.ts'
import type { MissionFiles } from './parts.ts'

export interface HydrateOptions {
  readonly id?: string
  readonly budgetTokens?: number
}

export class Documents {
  readonly #files: MissionFiles
  readonly #finder: Finder
  readonly #overview: Overview

  constructor(files: MissionFiles, finder: Finder, overview: Overview) {
    this.#files = files
    this.#finder = finder
    this.#overview = overview
  }

  manifest(): Promise<Manifest | undefined> {
    return readManifest(this.#files)
  }

  async milestone(
    title: string,
    done: boolean,
  ): Promise<{ readonly outcome: 'ticked' | 'unchanged'; readonly manifest: Manifest }> {
    const { tree, place } = this.#files
    const path = (await manifestLeaf(this.#files))?.path ?? manifestPath(place)
    let text = ''
    const { outcome } = await changeLeaf(tree, path, (before) => {
      if (!before) throw noManifest(place.address, path)
      const ticked = tickMilestone(Buffer.from(before.bytes).toString('utf8'), title, done)
      if (ticked.outcome === 'unknown') throw noMilestone(title, ticked.nearest)
      text = ticked.text
      return ticked.outcome === 'already' ? undefined : Buffer.from(text)
    })
    return { outcome: outcome === 'unchanged' ? 'unchanged' : 'ticked', manifest: parseManifest(text) }
  }

  async hydrate({ id, budgetTokens }: HydrateOptions = {}): Promise<Hydration> {
    const { tree, path: missionFolder, place } = this.#files
    const { root, address } = place
    const names = address.split('/')
    const around = names.slice(0, -1).map((_, i) => missionAddress(names.slice(0, i + 1).join('/')))
    const found = id === undefined ? undefined : await this.#finder.findOne(id)
    const header = found && (await this.#files.readHeader(found.queue, found.name))
    const record = header && messageOrThrow(header).message.record
    const body = record && bodyElsewhere(record)
    const [{ hydrate }, { movedFiles }] = await Promise.all([
      import('../hydrate/hydrate.ts'),
      import('./memory/moved-files.ts'),
    ])
    return hydrate(tree, {
      missionPath: missionFolder,
      base: repositoryOf(this.#files),
      aliases: await movedFiles(this.#files),
      ancestors: around.map((one) => missionPath({ root, address: one })),
      ...(found && record
        ? { message: { path: found.path, dependencies: record.dependencies, ...(body === undefined ? {} : { body }) } }
        : {}),
      ...(budgetTokens === undefined ? {} : { budgetTokens }),
    })
  }

  /** Draws the dependencies of the first `limit` messages, unfinished ones first. */
  async graph(format: GraphFormat, { limit }: { readonly limit?: number } = {}): Promise<string> {
    const blocked = new Map((await this.#overview.blocked()).map(({ message, reason }) => [message.id, reason]))
    const nodes: GraphNode[] = []
    for (const state of queueNames) {
      for (const { id, summary, to, dependencies } of (await this.#overview.list(state)).messages) {
        const reason = blocked.get(id)
        nodes.push({ id, summary, to, state, dependencies, ...(reason === undefined ? {} : { blocked: reason }) })
      }
    }
    const { drawGraph } = await import('../graph.ts')
    return drawGraph(nodes, format, limit)
  }
}

export async function readManifest(files: MissionFiles): Promise<Manifest | undefined> {
  const found = await manifestLeaf(files)
  const folder = found?.path === manifestPath(files.place) ? '_meta' : ''
  return found && parseManifest(Buffer.from(found.leaf.bytes).toString('utf8'), { folder })
}

/** In `_meta/`, or else in the mission itself. */
export async function manifestLeaf({ tree, place }: Pick<MissionFiles, 'tree' | 'place'>) {
  for (const path of [manifestPath(place), fallbackManifestPath(place)]) {
    const leaf = await tree.read(path)
    if (leaf) return { path, leaf }
  }
  return undefined
}

/** The directory that holds `llm/`. With the missions at the root of the tree, the mission itself. */
const repositoryOf = ({ place: { root }, path }: MissionFiles): TreePath =>
  root === '' ? path : parentOf(parentOf(root) || root)

const noManifest = (mission: string, path: TreePath) =>
  notFound('NO_MANIFEST', `Mission ${mission} has no manifest.`, { hint: `Write ${path}.` })

const noMilestone = (title: string, nearest: string | undefined) =>
  notFound('NO_SUCH_MILESTONE', `The manifest has no milestone ${JSON.stringify(title)}.`, {
    hint: nearest
      ? `Did you mean ${JSON.stringify(nearest)}?`
      : 'Milestones are list items such as `- [ ] First draft`.',
  })

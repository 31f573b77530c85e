/** One document of what an agent should read before it works: manifests, message, dependencies, context. AC-MQ §5, §7.2. */
import { compareTexts } from '../../../kernel/order.ts'
import { estimateTokens } from '../../../kernel/token-estimate.ts'
import { childOf, nameOf, type TreePath } from '../../../kernel/tree-path.ts'
import type { Tree } from '../../../tree/tree.ts'
import { type ManifestProblem, parseManifest } from '../manifest/manifest.ts'
import { hydratedText, isGeneratedPath, isNeverHydrated, saysGenerated } from '../memory/generated.ts'
import { HydrationDocument, type Included } from './document.ts'
import { isText, type LeftOut, overBudget, type TextFile, type TextReader, textReader } from './reader.ts'
import { FileSearch, type FoundFiles, type SearchLimits } from './search.ts'

export type { Included } from './document.ts'
export type { LeftOut } from './reader.ts'

export interface HydrateOptions {
  readonly missionPath: TreePath
  /** The folder that holds `llm/`; `''` is the root. `search.ts` says what may be read there. */
  readonly base: TreePath
  /** The missions around this one, the nearest last. Their manifests are included, their files are not. */
  readonly ancestors: readonly TreePath[]
  /** `dependencies` as in the header; `body`: the path of the body in the mission, if it has a file of its own. */
  readonly message?: { readonly path: TreePath; readonly dependencies: readonly string[]; readonly body?: string }
  readonly budgetTokens?: number
  readonly maxBytesPerFile?: number
  readonly countTokens?: (text: string) => number
  readonly limits?: Partial<SearchLimits>
  readonly aliases?: ReadonlyMap<string, string>
  readonly nonce?: string
}

export interface Hydration {
  readonly document: string
  readonly included: readonly Included[]
  readonly leftOut: readonly LeftOut[]
  readonly tokens: number
}

export type Role = 'manifest' | 'message' | 'body' | 'dependency' | 'context'

const standardBytes = 256 * 1024
/** For all files together, whatever the budget. */
const mostBytes = 16 * 1024 * 1024

export async function hydrate(tree: Tree, options: HydrateOptions): Promise<Hydration> {
  const document = new HydrationDocument({
    title: `Context of mission ${nameOf(options.missionPath)}`,
    mark: `quote-${options.nonce ?? crypto.randomUUID().slice(0, 8)}`,
    budgetTokens: options.budgetTokens ?? Number.POSITIVE_INFINITY,
    countTokens: options.countTokens ?? estimateTokens,
  })
  const reader = readerFor(tree, options)
  // The body of a message may be larger than other files.
  const bodies = textReader(tree, mostBytes)
  const { files, leftOut } = await planHydration(tree, options, reader)
  document.leftOut.push(...leftOut)
  let bytes = 0
  let history = 0
  for (const { path, role } of files) {
    const inside = path.startsWith(`${options.missionPath}/`) ? path.slice(options.missionPath.length + 1) : undefined
    if (role !== 'body' && inside !== undefined && isNeverHydrated(inside)) continue
    const isOver = !document.hasRoom || bytes > mostBytes
    const isBody = role === 'body'
    // Only the beginning of a bus document is taken, so it may be long.
    const isDigest = !isBody && inside !== undefined && isGeneratedPath(inside)
    const file = isOver
      ? overBudget(path, 'nothing was left for it')
      : await (isBody || isDigest ? bodies : reader)(path)
    if (!isText(file)) {
      const isReport = file.reason === 'too-large' && inside !== undefined && (await isLongReport(tree, path))
      if (!isReport) document.leftOut.push(file)
      continue
    }
    const taken = isBody ? file : withoutHistory(file, inside)
    if (!taken) continue
    if (isDigest) history += estimateTokens(taken.text)
    if (isDigest && history > mostHistory) {
      document.leftOut.push(overBudget(path, 'enough digests of messages are here; open it if it concerns you'))
      continue
    }
    bytes += taken.bytes
    document.add(taken, role, { mayBeCut: isBody })
  }
  return { ...document.finish(), leftOut: document.leftOut }
}

/** In tokens, for all bus documents together, so that an agent is not flooded with the history of the mission. */
const mostHistory = 20_000

/** Keeps header, table and summary of a bus document. `undefined` for snapshots and reports, which repeat other files. */
function withoutHistory(file: TextFile, inside: string | undefined): TextFile | undefined {
  if (inside === undefined) return file
  const text = hydratedText(inside, file.text)
  return text === undefined ? undefined : text === file.text ? file : { ...file, text, bytes: Buffer.byteLength(text) }
}

/** True for a report of ours: nothing of it is taken, so its length is not reported. */
async function isLongReport(tree: Tree, path: TreePath): Promise<boolean> {
  const leaf = await tree.read(path, { atMost: 4096 })
  return leaf !== undefined && saysGenerated(Buffer.from(leaf.bytes).toString('utf8'))
}

const readerFor = (tree: Tree, { maxBytesPerFile = standardBytes }: HydrateOptions) => textReader(tree, maxBytesPerFile)

/** Which files a hydration would read, in order. Reads nothing but manifests. */
export async function planHydration(tree: Tree, options: HydrateOptions, reader = readerFor(tree, options)) {
  const { missionPath, ancestors, message } = options
  const files = new Map<TreePath, Role>()
  const leftOut = new Map<string, LeftOut>()
  const take = (found: FoundFiles, role: Role) => {
    for (const path of found.files) if (!files.has(path)) files.set(path, role)
    for (const one of found.leftOut) if (!leftOut.has(one.path)) leftOut.set(one.path, one)
  }

  let patterns: readonly string[] = []
  for (const mission of [...ancestors, missionPath]) {
    const manifest = await findManifest(mission, reader)
    take(manifest, 'manifest')
    if (mission === missionPath) patterns = manifest.patterns
  }
  const search = new FileSearch(tree, options)
  if (message) {
    take({ files: [message.path], leftOut: [] }, 'message')
    if (message.body !== undefined) take(await search.path(message.body, 'message'), 'body')
    for (const text of message.dependencies) take(await findDependency(text, search), 'dependency')
  }
  const matched: TreePath[] = []
  for (const pattern of patterns) {
    const found = await search.match(pattern)
    matched.push(...found.files)
    take({ files: [], leftOut: found.leftOut }, 'context')
  }
  take({ files: matched.sort(compareTexts), leftOut: [] }, 'context')
  return { files: [...files].map(([path, role]) => ({ path, role })), leftOut: [...leftOut.values()] }
}

/** `_meta/manifest.md`, or else `manifest.md` in the mission. A manifest that cannot be read is reported. */
async function findManifest(
  mission: TreePath,
  reader: TextReader,
): Promise<FoundFiles & { patterns: readonly string[] }> {
  const leftOut: LeftOut[] = []
  for (const folder of ['_meta', ''] as const) {
    const path = childOf(folder === '' ? mission : childOf(mission, folder), 'manifest.md')
    const file = await reader(path)
    if (!isText(file)) {
      leftOut.push(file)
      continue
    }
    const { patterns, problems } = parseManifest(file.text, { folder })
    return { files: [path], leftOut: [...leftOut.filter(isNews), ...problems.map(refused)], patterns }
  }
  return { files: [], leftOut: leftOut.some(isNews) ? leftOut.filter(isNews) : leftOut.slice(0, 1), patterns: [] }
}

const refused = ({ text, reason }: ManifestProblem): LeftOut => ({
  path: text,
  reason: /absolute|leads out/.test(reason) ? 'outside' : 'unreadable',
  detail: reason,
})

const isNews = ({ reason }: LeftOut): boolean => reason !== 'missing'

/** Without `path:` the text may be the id of a message, so a missing file is not reported. */
async function findDependency(text: string, search: FileSearch): Promise<FoundFiles> {
  if (/^msg:/i.test(text)) return { files: [], leftOut: [] }
  const path = text.replace(/^path:\s*/i, '')
  const found = await search.path(path, 'message')
  const maybeId = path === text && /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(text)
  return maybeId && found.leftOut.every(({ reason }) => reason === 'missing') ? { ...found, leftOut: [] } : found
}

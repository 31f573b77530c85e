/** The bus documents that are in a mission: which of them belongs to which plan, and how they are written. AC-MQ §13. */
import { groupBy } from '../../../../kernel/group-by.ts'
import { childOf, isSegment, type TreePath } from '../../../../kernel/tree-path.ts'
import { unlessUnreadable } from '../../../../messaging/leaves/tolerant.ts'
import {
  type BusContent,
  type BusHead,
  printBus,
  printedQuery,
  readBus,
  withSummary,
} from '../../memory/bus-document.ts'
import type { CachedDocument } from '../../memory/cache.ts'
import { busFolder, isBusName, isBusPart } from '../../memory/generated.ts'
import { partPath } from '../../memory/report-log.ts'
import { compactTime, isoTime } from '../../times.ts'
import { changeDocument, writeDocument } from '../moving.ts'
import type { MissionFiles } from '../parts.ts'
import { markOf, settledMark } from './cache.ts'
import type { Plan } from './plans.ts'

export interface Existing extends CachedDocument {
  readonly name: string
}

export const busPath = (files: MissionFiles): TreePath => files.inside(busFolder)

export async function readExisting(
  files: MissionFiles,
  known: ReadonlyMap<string, CachedDocument>,
): Promise<Map<string, Existing>> {
  const folder = busPath(files)
  const found = new Map<string, Existing>()
  const now = await files.tree.now()
  const listing = await files.tree.list(folder, { times: true })
  const partsBy = groupBy(listing, ({ name }) => partIn(name)?.of)
  for (const main of listing) {
    const { name, kind } = main
    if (kind !== 'leaf' || !isBusName(name) || isBusPart(name) || !isSegment(name)) continue
    const listed = [main, ...(partsBy.get(name) ?? [])]
    const before = known.get(name)
    if (before && before.mark === listed.map(markOf).join(' ')) {
      found.set(name, { ...before, name })
      continue
    }
    const path = childOf(folder, name)
    const read = await readHead(files, path)
    if (!read) continue
    const { summary: _, ...rest } = read
    const head = { ...rest, ...(await partsOf(files, path, read)) }
    // A document of ours that nobody changed was made of the same messages as before.
    const madeOf = head.isOurs && before && checksOf(before) === checksOf(head) ? before.madeOf : ''
    const marks = listed.map((one) => settledMark(one, now))
    found.set(name, { ...head, name, mark: marks.includes('') ? '' : marks.join(' '), madeOf })
  }
  return found
}

const checksOf = ({ check, partChecks }: Pick<CachedDocument, 'check' | 'partChecks'>): string =>
  [check, ...partChecks].join(' ')

/** A document is as we left it only if all of its parts are; one that is missing is written again. */
async function partsOf(files: MissionFiles, path: TreePath, { parts, isOurs }: BusHead) {
  const partChecks: string[] = []
  for (let n = 2; n <= parts; n++) {
    const part = await readHead(files, partPath(path, n))
    // The header may name parts that do not exist, up to ten thousand.
    if (!part) break
    if (!part.isOurs) return { isOurs: false, partChecks }
    partChecks.push(part.check)
  }
  return { isOurs, partChecks }
}

/** Enough for the summary and the table of very many messages; a larger file is not one of ours. */
const mostHead = 32 * 1024 * 1024

export async function readHead(files: MissionFiles, path: TreePath) {
  const leaf = await unlessUnreadable(files.tree.read(path, { atMost: mostHead }))
  return leaf && readBus(Buffer.from(leaf.bytes).toString('utf8'))
}

export interface Chosen {
  own?: Existing
  /** One that a person changed, and that would have been renewed. */
  changed?: Existing
}

/** Each document goes to one plan: that of the same query, or the one that has most of the document's first messages. */
export function matchDocuments(plans: readonly Plan[], existing: Iterable<Existing>): readonly Chosen[] {
  const placesOf = planFinder(plans)
  const shares = [...existing].flatMap((document) => {
    const counts = new Map<number, number>()
    for (const at of placesOf(document)) counts.set(at, (counts.get(at) ?? 0) + 1)
    return [...counts].map(([at, share]) => ({ at, document, share }))
  })
  shares.sort((a, b) => b.share - a.share || (a.document.name < b.document.name ? -1 : 1) || a.at - b.at)
  const chosen = plans.map((): Chosen => ({}))
  const given = new Set<Existing>()
  for (const { at, document } of shares) {
    const key = document.isOurs ? 'own' : 'changed'
    if (given.has(document) || chosen[at]![key]) continue
    chosen[at]![key] = document
    given.add(document)
  }
  return chosen
}

const isByQuery = (trigger: string): boolean => trigger === 'query' || trigger === 'milestone'

/** Which plan a message or query belongs to. Plans of one trigger have no message in common, unless they go by queries. */
function planFinder(plans: readonly Plan[]): (document: Existing) => number[] {
  const places = new Map<string, number>()
  const keyOf = (trigger: string, key: string) => `${trigger}\n${key}`
  for (const [at, { trigger, query = '', members }] of plans.entries()) {
    const byQuery = keyOf(trigger, printedQuery(query))
    if (isByQuery(trigger)) places.set(byQuery, places.get(byQuery) ?? at)
    else for (const id of members.keys()) places.set(keyOf(trigger, id), at)
  }
  return ({ trigger, query, anchors }) =>
    (isByQuery(trigger) ? [query] : anchors).flatMap((key) => places.get(keyOf(trigger, key)) ?? [])
}

const longestSlug = 60

/** `bus-document-auth-module-20250705120000.md`; a second one within a second gets a number. */
export function freeName(title: string, now: number, taken: ReadonlySet<string>): string {
  const words =
    title
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  const slug = cut(words.join('-')) || 'messages'
  for (let n = 1; ; n++) {
    const name = `bus-document-${slug}${n === 1 ? '' : `-${n}`}-${compactTime(now)}.md`
    if (!taken.has(name)) return name
  }
}

/** Letters of other scripts have up to four bytes each. */
const cut = (slug: string): string =>
  Array.from(slug)
    .slice(0, longestSlug / (/^[\x20-\x7e]*$/.test(slug) ? 1 : 3))
    .join('')
    .replace(/-+$/, '')

/** Second documents of a plan, written while the first could not be read. The first one, which is renewed, has all they have. */
export function doublesIn(
  existing: ReadonlyMap<string, Existing>,
  plans: readonly Plan[],
  chosen: readonly Chosen[],
): readonly Existing[] {
  const given = new Set(chosen.map(({ own }) => own))
  const left = [...existing.values()].filter((one) => one.isOurs && !given.has(one))
  return left.filter((one) =>
    chosen.some(
      ({ own }, i) =>
        own?.trigger === one.trigger && own.query === one.query && one.anchors.some((id) => plans[i]!.members.has(id)),
    ),
  )
}

export async function removeDoubles(files: MissionFiles, doubles: readonly Existing[]): Promise<void> {
  for (const { name, parts } of doubles) {
    const path = childOf(busPath(files), name)
    await files.tree.remove(path, { onlyIf: isOurs })
    for (let n = 2; n <= parts; n++) await files.tree.remove(partPath(path, n), { onlyIf: isOurs })
  }
}

const isOurs = (bytes: Uint8Array): boolean => readBus(Buffer.from(bytes).toString('utf8'))?.isOurs === true

/** Removes parts without a document, or beyond its last one: a process was killed while it wrote or shortened the document. */
export async function removeOrphans(
  files: MissionFiles,
  names: ReadonlySet<string>,
  existing: ReadonlyMap<string, Existing>,
): Promise<void> {
  for (const name of names) {
    const part = isSegment(name) ? partIn(name) : undefined
    if (!part) continue
    const document = existing.get(part.of)
    // Of a document that is not ours, or cannot be read, no part is removed.
    const most = document?.isOurs ? document.parts : names.has(part.of) ? Number.POSITIVE_INFINITY : 0
    if (part.n > most) await files.tree.remove(childOf(busPath(files), name), { onlyIf: isOurs })
  }
}

function partIn(name: string): { readonly of: string; readonly n: number } | undefined {
  const [, stem, n] = isBusPart(name) ? (/^(.*)-part-(\d+)\.md$/.exec(name) ?? []) : []
  return stem === undefined ? undefined : { of: `${stem}.md`, n: Number(n) }
}

/** Parts are written first: a reader who finds the document finds the whole log. */
export async function write(files: MissionFiles, path: TreePath, own: Existing | undefined, content: BusContent) {
  const { tree, settings } = files
  const { main, parts } = printBus(content, isoTime(await tree.now()), settings.busDocumentBytes)
  const { summary: _, ...read } = readBus(main)!
  const head = { ...read, partChecks: parts.map((part) => readBus(part)!.check) }
  if (own && own.parts === head.parts && checksOf(own) === checksOf(head))
    return { outcome: 'unchanged', head } as const
  for (const [i, part] of parts.entries()) await writeDocument(tree, partPath(path, i + 2), part, isOurs)
  await writeDocument(tree, path, main, isOurs)
  for (let n = parts.length + 2; n <= (own?.parts ?? 1); n++) await tree.remove(partPath(path, n), { onlyIf: isOurs })
  return { outcome: own ? 'renewed' : 'made', head } as const
}

/** Puts another summary into a document that is as we left it; false when it is not, or is gone. */
export async function changeSummary(
  { tree }: MissionFiles,
  path: TreePath,
  summary: Pick<BusContent, 'summary' | 'summaryBy'>,
): Promise<boolean> {
  const at = isoTime(await tree.now())
  return changeDocument(tree, path, (before) => {
    const changed = isOurs(before) ? withSummary(Buffer.from(before).toString('utf8'), summary, at) : undefined
    return changed === undefined ? undefined : Buffer.from(changed)
  })
}

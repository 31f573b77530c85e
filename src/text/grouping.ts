/**
 * Which texts belong together. A doubtful text is left out: a group is read as being about one thing.
 *
 * Texts are compared by their meaning and by pieces of their words (`neighboursOf`). Within each part of the texts that close
 * neighbours join (`partsOf`), groups grow as long as all pairs in them are alike on average (average linkage), and much more
 * alike than any two texts of the mission. What the numbers do is measured by `npm run eval`.
 *
 * Groups depend on the texts alone, not on the order in which they came nor on what was worked out before:
 * docs/decisions/0040-groups-that-grow.md.
 */
import { compareTexts } from '../kernel/order.ts'
import { type Features, featuresOf } from './features.ts'
import { linkPairs } from './linkage.ts'
import { type Neighbours, neighboursOf } from './neighbours.ts'
import { partsOf } from './parts.ts'
import { type Aged, type Sample, sampleOf } from './sample.ts'

interface GroupItem {
  /** Unique, and not dependent on the order in which texts come. */
  readonly key: string
  readonly text: string
  /** What it means; without one it is compared by its words. */
  readonly vector?: Float32Array | undefined
}

/** A text whose features are known already. */
export interface KnownItem extends Aged {
  /** Names the text: equal for equal texts only. */
  readonly digest: string
  readonly features: Features
  readonly vector?: Float32Array
}

interface GroupingOptions {
  /** How many different texts a group has at least. */
  readonly least?: number
}

export interface Beside {
  /** What texts mean, by id; those without are compared by their words. */
  readonly vectors?: ReadonlyMap<string, Float32Array>
}

/** Groups of keys, each sorted, the group of the first key first. Texts that belong to none are in none. */
export function groupTexts(items: readonly GroupItem[], options: GroupingOptions = {}): string[][] {
  const known = items.map(({ key, text }) => ({
    id: key,
    digest: text,
    own: text,
    createdAt: '',
    features: featuresOf(text),
  }))
  const vectors = new Map(items.flatMap(({ key, vector }) => (vector ? [[key, vector]] : [])))
  return groupKnown(known, { ...options, vectors }).groups
}

export interface Grouped {
  readonly groups: string[][]
  /** For the next time: then only what is new is compared. Changes nothing in the groups. */
  readonly neighbours: LinkedNeighbours
  readonly sample: Sample<KnownItem>
}

/** With the groups in each part, by the digests of its texts. */
interface LinkedNeighbours extends Neighbours {
  readonly linked?: ReadonlyMap<string, number[][]>
}

export function groupKnown(
  items: readonly KnownItem[],
  { least = 2, vectors }: GroupingOptions & Beside = {},
  before?: LinkedNeighbours,
): Grouped {
  const all = vectors?.size ? items.map((item) => withVector(item, vectors)) : items
  const { distinct, keysOf } = sameTextOnce(all)
  const sample = sampleOf(all)
  const places = new Map(distinct.map(({ digest }, at) => [digest, at]))
  const sampled = { digest: sample.digest, places: sample.texts.map(({ digest }) => places.get(digest)!) }
  const neighbours = neighboursOf(distinct, sampled, before)
  const linked = new Map<string, number[][]>()
  const groups = partsOf(neighbours.lists, neighbours.cut)
    .flatMap(({ members, pairs }) => {
      const part = members.map((at) => distinct[at]!.digest).join(' ')
      const isAsBefore = members.every((at) => neighbours.lists.isChanged[at] === 0)
      const inPart =
        (isAsBefore && before?.linked?.get(part)) ||
        linkPairs(members.length, pairs(), neighbours.cut).filter((group) => group.length > 1)
      linked.set(part, inPart)
      return inPart.map((group) => group.map((i) => members[i]!))
    })
    .filter((group) => group.length >= least)
    .map((group) => group.flatMap((at) => keysOf[at]!).sort())
    .sort((a, b) => (a[0]! < b[0]! ? -1 : 1))
  return { groups, neighbours: { ...neighbours, linked }, sample }
}

/** Once the vector of a text is known, the text counts as changed and is compared anew. */
function withVector(item: KnownItem, vectors: ReadonlyMap<string, Float32Array>): KnownItem {
  const vector = vectors.get(item.id)
  return vector ? { ...item, digest: `${item.digest}+`, own: `${item.own}+`, vector } : item
}

/** Identical texts are one: ten thousand say no more than one does. By digest. */
function sameTextOnce(items: readonly KnownItem[]) {
  const distinct: KnownItem[] = []
  const keysOf: string[][] = []
  for (const item of items.toSorted((a, b) => compareTexts(a.digest, b.digest))) {
    if (distinct.at(-1)?.digest === item.digest) keysOf.at(-1)!.push(item.id)
    else {
      distinct.push(item)
      keysOf.push([item.id])
    }
  }
  return { distinct, keysOf }
}

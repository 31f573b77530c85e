/**
 * Which texts belong together. Rather too few than too many: whoever reads a group expects it to be about one thing.
 *
 * Texts are compared by pieces of their words, the rarer the more; by what they name exactly; and by links that somebody made
 * between them. Within each part of the texts that close neighbours join (`partsOf`), groups grow as long as all pairs in them
 * are alike on average (average linkage), where pairs that have little in common count as having nothing. What the numbers
 * do is measured by `npm run eval`.
 *
 * Groups depend on the texts alone, not on the order in which they came nor on what was worked out before:
 * docs/decisions/0040-groups-that-grow.md.
 */
import { type Features, featuresOf } from './features.ts'
import { linkPairs, type Pair } from './linkage.ts'
import { type Links, type Neighbours, neighboursOf } from './neighbours.ts'
import { type PartPair, partsOf } from './parts.ts'
import { type Aged, type Sample, sampleOf } from './sample.ts'

export interface GroupItem {
  /** Unique, and not dependent on the order in which texts come. */
  readonly key: string
  readonly text: string
  /** Keys of others that it answers or depends on. */
  readonly links?: readonly string[]
  /** From an endpoint that is better at this than we are: compared besides, where both have one. */
  readonly vector?: Float32Array
}

/** A text of which it is known already what it is compared by. */
export interface KnownItem extends Aged {
  /** Names the text: the same for the same text alone. */
  readonly digest: string
  readonly features: Features
}

/** What else is known of texts. */
export interface Beside {
  /** By id: others that it answers or depends on. */
  readonly links?: ReadonlyMap<string, readonly string[]>
  /** By id: from an endpoint that is better at this than we are. Compared besides, where both have one. */
  readonly vectors?: ReadonlyMap<string, Float32Array>
}

export interface GroupingOptions {
  /** How alike the texts of a group are on average, at least. Lower: larger groups that are less sure. */
  readonly cut?: number
  /** How many different texts a group has at least. */
  readonly least?: number
}

export const defaultCut = 0.085
/** So much more alike must texts be that have nothing in common but words. */
const surer = 1.3

/** Groups of keys, each sorted, the group of the first key first. Texts that belong to none are in none. */
export function groupTexts(items: readonly GroupItem[], options: GroupingOptions = {}): string[][] {
  const known = items.map(({ key, text }) => ({
    id: key,
    digest: text,
    own: text,
    createdAt: '',
    features: featuresOf(text),
  }))
  const links = new Map(items.map(({ key, links: others = [] }) => [key, others]))
  const vectors = new Map(items.flatMap(({ key, vector }) => (vector ? [[key, vector]] : [])))
  return groupKnown(known, { ...options, links, vectors }).groups
}

export interface Grouped {
  readonly groups: string[][]
  /** For the next time, with the same cut: then only what is new is compared. Changes nothing in the groups. */
  readonly neighbours: LinkedNeighbours
  readonly sample: Sample<KnownItem>
}

/** Besides, the groups in each part, by the digests of its texts. */
export interface LinkedNeighbours extends Neighbours {
  readonly linked?: ReadonlyMap<string, number[][]>
}

export function groupKnown(
  items: readonly KnownItem[],
  options: GroupingOptions & Beside = {},
  before?: LinkedNeighbours,
): Grouped {
  const { cut = defaultCut, least = 2, links, vectors } = options
  const { distinct, keysOf } = sameTextOnce(items)
  const texts = vectors?.size ? distinct.map((item) => ({ ...item, vector: vectors.get(item.id) })) : distinct
  const sample = sampleOf(items)
  const places = new Map(distinct.map(({ digest }, at) => [digest, at]))
  const sampled = { digest: sample.digest, places: sample.texts.map(({ digest }) => places.get(digest)!) }
  const neighbours = neighboursOf(texts, linksBetween(links, keysOf), sampled, before)
  const linked = new Map<string, number[][]>()
  const groups = partsOf(neighbours.lists, cut)
    .flatMap(({ members, pairs }) => {
      const part = members.map((at) => distinct[at]!.digest).join(' ')
      const isAsBefore = members.every((at) => neighbours.lists.isChanged[at] === 0)
      const inPart = (isAsBefore && before?.linked?.get(part)) || linkPart(members.length, pairs(), cut)
      linked.set(part, inPart)
      return inPart.map((group) => group.map((i) => members[i]!))
    })
    .filter((group) => group.length >= least)
    .map((group) => group.flatMap((at) => keysOf[at]!).sort())
    .sort((a, b) => (a[0]! < b[0]! ? -1 : 1))
  return { groups, neighbours: { ...neighbours, linked }, sample }
}

/** Groups of two or more within one part. */
function linkPart(count: number, pairs: readonly PartPair[], cut: number): number[][] {
  const groups = linkPairs(count, pairs, cut).filter((group) => group.length > 1)
  const inside = pairsInside(groups, count, pairs)
  return groups.flatMap((group, i) =>
    hasEvidence(group, inside[i]!) ? [group] : linkAgain(group, inside[i]!, cut * surer),
  )
}

/** For each group its own pairs. One go over all of them: a large part has thousands of groups. */
function pairsInside(groups: readonly (readonly number[])[], count: number, pairs: readonly PartPair[]): PartPair[][] {
  const groupOf = new Int32Array(count).fill(-1)
  for (const [i, group] of groups.entries()) for (const at of group) groupOf[at] = i
  const inside = groups.map((): PartPair[] => [])
  for (const pair of pairs) {
    const group = groupOf[pair.a]!
    if (group >= 0 && group === groupOf[pair.b]) inside[group]!.push(pair)
  }
  return inside
}

/** Half of its texts name the same thing as another of them, or are linked with one. */
function hasEvidence(group: readonly number[], pairs: readonly PartPair[]): boolean {
  const evident = new Set<number>()
  for (const { a, b, isEvident } of pairs) if (isEvident) evident.add(a).add(b)
  return evident.size * 2 >= group.length
}

/** The parts of a group that stay together at a higher cut. */
function linkAgain(group: readonly number[], pairs: readonly Pair[], cut: number): number[][] {
  const places = new Map(group.map((at, i) => [at, i]))
  const own = pairs.map(({ a, b, likeness }) => ({ a: places.get(a)!, b: places.get(b)!, likeness }))
  return linkPairs(group.length, own, cut).map((part) => part.map((i) => group[i]!))
}

/** Identical texts are one: ten thousand say no more than one does. By digest. */
function sameTextOnce(items: readonly KnownItem[]) {
  const distinct: KnownItem[] = []
  const keysOf: string[][] = []
  for (const item of items.toSorted((a, b) => (a.digest < b.digest ? -1 : a.digest > b.digest ? 1 : 0))) {
    if (distinct.at(-1)?.digest === item.digest) keysOf.at(-1)!.push(item.id)
    else {
      distinct.push(item)
      keysOf.push([item.id])
    }
  }
  return { distinct, keysOf }
}

/** Of each text that has some the places of others, in both directions, ascending. */
function linksBetween(given: Beside['links'], keysOf: readonly (readonly string[])[]): Links {
  const links = new Map<number, Set<number>>()
  if (!given || given.size === 0) return new Map()
  const places = new Map<string, number>()
  for (const [at, keys] of keysOf.entries()) for (const key of keys) places.set(key, at)
  const link = (a: number, b: number) => links.set(a, (links.get(a) ?? new Set()).add(b))
  for (const [id, others] of given) {
    for (const key of others) {
      const [a, b] = [places.get(id), places.get(key)]
      if (a === undefined || b === undefined || a === b) continue
      link(a, b)
      link(b, a)
    }
  }
  return new Map([...links].map(([at, others]) => [at, [...others].sort((a, b) => a - b)]))
}

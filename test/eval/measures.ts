/** How good clusters and rankings are, in the usual figures. Shares no code with what is measured. */

export interface ClusterFigures {
  /** Of all pairs that were put together, how many belong together. */
  readonly precision: number
  /** Of all pairs that belong together, how many were put together. */
  readonly recall: number
  readonly adjustedRand: number
  readonly vMeasure: number
  /** Of the messages that belong to no topic, how many are in no cluster. */
  readonly noiseKeptOut: number
  /** Of all messages, how many are in some cluster. */
  readonly clustered: number
  readonly clusters: number
}

/** `topics[i]` and `clusters[i]` of one message; `undefined`: belongs to none, is in none. */
export function clusterFigures(
  topics: readonly (string | undefined)[],
  clusters: readonly (number | undefined)[],
): ClusterFigures {
  // Whoever is alone is a class of its own.
  const truth = topics.map((topic, i) => topic ?? `alone ${i}`)
  const found = clusters.map((cluster, i) => (cluster === undefined ? `alone ${i}` : `cluster ${cluster}`))
  const cells = new Map<string, number>()
  const rows = new Map<string, number>()
  const columns = new Map<string, number>()
  for (const [i, row] of truth.entries()) {
    const column = found[i]!
    count(cells, `${row}\0${column}`)
    count(rows, row)
    count(columns, column)
  }
  const together = sumOf(cells.values(), pairs)
  const shouldBe = sumOf(rows.values(), pairs)
  const are = sumOf(columns.values(), pairs)
  const byChance = (shouldBe * are) / pairs(truth.length)
  const noise = topics.flatMap((topic, i) => (topic === undefined ? [clusters[i]] : []))
  return {
    precision: are === 0 ? 0 : together / are,
    recall: shouldBe === 0 ? 0 : together / shouldBe,
    adjustedRand: (together - byChance) / ((shouldBe + are) / 2 - byChance || 1),
    vMeasure: vMeasure(cells, rows, columns, truth.length),
    noiseKeptOut: noise.filter((cluster) => cluster === undefined).length / (noise.length || 1),
    clustered: clusters.filter((cluster) => cluster !== undefined).length / (clusters.length || 1),
    clusters: new Set(clusters.filter((cluster) => cluster !== undefined)).size,
  }
}

function vMeasure(cells: Counts, rows: Counts, columns: Counts, total: number): number {
  const entropy = (counts: Counts) => sumOf(counts.values(), (n) => -(n / total) * Math.log(n / total))
  let rowsGivenColumns = 0
  let columnsGivenRows = 0
  for (const [key, n] of cells) {
    const [row, column] = key.split('\0') as [string, string]
    rowsGivenColumns -= (n / total) * Math.log(n / columns.get(column)!)
    columnsGivenRows -= (n / total) * Math.log(n / rows.get(row)!)
  }
  const homogeneity = 1 - rowsGivenColumns / (entropy(rows) || 1)
  const completeness = 1 - columnsGivenRows / (entropy(columns) || 1)
  return homogeneity + completeness === 0 ? 0 : (2 * homogeneity * completeness) / (homogeneity + completeness)
}

/** Pairs of messages that were put together and belong to different topics, by topics, the most frequent first. */
export function confusions(
  topics: readonly (string | undefined)[],
  clusters: readonly (number | undefined)[],
): [pair: string, count: number][] {
  const confused = new Map<string, number>()
  for (let a = 0; a < topics.length; a++) {
    for (let b = 0; b < a; b++) {
      if (clusters[a] === undefined || clusters[a] !== clusters[b]) continue
      const [one, other] = [topics[a] ?? 'noise', topics[b] ?? 'noise'].sort()
      if (one !== other || one === 'noise') count(confused, `${one} / ${other}`)
    }
  }
  return [...confused].sort(([, a], [, b]) => b - a)
}

export interface RankingFigures {
  /** Of what should be found, or of five if that is more, how many are among the first five. */
  readonly recallAt5: number
  /** One divided by the rank of the first that should be found. */
  readonly reciprocalRank: number
}

export function rankingFigures(ranked: readonly string[], relevant: readonly string[]): RankingFigures {
  const wanted = new Set(relevant)
  const among = ranked.slice(0, 5).filter((id) => wanted.has(id)).length
  const first = ranked.findIndex((id) => wanted.has(id))
  return { recallAt5: among / Math.min(5, wanted.size), reciprocalRank: first < 0 ? 0 : 1 / (first + 1) }
}

export const meanOf = <T>(items: readonly T[], value: (item: T) => number): number =>
  items.reduce((sum, item) => sum + value(item), 0) / (items.length || 1)

type Counts = Map<string, number>
const count = (counts: Counts, key: string): unknown => counts.set(key, (counts.get(key) ?? 0) + 1)
const pairs = (n: number): number => (n * (n - 1)) / 2
const sumOf = (numbers: Iterable<number>, value: (n: number) => number): number => {
  let sum = 0
  for (const n of numbers) sum += value(n)
  return sum
}

/**
 * Rounds and medians. Every round measures all contenders one after the other, so that a noisy moment hits all of them. Each
 * round gives a ratio, and the median of these ratios counts.
 */
import type { Figure, Goal } from './section.ts'

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Lets signals and timers run. A loop that awaits only resolved promises never does. */
export const breathe = () => new Promise<void>((resolve) => setImmediate(resolve))

export type Turn = (round: number) => number | Promise<number>

/** Every contender once a round, each round beginning with another one. The first rounds do not count. */
export async function interleave<Name extends string>(
  rounds: number,
  turns: Readonly<Record<Name, Turn>>,
  rehearsals = 1,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(turns) as Name[]
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = 0; round < rehearsals + rounds; round++) {
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round) % names.length]!
      await breathe()
      const sample = await turns[name](round)
      if (round >= rehearsals) samples[name].push(sample)
    }
  }
  return samples
}

/** Times per item, smaller is better; `ratio` says what the goal is about. */
export function compare(parts: {
  readonly name: string
  readonly against: string
  readonly ours: readonly number[]
  readonly theirs: readonly number[]
  readonly unit: string
  /** `speed`: how many times as fast as theirs. `cost`: how many times as much as theirs. */
  readonly ratio: 'speed' | 'cost'
  readonly goal?: Goal
  readonly calls?: Figure['calls']
  /** The total of all rounds instead of their median: for costs that occur only in some rounds. */
  readonly amortised?: true
}): Figure {
  const ratioOf = (ours: number, theirs: number) => (parts.ratio === 'speed' ? theirs / ours : ours / theirs)
  const ratios = parts.ours.map((ours, i) => ratioOf(ours, parts.theirs[i]!))
  const middle = parts.amortised ? mean : median
  return {
    name: parts.name,
    against: parts.against,
    ratio: parts.amortised ? ratioOf(mean(parts.ours), mean(parts.theirs)) : median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)],
    rounds: ratios.length,
    ...(parts.goal ? { goal: parts.goal } : {}),
    amounts: { ours: middle(parts.ours), theirs: middle(parts.theirs), unit: parts.unit },
    ...(parts.calls ? { calls: parts.calls } : {}),
  }
}

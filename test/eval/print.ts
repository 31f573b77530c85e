/** The figures as Markdown tables, as they stand in `docs/memory-quality.md`. */
import type { Evaluation } from './evaluate.ts'

export function printEvaluation({ clusters, confused, search }: Evaluation): string {
  const two = (value: number): string => value.toFixed(2)
  const clusterRows = Object.entries(clusters).map(([name, one]) => [
    name,
    ...[one.precision, one.recall, one.adjustedRand, one.vMeasure, one.noiseKeptOut, one.clustered].map(two),
    String(one.clusters),
  ])
  const searchRows = Object.entries(search).map(([name, { words, meaning }]) => [
    name,
    ...[words.recallAt5, words.reciprocalRank, meaning.recallAt5, meaning.reciprocalRank].map(two),
  ])
  const mixed = confused.map(([pair, count]) => `- ${pair}: ${count}\n`).join('')
  return [
    table(
      ['Clusters', 'precision', 'recall', 'adjusted Rand', 'V-measure', 'noise kept out', 'clustered', 'number'],
      clusterRows,
    ),
    `Pairs of messages of different topics that were put together:\n\n${mixed || '- none\n'}`,
    table(['Search', 'words: recall@5', 'words: MRR', 'meaning: recall@5', 'meaning: MRR'], searchRows),
  ].join('\n')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map((_, i) => (i === 0 ? '---' : '--:')), ...rows]
  const widths = head.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)))
  const cell = (text: string, i: number) =>
    text === '---'
      ? '-'.repeat(widths[i]!)
      : text === '--:'
        ? `${'-'.repeat(widths[i]! - 1)}:`
        : i === 0
          ? text.padEnd(widths[i]!)
          : text.padStart(widths[i]!)
  return lines.map((line) => `| ${line.map(cell).join(' | ')} |\n`).join('')
}

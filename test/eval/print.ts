/** The figures as Markdown tables, as they stand in `docs/memory-quality.md`. */
import type { Evaluation } from './evaluate.ts'
import { meanOf } from './measures.ts'

const two = (value: number): string => value.toFixed(2)

/** By the names of the parts. */
export function printEvaluations(evaluations: ReadonlyMap<string, Evaluation>): string {
  const parts = [...evaluations.keys()]
  const all = [...evaluations.values()]
  const methods = Object.keys(all[0]!.search)
  const searched = methods.map((method) => {
    const figures = all.map(({ search }) => search[method]!)
    const cells = figures.map(({ words, meaning }) => `${two(words)} / ${two(meaning)}`)
    return [
      method,
      ...cells,
      `${two(meanOf(figures, ({ words }) => words))} / ${two(meanOf(figures, ({ meaning }) => meaning))}`,
    ]
  })
  const grouped = methods.map((method) => {
    const figures = all.map(({ groups }) => groups[method]!)
    const of = (one: (typeof figures)[number]) => [one.precision, one.clustered, one.noiseKeptOut].map(two).join(' / ')
    const mean = [
      meanOf(figures, ({ precision }) => precision),
      meanOf(figures, ({ clustered }) => clustered),
      meanOf(figures, ({ noiseKeptOut }) => noiseKeptOut),
    ]
    return [method, ...figures.map(of), mean.map(two).join(' / ')]
  })
  const spread = all.map(({ spread: { precision, clustered } }) => {
    const mean = meanOf(precision, (one) => one)
    const off = Math.sqrt(meanOf(precision, (one) => (one - mean) ** 2))
    return `${two(mean)} ± ${two(off)} / ${two(meanOf(clustered, (one) => one))}`
  })
  return [
    table(['Search, recall@5: words shared / none', ...parts, 'mean'], searched),
    table(['Groups: precision / share of messages / noise kept out', ...parts, 'mean'], grouped),
    table(['With 15 % of the messages left out: precision / share', ...parts], [['Signalbox', ...spread]]),
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

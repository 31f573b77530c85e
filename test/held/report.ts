/** Reports what was tried: how many interleavings for each pair, and what failed. */
import type { Tried } from './explorer.ts'

/** One line a world and first story, with the number for each second story. */
export function tableOf(tried: readonly Tried[]): string {
  const lines = new Map<string, string[]>()
  for (const { stage, world, first, second, interleavings, waited } of tried) {
    const key = `${stage} | ${world} | ${first}`
    const line = lines.get(key) ?? []
    lines.set(key, line)
    line.push(`${second} ${interleavings}${waited > 0 ? ` (${waited} waited)` : ''}`)
  }
  const all = tried.reduce((sum, { interleavings }) => sum + interleavings, 0)
  const waits = tried.reduce((sum, { waited }) => sum + waited, 0)
  const rows = [...lines].map(([key, line]) => `  ${key} / ${line.join(' · ')}`)
  return [`${all} interleavings of ${tried.length} pairs, in ${waits} of them the second had to wait`, ...rows].join(
    '\n',
  )
}

const mostShown = 60

/** For an assertion: empty when all is well. */
export function failuresIn(tried: readonly Tried[]): string {
  const failures = tried.flatMap((one) => one.failures)
  const more = failures.length > mostShown ? [`… and ${failures.length - mostShown} more`] : []
  return [...failures.slice(0, mostShown), ...more].join('\n')
}

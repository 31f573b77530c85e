/** The figures as a table for people. */
import { type Figure, type Goal, isMet, type Result } from './section.ts'

const words = { met: 'met', missed: 'MISSED', none: '' }

export function printResult(title: string, { figures, notes }: Result): string {
  const rows = figures.map(cellsOf)
  const widths = rows.reduce<number[]>((most, row) => row.map((cell, i) => Math.max(most[i] ?? 0, cell.length)), [])
  const lines = rows.map((row) => `  ${row.map((cell, i) => align(cell, widths[i]!, i)).join('  ')}`.trimEnd())
  return [title, ...lines, ...notes.map((note) => `  ${note}`), ''].join('\n')
}

/** Numbers to the right, words to the left. */
const align = (cell: string, width: number, column: number) =>
  column === 2 ? cell.padStart(width) : cell.padEnd(width)

function cellsOf({ name, against, ratio, unit: own, spread, rounds, goal, amounts, calls }: Figure): string[] {
  const { ours, theirs, unit } = amounts
  return [
    name,
    own === undefined ? `of ${against}` : against,
    own === undefined ? `${short(ratio)}×` : `${short(ratio)} ${own}`,
    goal ? goalText(goal) : '',
    words[goal ? (isMet(goal, ratio) ? 'met' : 'missed') : 'none'],
    `${short(ours)} : ${short(theirs)} ${unit}`,
    calls ? `calls ${calls.ours.toFixed(2)} : ${calls.theirs.toFixed(2)}` : '',
    `${rounds} rounds ${short(spread[0])}–${short(spread[1])}`,
  ]
}

const goalText = (goal: Goal) => ('atLeast' in goal ? `goal ≥ ${goal.atLeast}` : `goal ≤ ${goal.atMost}`)

export const short = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)

/** A document of parts that can each show more or fewer lines, made to fill a number of tokens. Pure. */
import { estimateTokens } from '../../../kernel/token-estimate.ts'
import { withCheck } from './generated.ts'

export interface Part {
  /** How many lines it has. 0: it is shown as it is. */
  readonly size: number
  /** How many lines are shown before those of other parts, then in the first round of all parts, and then in each further one. */
  readonly ahead?: number
  readonly first: number
  readonly share: number
  readonly usual?: number
  print(shown: number): string
}

export const fixed = (text: string): Part => ({ size: 0, first: 0, share: 0, print: () => text })

export interface Fitted {
  readonly text: string
  readonly tokens: number
  readonly isShortened: boolean
}

const usually = 25

export function fitted(parts: readonly Part[], budgetTokens?: number): Fitted {
  const make = (shown: readonly number[]): Fitted => {
    const printed = parts.map((part, i) => part.print(shown[i]!)).filter((text) => text !== '')
    const text = withCheck(printed.join('\n\n'))
    return { text, tokens: estimateTokens(text), isShortened: parts.some(({ size }, i) => shown[i]! < size) }
  }
  if (budgetTokens === undefined) return make(parts.map(({ size, usual = usually }) => Math.min(size, usual)))
  const order = orderOf(parts)
  const first = (count: number): number[] => {
    const shown = parts.map(() => 0)
    for (const at of order.slice(0, count)) shown[at]!++
    return shown
  }
  let [least, most] = [0, order.length]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (make(first(middle)).tokens <= budgetTokens) least = middle
    else most = middle - 1
  }
  return filled(parts, first(least), make, budgetTokens)
}

/** Adds lines of other parts where the next line of one part is too long for what is left. */
function filled(
  parts: readonly Part[],
  shown: readonly number[],
  make: (shown: readonly number[]) => Fitted,
  budgetTokens: number,
): Fitted {
  let best = make(shown)
  let counts = shown
  const full = new Set<number>()
  while (best.tokens <= budgetTokens && full.size < parts.length) {
    for (const [at, { size }] of parts.entries()) {
      if (full.has(at)) continue
      const more = counts.with(at, counts[at]! + 1)
      const made = counts[at]! < size ? make(more) : undefined
      if (!made || made.tokens > budgetTokens) full.add(at)
      else [best, counts] = [made, more]
    }
  }
  return best
}

/** The parts by number, one for each line, in the order in which lines are added. */
function orderOf(parts: readonly Part[]): number[] {
  const order: number[] = []
  const left = parts.map(({ size }) => size)
  const round = (wanted: (part: Part) => number): void => {
    for (const [at, part] of parts.entries()) {
      const count = Math.min(left[at]!, wanted(part))
      left[at]! -= count
      for (let n = 0; n < count; n++) order.push(at)
    }
  }
  round(({ ahead = 0 }) => ahead)
  round(({ first }) => first)
  while (left.some((count, at) => count > 0 && parts[at]!.share > 0)) round(({ share }) => share)
  return order
}

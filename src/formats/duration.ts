/** Spans of time as people write them: `90s`, `1h30m`, `7d`. In code they are milliseconds. */
import { invalidInput } from '../kernel/errors.ts'

const units = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const
type Unit = keyof typeof units

const part = /(\d{1,15}(?:\.\d{1,9})?)(ms|[wdhms])/y
const bare = /^\d{1,15}(?:\.\d{1,9})?$/

/** True for a number without a unit, which says nothing about how long it is unless it is zero. */
export const lacksUnit = (text: string): boolean => bare.test(text) && Number(text) !== 0

/** Milliseconds. A plain number is seconds; units go from large to small and each stands at most once. */
export function parseDuration(text: string): number {
  if (bare.test(text)) return whole(text, Number(text) * units.s)
  let total = 0
  let smallest = Number.POSITIVE_INFINITY
  part.lastIndex = 0
  do {
    const found = part.exec(text)
    if (!found) throw badDuration(text, 'it is not a number and a unit')
    const unit = units[found[2] as Unit]
    if (unit >= smallest) throw badDuration(text, 'its units do not go from large to small')
    smallest = unit
    total += Number(found[1]) * unit
  } while (part.lastIndex < text.length)
  return whole(text, total)
}

/** The shortest way to write it from days down; `parseDuration` reads it back. */
export function printDuration(milliseconds: number): string {
  if (!Number.isSafeInteger(milliseconds) || milliseconds < 0)
    throw badDuration(String(milliseconds), 'it is not a whole number')
  let rest = milliseconds
  let text = ''
  for (const unit of ['d', 'h', 'm', 's', 'ms'] as const) {
    const count = Math.floor(rest / units[unit])
    rest %= units[unit]
    if (count > 0) text += `${count}${unit}`
  }
  return text || '0s'
}

function whole(text: string, milliseconds: number): number {
  // 1.1 seconds are 1100.0000000000002 ms in binary. A larger fraction was in the text, and is refused.
  const rounded = Math.round(milliseconds)
  if (!Number.isSafeInteger(rounded)) throw badDuration(text, 'it is too long')
  if (Math.abs(milliseconds - rounded) > Math.max(1e-6, rounded * 1e-15))
    throw badDuration(text, 'it is finer than a millisecond')
  return rounded
}

const badDuration = (text: string, reason: string) =>
  invalidInput('BAD_DURATION', `Not a duration: ${JSON.stringify(text.slice(0, 40))}: ${reason}.`, {
    hint: 'Write numbers with the units w, d, h, m, s, ms, such as 90s, 1h30m or 7d.',
    details: { text: text.slice(0, 40), reason },
  })

/** Points in time as people write them. */
import { parseDateTime } from '../formats/date-time.ts'
import { parseDuration } from '../formats/duration.ts'
import { invalidInput } from '../kernel/errors.ts'

/** `2026-07-01T12:00:00Z`, `2026-07-01`, or how long before `now`: `7d`. In milliseconds. */
export function momentFrom(text: string, now: number): number {
  const moment = parseDateTime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text) ?? parseDateTime(`${text}Z`)
  if (moment !== undefined) return moment
  if (/^\d[\d.]*(?:ms|[wdhms])/.test(text)) return now - parseDuration(text)
  throw invalidInput('BAD_TIME', `${JSON.stringify(text.slice(0, 80))} is no time.`, {
    hint: 'Write 2026-07-01T12:00:00Z, 2026-07-01, or how long ago, such as 7d or 12h.',
    details: { time: text.slice(0, 80) },
  })
}

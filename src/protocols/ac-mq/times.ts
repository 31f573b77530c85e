/** Times as AC-MQ writes them: `2025-07-04T10:30:00Z` in headers, `20250704103000` in file names. Always UTC. */
import { utcTime } from '../../formats/date-time.ts'
import { isoTime } from '../../kernel/clock.ts'
import { lastAnswer } from '../../kernel/last-answer.ts'

export { isoTime }

export const compactTime = (ms: number): string => compactOf(isoTime(ms))

const canonical = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
// In messages that we write.
const toTheMillisecond = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const iso =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?: ?(?:[Zz]|([+-])(\d\d):?(\d\d)))?)?$/

/** Milliseconds since 1970, of any ISO time; one without a zone counts as UTC. `undefined` for any other text. */
export function parseTime(text: string): number | undefined {
  // A quick way for the usual forms, because a time is read with every message.
  const hasMs = toTheMillisecond.test(text)
  if (hasMs || canonical.test(text)) {
    const year = pairAt(text, 0) * 100 + pairAt(text, 2)
    const ms = hasMs ? Number(text.slice(20, 23)) : 0
    return utcTime(year, pairAt(text, 5), pairAt(text, 8), pairAt(text, 11), pairAt(text, 14), pairAt(text, 17), ms)
  }
  const parts = iso.exec(text)
  if (!parts) return undefined
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = 0, sign, offHours, offMinutes] = parts
  const ms = Math.trunc(Number(`0.${fraction}`) * 1000)
  const at = utcTime(Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second), ms)
  if (at === undefined || sign === undefined) return at
  const offset = (Number(offHours) * 60 + Number(offMinutes)) * 60_000
  return at + (sign === '-' ? offset : -offset)
}

const pairAt = (text: string, at: number): number => text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 528

/** The same for the order of claiming: a text that is no time counts as 1970 and comes first. */
export const timeOf = lastAnswer((text: string) => parseTime(text) ?? 0)

/** The time of a message in UTC, to the second or the millisecond. A text that is no time stays as it is. */
export function asUtc(text: string): string {
  if (isCanonicalTime(text)) return text
  const ms = parseTime(text)
  return ms === undefined ? text : toTheMoment(ms)
}

/** To the millisecond, or to the second where the milliseconds are zero. */
export const toTheMoment = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z')

export const saysUtc = (text: string): boolean => /(?:[Zz]|[+-]00:?00)$/.test(text)

/** True for a time in the form that we write, of which `compactOf` can take the digits. */
export const isCanonicalTime = (text: string): boolean => toTheMillisecond.test(text) || canonical.test(text)

export const compactOf = (time: string): string =>
  time.slice(0, 4) + time.slice(5, 7) + time.slice(8, 10) + time.slice(11, 13) + time.slice(14, 16) + time.slice(17, 19)

/** `20250704103000` → `2025-07-04T10:30:00Z`; `undefined` when it is no time. */
export function fromCompact(compact: string): string | undefined {
  const digits = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(compact)
  if (!digits) return undefined
  const text = `${digits[1]}-${digits[2]}-${digits[3]}T${digits[4]}:${digits[5]}:${digits[6]}Z`
  return parseTime(text) === undefined ? undefined : text
}

/** The time that a file name begins with, whatever follows: `20250704103000-by-hand.md`. */
export const timeInName = (name: string): string | undefined => fromCompact(/^\d{14}(?=[-_.])/.exec(name)?.[0] ?? '')

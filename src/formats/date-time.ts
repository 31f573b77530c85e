/**
 * `date-time` of JSON schemas: RFC 3339, with a zone, read as the common validators do (a blank may stand for the `T`,
 * the colon of an offset may be missing, a leap second is a time).
 */
import { utcTime } from './utc-time.ts'

const dateTime = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)$/

/** The moment it means, in milliseconds since 1970; `undefined` for everything that is not a `date-time`. */
export function parseDateTime(text: string): number | undefined {
  const parts = dateTime.exec(text)
  if (!parts) return undefined
  const [, year, month, day, hour, minute, second, fraction = '0', sign, offHours = '0', offMinutes = '0'] = parts
  if (Number(offHours) > 23 || Number(offMinutes) > 59) return undefined
  const offset = (Number(offHours) * 60 + Number(offMinutes)) * (sign === '-' ? -60_000 : 60_000)
  const isLeap = second === '60'
  const ms = Math.trunc(Number(`0.${fraction}`) * 1000)
  const seconds = isLeap ? 59 : Number(second)
  const at = utcTime(Number(year), Number(month), Number(day), Number(hour), Number(minute), seconds, ms)
  if (at === undefined) return undefined
  const moment = at - offset
  if (!isLeap) return moment
  // Leap seconds occur only at the end of a day, in UTC.
  return Math.floor(moment / 60_000) % 1440 === 1439 ? moment + 1000 : undefined
}

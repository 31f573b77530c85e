/**
 * `date-time` of JSON schemas: RFC 3339, with a zone, read as the common validators do (a blank may stand for the `T`,
 * the colon of an offset may be missing, a leap second is a time).
 */

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

/** Milliseconds since 1970; `undefined` when there is no such day or time. */
export function utcTime(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  ms: number,
): number | undefined {
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59) {
    return undefined
  }
  if (year > 99) return Date.UTC(year, month - 1, day, hour, minute, second, ms)
  // Date.UTC reads the years 0 to 99 as 1900 to 1999.
  return new Date(Date.UTC(2000, month - 1, day, hour, minute, second, ms)).setUTCFullYear(year, month - 1, day)
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

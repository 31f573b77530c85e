/** From year, month, day and time to milliseconds, by the calendar of ISO 8601 and RFC 3339. */

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

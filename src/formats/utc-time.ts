/** Moments from their written parts, on the calendar that ISO 8601 and RFC 3339 share. */

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
  // Date.UTC takes these years for those of the last century.
  return new Date(Date.UTC(2000, month - 1, day, hour, minute, second, ms)).setUTCFullYear(year, month - 1, day)
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

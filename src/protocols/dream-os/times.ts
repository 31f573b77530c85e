/** Times as Dream.OS has them: ISO 8601, and UTC where no zone is said. */
import { parseDateTime } from '../../formats/date-time.ts'

const zone = /(?:[Zz]|[+-]\d\d(?::?\d\d)?)$/
/** Some programs write the zone twice. */
const twice = /[+-]00:?00Z$/

/** Milliseconds; `undefined` for what is no time. `compat`: also `2025-05-01T10:00:00+00:00Z`. */
export function momentOf(text: string, compat = false): number | undefined {
  const once = compat && twice.test(text) ? text.slice(0, -1) : text
  return parseDateTime(zone.test(once) ? once : `${once}Z`)
}

export const isoOf = (ms: number): string => new Date(ms).toISOString()

/** `20261117T150000Z`: sorts by time, and is a valid file name everywhere. */
export const compactTime = (ms: number): string => isoOf(ms).replace(/[-:]|\.\d+/g, '')

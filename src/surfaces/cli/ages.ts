/** A span of time at a glance: its two largest units. */
import { printDuration } from '../../operations/check-input.ts'

export function ageOf(seconds: number): string {
  const units = printDuration(Math.max(0, Math.floor(seconds)) * 1000).match(/\d+[a-z]+/g) ?? []
  return units.slice(0, 2).join(' ')
}

/** Whether two patterns can mean the same path. A pattern means what it matches and, for a folder, all that is in it. */
import { expandBraces } from './glob-braces.ts'

export function globsOverlap(one: string, other: string): boolean {
  const waysOf = (pattern: string) => expandBraces(pattern).map((way) => way.split('/').filter((name) => name !== '.'))
  const others = waysOf(other)
  return waysOf(one).some((a) => others.some((b) => meet(a, b) || meet([...a, '**'], b) || meet(a, [...b, '**'])))
}

function meet(one: readonly string[], other: readonly string[]): boolean {
  const [a, ...rest] = one
  const [b, ...otherRest] = other
  if (a === undefined && b === undefined) return true
  if (a === '**') return meet(rest, other) || (b !== undefined && meet(one, otherRest))
  if (b === '**') return meet(one, otherRest) || (a !== undefined && meet(rest, other))
  return a !== undefined && b !== undefined && namesMeet(signsOf(a), signsOf(b)) && meet(rest, otherRest)
}

/** A class such as `[a-z]` counts as any sign: it is better to ask once too often. */
const signsOf = (name: string): string[] => [...name.replace(/\[[^\]]+\]/g, '?')]

function namesMeet(one: readonly string[], other: readonly string[]): boolean {
  const [a, ...rest] = one
  const [b, ...otherRest] = other
  if (a === undefined && b === undefined) return true
  if (a === '*') return namesMeet(rest, other) || (b !== undefined && namesMeet(one, otherRest))
  if (b === '*') return namesMeet(one, otherRest) || (a !== undefined && namesMeet(rest, other))
  return a !== undefined && b !== undefined && (a === b || a === '?' || b === '?') && namesMeet(rest, otherRest)
}

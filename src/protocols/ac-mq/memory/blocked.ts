/** Messages that can never start, since a dependency failed, is unknown, or waits for them in turn. AC-MQ §7.1. Pure. */
import { groupBy } from '../../../kernel/group-by.ts'
import { finderAmong } from '../../../kernel/short-id.ts'
import { addressBehind, readDependency, wayOf } from '../dependencies.ts'
import type { MissionAddress } from '../names.ts'
import type { Linked } from './chains.ts'

interface LinkedMessage extends Linked {
  readonly mission?: string
}

export interface Blocked {
  readonly on: string
  /** `blocked`: what it depends on is blocked, too. `itself`: it is part of a cycle of dependencies. */
  readonly by: 'failed' | 'unknown' | 'ambiguous' | 'outside' | 'blocked' | 'itself'
}

export function blockedForGood<T extends LinkedMessage>(messages: readonly T[]): ReadonlyMap<T, Blocked> {
  const find = finderIn(messages)
  const blocked = new Map<T, Blocked>()
  /** For each waiting message, the messages it depends on that are not done. */
  const unmet = new Map<T, Map<T, string>>()
  for (const message of messages) {
    if (message.status !== 'pending') continue
    const open = new Map<T, string>()
    unmet.set(message, open)
    for (const text of message.dependencies) {
      const found = find(message, text)
      if (found === undefined) continue
      if ('by' in found) blocked.set(message, blocked.get(message) ?? found)
      else if (found.message.status === 'failed') blocked.set(message, { on: found.on, by: 'failed' })
      else if (found.message.status === 'pending') open.set(found.message, found.on)
    }
  }
  const waits = [...unmet].flatMap(([message, open]) => [...open.keys()].map((other) => ({ message, other })))
  const after = groupBy(waits, ({ other }) => other)
  const left = new Map([...unmet].map(([message, open]) => [message, open.size]))
  const free = [...left].filter(([message, count]) => count === 0 && !blocked.has(message)).map(([message]) => message)
  for (const message of free) {
    left.delete(message)
    for (const { message: next } of after.get(message) ?? []) {
      const count = left.get(next)! - 1
      left.set(next, count)
      if (count === 0 && !blocked.has(next)) free.push(next)
    }
  }
  const isFree = new Set(free)
  const others = new Map<T, readonly [other: T, on: string]>()
  for (const message of left.keys()) {
    if (!blocked.has(message)) others.set(message, [...unmet.get(message)!].find(([other]) => !isFree.has(other))!)
  }
  const inCycle = cyclesIn(others)
  for (const [message, [, on]] of others) blocked.set(message, { on, by: inCycle.has(message) ? 'itself' : 'blocked' })
  return blocked
}

/** All that are part of a cycle. `next`: the one dependency of each that is followed. */
function cyclesIn<T>(next: ReadonlyMap<T, readonly [other: T, on: string]>): ReadonlySet<T> {
  const seen = new Map<T, T>()
  const found = new Set<T>()
  for (const start of next.keys()) {
    let at = start
    while (next.has(at) && !seen.has(at)) {
      seen.set(at, start)
      at = next.get(at)![0]
    }
    if (seen.get(at) !== start) continue
    for (let one = at; !found.has(one); one = next.get(one)![0]) found.add(one)
  }
  return found
}

type Found<T> = { readonly message: T; readonly on: string } | Blocked

/** `undefined` for a file, and where these messages do not tell what is meant. */
function finderIn<T extends LinkedMessage>(messages: readonly T[]): (message: T, text: string) => Found<T> | undefined {
  const missions = groupBy(messages, ({ mission = '' }) => mission)
  const finders = new Map([...missions].map(([mission, all]) => [mission, finderAmong(all)]))
  return ({ mission = '' }, text) => {
    const read = readDependency(text)
    if (read.kind === 'path') return undefined
    if (read.kind === 'outside') return { on: read.path, by: 'outside' }
    const on = read.kind === 'message' ? read.id : read.text
    const way = wayOf(on)
    const behind = way && mission !== '' ? addressBehind(mission as MissionAddress, way) : mission
    const find = behind === undefined ? undefined : finders.get(behind)
    if (!find || (way && mission === '')) return undefined
    const meant = find(way?.id ?? on)
    if (meant.length === 1) return { message: meant[0]!, on }
    if (meant.length > 1) return { on, by: 'ambiguous' }
    return read.kind === 'message' ? { on, by: 'unknown' } : undefined
  }
}

/** The rest of a sentence that begins with the name of the message. */
export function whyBlocked({ on, by }: Blocked, name: (id: string) => string): string {
  switch (by) {
    case 'failed':
      return `${name(on)}, which it depends on, failed`
    case 'unknown':
      return `it depends on ${name(on)}, which nobody knows`
    case 'ambiguous':
      return `it depends on ${name(on)}, which means several messages`
    case 'outside':
      return `it depends on ${name(on)}, which is no place inside the mission`
    case 'itself':
      return `it waits for itself, by way of ${name(on)}`
    case 'blocked':
      return `it depends on ${name(on)}, which is blocked itself`
  }
}

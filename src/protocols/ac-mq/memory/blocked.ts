/**
 * Messages that wait for something which will never be: a message that failed, that nobody knows, or that waits for them. As
 * long as nobody tries that again, they are blocked for good, and so is what depends on them. AC-MQ §7.1. Pure.
 */
import { thoseMeant } from '../../../kernel/short-id.ts'
import { addressBehind, readDependency, wayOf } from '../dependencies.ts'
import type { MissionAddress } from '../names.ts'
import type { Linked } from './chains.ts'

export interface Waiting extends Linked {
  readonly mission?: string
}

export interface Blocked {
  /** As it is written in the dependency. */
  readonly on: string
  /** `blocked`: what it depends on is blocked itself. `itself`: it depends on itself in the end. */
  readonly by: 'failed' | 'unknown' | 'ambiguous' | 'outside' | 'blocked' | 'itself'
}

export function blockedForGood<T extends Waiting>(messages: readonly T[]): ReadonlyMap<T, Blocked> {
  const find = finderIn(messages)
  const blocked = new Map<T, Blocked>()
  /** What each that waits depends on and is not done, and what depends on it. */
  const unmet = new Map<T, Map<T, string>>()
  const after = new Map<T, T[]>()
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
    for (const other of open.keys()) push(after, other, message)
  }
  const left = new Map([...unmet].map(([message, open]) => [message, open.size]))
  const free = [...left].filter(([message, count]) => count === 0 && !blocked.has(message)).map(([message]) => message)
  for (const message of free) {
    left.delete(message)
    for (const next of after.get(message) ?? []) {
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
  const around = inCircles(others)
  for (const [message, [, on]] of others) blocked.set(message, { on, by: around.has(message) ? 'itself' : 'blocked' })
  return blocked
}

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const known = lists.get(key)
  if (known) known.push(value)
  else lists.set(key, [value])
}

/** Those from which the way leads back to themselves. */
function inCircles<T>(next: ReadonlyMap<T, readonly [other: T, on: string]>): ReadonlySet<T> {
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

/** `undefined` for a file, and for what cannot be told from these messages. */
function finderIn<T extends Waiting>(messages: readonly T[]): (message: T, text: string) => Found<T> | undefined {
  const missions = new Map<string, Map<string, T[]>>()
  for (const message of messages) {
    const known = missions.get(message.mission ?? '') ?? new Map<string, T[]>()
    missions.set(message.mission ?? '', known)
    const short = message.id.slice(0, 8)
    push(known, short, message)
  }
  return ({ mission = '' }, text) => {
    const read = readDependency(text)
    if (read.kind === 'path') return undefined
    if (read.kind === 'outside') return { on: read.path, by: 'outside' }
    const on = read.kind === 'message' ? read.id : read.text
    const way = wayOf(on)
    const behind = way && mission !== '' ? addressBehind(mission as MissionAddress, way) : mission
    const known = behind === undefined ? undefined : missions.get(behind)
    if (!known || (way && mission === '')) return undefined
    const id = way?.id ?? on
    const meant = thoseMeant(id, known.get(id.slice(0, 8)) ?? [])
    if (meant.length === 1) return { message: meant[0]!, on }
    if (meant.length > 1) return { on, by: 'ambiguous' }
    return read.kind === 'message' ? { on, by: 'unknown' } : undefined
  }
}

/** In words that go on after the name of the message. */
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

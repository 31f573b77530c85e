/**
 * What a message waits for: other messages, and files of its mission. Spec: AC-MQ §7.1, §6.2.
 *
 * `msg:` and `path:` say which. A text without either means the message with that id if there is one, and a path otherwise.
 * `msg:child/ID` is a message of a mission inside this one, `msg:../ID` one of the mission around it.
 */
import { inputs } from '../../kernel/call.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { lastAnswers } from '../../kernel/last-answer.ts'
import { printableLine } from '../../kernel/printable.ts'
import { shortLength } from '../../kernel/short-id.ts'
import { pathInside } from './layout.ts'
import { isMessageId, type MissionAddress, missionAddress } from './names.ts'
import type { AcmqRecord, State } from './schema.ts'

export type Dependency =
  /** The id, after the way to its mission if that is another mission. */
  | { readonly kind: 'message'; readonly id: string }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'either'; readonly text: string }

/** For a sender: refuses a text that nothing could ever fulfil. */
export function parseDependency(text: string): Dependency {
  const read = readDependency(text)
  // Several dependencies in one text. A file with a comma in its name is written with `path:`.
  if (read.kind !== 'path' && text.includes(',')) throw severalInOne(text)
  if (read.kind === 'outside') throw badDependency(text, 'a path must stay inside the mission')
  if (read.kind === 'message' && !isMessageId(read.id) && !wayOf(read.id)) {
    throw badDependency(text, 'that is no id of a message')
  }
  return read
}

/** A message of another mission: the steps to that mission, and the id. */
export interface Way {
  readonly steps: readonly string[]
  readonly id: string
}

/** Reads `../other/ID`; `undefined` for an id alone and for any other text. */
export const wayOf = lastAnswers(1000, (text: string): Way | undefined => {
  const steps = text.split('/')
  const id = steps.pop()!
  const isWay = steps.length > 0 && isMessageId(id) && steps.every((step) => step === '..' || isMessageId(step))
  return isWay ? { steps, id } : undefined
})

/** The address of the mission that a way leads to; `undefined` when it leads out of all missions. */
export function addressBehind(from: MissionAddress, { steps }: Way): MissionAddress | undefined {
  const parts: string[] = from.split('/')
  for (const step of steps) {
    if (step !== '..') parts.push(step)
    else if (parts.pop() === undefined) return undefined
  }
  try {
    return missionAddress(parts.join('/'))
  } catch {
    return undefined // INVALID_MISSION_NAME
  }
}

/** `outside`: a path that leaves the mission, or a text that is no path. */
type ReadDependency = Dependency | { readonly kind: 'outside'; readonly path: string }

/** For texts from files: never throws. Remembers answers, because many messages depend on the same things. */
export const readDependency = lastAnswers(1000, (text: string): ReadDependency => {
  const trimmed = text.trim()
  if (trimmed.startsWith('msg:')) return { kind: 'message', id: trimmed.slice(4).trim() }
  const isPath = trimmed.startsWith('path:')
  const path = isPath ? trimmed.slice(5).trim() : trimmed
  const inside = pathInside(path)
  if (inside === undefined) return { kind: 'outside', path }
  return isPath ? { kind: 'path', path: inside } : { kind: 'either', text: inside }
})

/** The id in a text that means a message, or may mean one; `undefined` for a path. */
export function idIn(text: string): string | undefined {
  const read = readDependency(text)
  return read.kind === 'message' ? read.id : read.kind === 'either' ? read.text : undefined
}

export type DependencyState =
  | { readonly is: 'met' }
  | { readonly is: 'waiting'; readonly on: string; readonly state: State }
  | { readonly is: 'failed'; readonly on: string }
  | { readonly is: 'unknown'; readonly on: string }
  | { readonly is: 'ambiguous'; readonly on: string; readonly candidates: readonly string[] }
  | { readonly is: 'missing-path'; readonly path: string }
  | { readonly is: 'outside'; readonly path: string }
  | { readonly is: 'cycle'; readonly through: readonly string[] }

/** Where a message is. `archived` without a status means completed (AC-MQ §9.2). */
export type FoundState = State | 'archived-completed' | 'archived-failed'

export interface Lookup {
  /** `id`: a full id or its first eight characters, after the way to its mission if that is another. A full id is never ambiguous. */
  stateOf(id: string): FoundState | { readonly ambiguous: readonly string[] } | undefined
  pathExists(path: string): boolean
}

type Waiting = Pick<AcmqRecord, 'id' | 'dependencies'>

/** What holds the message back: first what does not pass by itself. Empty when the message can be claimed. */
export function judge(record: Waiting, lookup: Lookup): readonly DependencyState[] {
  if (record.dependencies.length === 0) return nothingUnmet
  const unmet = record.dependencies.map((text) => judgeOne(text, record.id, lookup)).filter(({ is }) => is !== 'met')
  return unmet.sort((a, b) => Number(canPass(a)) - Number(canPass(b)))
}

export const nothingUnmet: readonly DependencyState[] = Object.freeze([])

const canPass = ({ is }: DependencyState): boolean => is === 'waiting' || is === 'missing-path'

export function judgeOne(text: string, id: string, lookup: Lookup): DependencyState {
  const dependency = readDependency(text)
  switch (dependency.kind) {
    case 'outside':
      return { is: 'outside', path: dependency.path }
    case 'path':
      return judgePath(dependency.path, lookup)
    case 'message':
      return judgeMessage(dependency.id, id, lookup) ?? { is: 'unknown', on: dependency.id }
    case 'either':
      return (
        (isMessageId(dependency.text) ? judgeMessage(dependency.text, id, lookup) : undefined) ??
        judgePath(dependency.text, lookup)
      )
  }
}

const judgePath = (path: string, lookup: Lookup): DependencyState =>
  lookup.pathExists(path) ? { is: 'met' } : { is: 'missing-path', path }

function judgeMessage(on: string, self: string, lookup: Lookup): DependencyState | undefined {
  const found = lookup.stateOf(on)
  if (found === undefined) return undefined
  if (typeof found === 'object') return { is: 'ambiguous', on, candidates: found.ambiguous }
  if (on === self || (on.length === shortLength && self.startsWith(on))) return { is: 'cycle', through: [self, self] }
  if (found === 'completed' || found === 'archived-completed' || found === 'archived') return { is: 'met' }
  return found === 'failed' || found === 'archived-failed' ? { is: 'failed', on } : { is: 'waiting', on, state: found }
}

const mostShown = 3

/** Why a message is held back, in one line for people; `''` when nothing holds it back. */
export function explainWaiting(states: readonly DependencyState[]): string {
  const unmet = states.filter(({ is }) => is !== 'met')
  const more = unmet.length > mostShown ? [`${unmet.length - mostShown} more`] : []
  return [...unmet.slice(0, mostShown).map(explainOne), ...more].join('; ')
}

function explainOne(state: DependencyState): string {
  switch (state.is) {
    case 'met':
      return 'nothing'
    case 'waiting':
      return `waits for ${shown(state.on)} (${state.state})`
    case 'failed':
      return `${shown(state.on)}, which it depends on, failed`
    case 'unknown':
      return `depends on ${shown(state.on)}, which is not known`
    case 'ambiguous':
      return `${shown(state.on)} could be ${listed(state.candidates, ' or ')}`
    case 'missing-path':
      return `the file ${shown(state.path)} is missing`
    case 'outside':
      return `${shown(state.path)} is not a place inside the mission`
    case 'cycle':
      return `it waits for itself: ${listed(state.through, ' → ')}`
  }
}

function listed(ids: readonly string[], joint: string): string {
  const most = 8
  if (ids.length <= most) return ids.map(shown).join(joint)
  return [...ids.slice(0, most - 2), `… ${ids.length - most + 1} more …`, ids.at(-1)!].map(shown).join(joint)
}

const shown = (text: string): string => printableLine(text.length > 80 ? `${text.slice(0, 79)}…` : text)

const quoted = (text: string): string => printableLine(JSON.stringify(text.slice(0, 80)))

const severalInOne = (text: string) =>
  invalidInput('BAD_DEPENDENCY', `Cannot depend on ${quoted(text)}: that looks like several.`, {
    hint: `Give each by itself, such as ${inputs({ depends: ['msg:A', 'msg:B'] })}; a file with a comma in its name is path:FILE.`,
    details: { dependency: text.slice(0, 400), reason: 'several in one' },
  })

const badDependency = (text: string, reason: string) =>
  invalidInput('BAD_DEPENDENCY', `Cannot depend on ${quoted(text)}: ${reason}.`, {
    hint: 'Write msg:ID, msg:CHILD/ID or msg:../ID for another mission, or path:context/file.md in this one.',
    details: { dependency: text.slice(0, 400), reason },
  })

/**
 * What a surface that stays notes of an agent: whether it works, on what, since when, in which session of its client and by which
 * process. Pure. An agent without such a note is there all the same: it is seen whenever it acts.
 *
 * The process is one that lives as long as the agent does (a client, a runner, a server), never that of a short command: a command
 * ends at once, and the agent that gave it goes on. See docs/decisions/0048-when-an-agent-is-dead.md.
 */
import { printableLine } from '../../kernel/printable.ts'

/** `online` where an agent has acted that was noted as stuck. */
export const presenceStates = ['online', 'idle', 'busy', 'stuck', 'gone'] as const
export type PresenceState = (typeof presenceStates)[number]

export interface Presence {
  /** `stuck`: its client waits for a limit or for a permission. `gone`: it has ended. */
  readonly state: PresenceState
  /** Since when it is in this state, by the tree's time in milliseconds. */
  readonly since: number
  readonly doing?: string
  /** As `Processes.nameOf` names it. */
  readonly process?: string
  /** The session of its client, in the client's own words. */
  readonly session?: string
  /** It is gone because its process has ended. */
  readonly hasEnded?: true
  /** When it last acted, where somebody else has written the note since. */
  readonly seenAt?: number
  /** What it held when it was found to be gone is free. */
  readonly freed?: true
}

/** What a surface says. What it leaves out stays as it was noted before, but for `doing`. */
export interface PresenceNews {
  readonly state: 'idle' | 'busy' | 'stuck' | 'gone'
  readonly doing?: string
  readonly process?: string
  readonly session?: string
}

/** In characters. */
const longestText = 200

/** The next note. `undefined`: the news is of a session or process that another one has taken the place of. */
export function afterNews(before: Presence | undefined, news: PresenceNews, now: number): Presence | undefined {
  const known = before && before.state !== 'gone' ? before : undefined
  const differs = (key: 'process' | 'session') =>
    known?.[key] !== undefined && news[key] !== undefined && known[key] !== news[key]
  const isOther = differs('process') || differs('session')
  if (news.state === 'gone' && isOther) return undefined
  const kept = isOther ? undefined : known
  const process = news.process ?? kept?.process
  const session = news.session ?? kept?.session
  const doing = news.state === 'gone' ? undefined : news.doing
  return {
    state: news.state,
    since: before?.state === news.state && !isOther ? before.since : now,
    ...(doing === undefined ? {} : { doing: cut(doing) }),
    ...(process === undefined ? {} : { process }),
    ...(session === undefined ? {} : { session: cut(session) }),
  }
}

/** A note of a stranger tells nothing: `undefined`. */
export function presenceIn(value: unknown): Presence | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { state, since, doing, process, session, hasEnded, seenAt, freed } = value as Record<string, unknown>
  if (!presenceStates.some((one) => one === state) || !isTime(since)) return undefined
  return {
    state: state as PresenceState,
    since,
    ...(typeof doing === 'string' ? { doing: cut(doing) } : {}),
    ...(typeof process === 'string' ? { process } : {}),
    ...(typeof session === 'string' ? { session: cut(session) } : {}),
    ...(hasEnded === true ? { hasEnded } : {}),
    ...(isTime(seenAt) ? { seenAt } : {}),
    ...(freed === true ? { freed } : {}),
  }
}

const isTime = (value: unknown): value is number => Number.isSafeInteger(value) && Math.abs(value as number) <= 8.64e15

const cut = (text: string): string => printableLine(text).slice(0, longestText).toWellFormed()

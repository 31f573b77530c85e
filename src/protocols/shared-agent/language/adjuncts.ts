/**
 * What is said around a request: courtesies, which mean nothing, and how urgent, how long, how much, for good or by force,
 * which become the tails of a command where it has them. Pure.
 */
import { courtesies, endsWith, farewells, phrases, startsWith, withoutCourtesies } from './courtesies.ts'
import { priorities, priorityAt } from './priorities.ts'
import { timeAt } from './times.ts'
import type { Token } from './tokens.ts'

export interface Adjuncts {
  readonly priority?: string
  readonly seconds?: number
  readonly modifier?: 'brief' | 'detailed'
  readonly persistent?: true
  readonly force?: true
  readonly merge?: true
}

export interface Peeled {
  readonly tokens: readonly Token[]
  readonly adjuncts: Adjuncts
}

interface End {
  readonly from: number
  readonly adjuncts: Adjuncts
}

const beforePriority = phrases(
  'and it is|and this is|and that is|it is|this is|that is|which is|with|as|at|as a|as an|with a|in|of|and|it has|and do it|do it|treat it as|treat this as|consider it|mark it as|mark it|it can wait|because it is|since it is|as it is',
)
const beforeTime = phrases(
  'for|for up to|up to|at most|for at most|within|for no longer than|no longer than|for a maximum of|with a timeout of|timeout|for about|for the next|maximum|max|for max|not longer than|but no longer than|but at most|with a limit of|over the next|during the next',
)
const forGood = phrases(
  'permanently|for good|persistently|persistent|forever|across sessions|for later sessions|and keep it permanently|and keep it|and keep it for good|and make it persistent|and keep it across sessions|and persist it|beyond this session|as persistent|for ever|for the next session|and keep that permanently|and export it|in persistent state|and mark it as persistent|and mark it persistent',
)
const byForce = phrases(
  'by force|forcibly|forcefully|with force|using force|forced|even if somebody else holds it|no matter who holds it|whoever holds it|and skip checks|without checks',
)
const merging = phrases(
  'and merge it|and merge|by merging|with merge|merge|merging it|and merge them|merged|in merge mode|and merge it in|using merge',
)
const inBrief = phrases(
  'briefly|in brief|in short|in a nutshell|in a few words|keep it short|short|brief|and be brief|in one line|quickly',
)
const inDetail = phrases(
  'in detail|in full|in depth|in full detail|with details|with all details|detailed|thoroughly|at length|with detail|in great detail|and be thorough|in more detail|with full details',
)

/** What can be taken off the end. */
function* endings(tokens: readonly Token[]): Generator<End> {
  for (const [some, adjuncts] of [
    // Polite as well, but it may be what somebody is to be told: "thanks".
    [farewells, {}],
    [forGood, { persistent: true }],
    [byForce, { force: true }],
    [merging, { merge: true }],
    [inBrief, { modifier: 'brief' }],
    [inDetail, { modifier: 'detailed' }],
  ] as const) {
    const found = some.find((phrase) => phrase.length < tokens.length && endsWith(tokens, phrase))
    if (found) yield { from: tokens.length - found.length, adjuncts }
  }
  for (let from = 1; from < tokens.length; from++) {
    const found = priorityAt(tokens, from)
    if (found && from + found.length === tokens.length) {
      yield { from: introduced(tokens, from, beforePriority), adjuncts: { priority: found.priority } }
      break
    }
  }
  const last = tokens.length - 1
  if (/^(?:max|maximum|tops)$/.test(tokens[last]?.word ?? ''))
    for (let from = 1; from < last; from++) {
      const found = timeAt(tokens, from)
      if (found && from + found.length === last) {
        yield { from: introduced(tokens, from, beforeTime), adjuncts: { seconds: found.seconds } }
        return
      }
    }
  for (const phrase of beforeTime) {
    for (let from = 1; from + phrase.length < tokens.length; from++) {
      if (!startsWith(tokens, phrase, from)) continue
      const found = timeAt(tokens, from + phrase.length, true)
      if (found && from + phrase.length + found.length === tokens.length) {
        yield { from, adjuncts: { seconds: found.seconds } }
        return
      }
    }
  }
}

/** Where the words begin that lead to a place, if they do. */
function introduced(tokens: readonly Token[], at: number, some: readonly (readonly string[])[]): number {
  const found = some.find((phrase) => at - phrase.length > 0 && startsWith(tokens, phrase, at - phrase.length))
  return at - (found?.length ?? 0)
}

const beforeFirst = phrases('this is|it is|as|as a|with|at|that is|top|very|mark as')

/** What can be taken off the beginning. */
function* beginnings(tokens: readonly Token[]): Generator<{ readonly to: number; readonly adjuncts: Adjuncts }> {
  const led = beforeFirst.find((phrase) => startsWith(tokens, phrase))?.length ?? 0
  const found = priorityAt(tokens, led)
  if (found) {
    const next = tokens[led + found.length]
    const isAdverb = led === 0 && /^(?:urgently|immediately|asap)$/.test(tokens[0]!.word)
    if (next && (next.isMark || isAdverb || (found.length > 2 && led === 0)))
      yield { to: led + found.length, adjuncts: { priority: found.priority } }
  }
  for (const phrase of beforeTime) {
    if (!startsWith(tokens, phrase)) continue
    const time = timeAt(tokens, phrase.length, true)
    if (time && phrase.length + time.length < tokens.length) {
      yield { to: phrase.length + time.length, adjuncts: { seconds: time.seconds } }
      break
    }
  }
  if (/^(?:force|forcibly|forcefully)$/.test(tokens[0]?.word ?? '')) yield { to: 1, adjuncts: { force: true } }
  if (/^(?:briefly|shortly)$/.test(tokens[0]?.word ?? '')) yield { to: 1, adjuncts: { modifier: 'brief' } }
}

const mostWays = 16

/** The sentence with nothing, something or all of that taken off; each way is tried. */
export function peelings(tokens: readonly Token[]): readonly Peeled[] {
  const ways: Peeled[] = [{ tokens, adjuncts: {} }]
  for (let n = 0; n < ways.length && ways.length < mostWays; n++) {
    const { tokens, adjuncts } = ways[n]!
    for (const end of endings(tokens)) add(tokens.slice(0, end.from), adjuncts, end.adjuncts)
    for (const begin of beginnings(tokens)) add(tokens.slice(begin.to), adjuncts, begin.adjuncts)
  }
  return ways

  function add(left: readonly Token[], before: Adjuncts, more: Adjuncts): void {
    const rest = withoutCourtesies(left)
    const isNew = !Object.keys(more).some((name) => Object.hasOwn(before, name))
    const adjuncts = { ...before, ...more }
    const names = Object.keys(adjuncts).sort().join()
    const isTwice = ways.some(
      (way) =>
        way.tokens.length === rest.length &&
        way.tokens[0] === rest[0] &&
        Object.keys(way.adjuncts).sort().join() === names,
    )
    if (rest.length > 0 && isNew && !isTwice) ways.push({ tokens: rest, adjuncts })
  }
}

/** Every word of these lists, for finding what a mistyped one meant. */
export const adjunctWords: readonly string[] = [
  ...new Set(
    [
      courtesies,
      farewells,
      beforePriority,
      beforeTime,
      forGood,
      byForce,
      merging,
      inBrief,
      inDetail,
      priorities.map(([, words]) => words),
    ]
      .flat(2)
      .concat('priority'),
  ),
]

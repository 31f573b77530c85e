/**
 * What an id on a command line means: the message of that very id, or the one whose id begins with it. A beginning has at
 * least eight characters, as many as file names carry.
 */
import { conflict } from './errors.ts'
import { compareTexts } from './order.ts'

export const shortLength = 8

export const shortOf = (id: string): string => id.slice(0, shortLength)

export const isMeant = (asked: string, full: string): boolean =>
  asked === full || (asked.length >= shortLength && full.startsWith(asked))

/** The messages that an id means, or its beginning. A whole id means that message alone, even if another id begins with it. */
export function thoseMeant<T extends { readonly id: string }>(asked: string, all: readonly T[]): readonly T[] {
  const exact = all.filter(({ id }) => id === asked)
  return exact.length > 0 ? exact : all.filter(({ id }) => isMeant(asked, id))
}

/** Finds what is meant among very many: nothing, the one, or two when several are meant. */
export function finderAmong<T extends { readonly id: string }>(all: readonly T[]): (asked: string) => readonly T[] {
  const sorted = all.toSorted((a, b) => compareTexts(a.id, b.id))
  return (asked) => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sorted[middle]!.id < asked) low = middle + 1
      else high = middle
    }
    // Ids that begin alike are neighbours, and the one that is asked for comes first.
    return thoseMeant(asked, sorted.slice(low, low + 2))
  }
}

/** The first item with the id that is meant; `undefined` when there is none. Throws when the beginning fits several ids. */
export function theOneMeant<T extends { readonly id: string }>(asked: string, all: readonly T[]): T | undefined {
  const meant = thoseMeant(asked, all)
  const ids = new Set(meant.map(({ id }) => id))
  if (ids.size > 1) throw ambiguousId(asked, [...ids])
  return meant[0]
}

export const ambiguousId = (asked: string, candidates: readonly string[]) =>
  conflict('AMBIGUOUS_ID', `More than one message has an id that begins with ${asked}: ${candidates.join(', ')}.`, {
    hint: 'Give the whole id.',
    details: { id: asked, candidates },
  })

/**
 * Whose turn it is to be read again. Time is cut into seconds, and each name has its second in a round: so every
 * process, whenever it looks, reads those again whose seconds have passed since the last look, and all agree on it
 * without writing anything down.
 */
const second = 1000
const shortestRound = 4
const longestRound = 512
/** At most so many a second, which is a few milliseconds of it. */
const namesInASecond = 390

/** How many seconds a round takes. A power of two, so that names keep their turn while their number changes a little. */
function roundOf(count: number): number {
  let round = shortestRound
  while (round < longestRound && count / round > namesInASecond) round *= 2
  return round
}

/** Tells which of `count` names are due at `now` when the last look was at `since`; `undefined` when none is. */
export function dueBetween(since: number, now: number, count: number): ((name: string) => boolean) | undefined {
  const round = roundOf(count)
  const [first, last] = [Math.floor(since / second) + 1, Math.floor(now / second)]
  // A clock that was set back: better all of them than none.
  if (last < first - 1 || last - first + 1 >= round) return () => true
  if (last < first) return undefined
  return (name) => (turnOf(name) - first) % round <= last - first
}

/** True when no name can be due at `now`, however many there are, after a look at `since`. */
export const isSameSecond = (since: number, now: number): boolean =>
  Math.floor(since / second) === Math.floor(now / second)

/** Larger than any number of seconds that is taken from it, and a multiple of every round. */
const manyRounds = 2 ** 42

function turnOf(name: string): number {
  let hash = 0
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619)
  // The low bits of a product know little of the first characters.
  return manyRounds + ((hash ^ (hash >>> 15)) & (longestRound - 1))
}

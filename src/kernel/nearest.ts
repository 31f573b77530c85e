/**
 * The known word that a mistyped one most likely meant, for "did you mean". A third of the letters may be wrong unless said
 * otherwise, so none in a word of one letter or two; beyond that a suggestion is noise.
 */
export function nearest(
  word: string,
  known: Iterable<string>,
  mostWrong = Math.floor(word.length / 3),
): string | undefined {
  const typed = word.toLowerCase()
  let best: string | undefined
  let bestDistance = mostWrong + 1
  for (const candidate of known) {
    const distance = distanceBetween(typed, candidate.toLowerCase(), bestDistance)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Edits (insert, delete, change, swap neighbours) from `a` to `b`; gives up at `limit`. */
function distanceBetween(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + change)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, beforeLast[j - 2]! + 1)
      row.push(cost)
    }
    beforeLast = last
    last = row
  }
  return last[b.length]!
}

/** What is in one sorted list of names and not in another. Line by line: a hundred thousand take a few milliseconds. */
import type { Entry } from '../../../../tree/tree.ts'

export interface Differences {
  readonly onlyKnown: readonly string[]
  readonly onlyListed: readonly Entry[]
}

/** `undefined` when there are more than `most`: then comparing is not worth it. */
export function differences(known: readonly string[], listed: readonly Entry[], most: number): Differences | undefined {
  const onlyKnown: string[] = []
  const onlyListed: Entry[] = []
  let [i, j] = [0, 0]
  while (i < known.length || j < listed.length) {
    const [name, entry] = [known[i], listed[j]]
    if (name === entry?.name) {
      i++
      j++
    } else if (entry === undefined || (name !== undefined && name < entry.name)) {
      onlyKnown.push(name!)
      i++
    } else {
      onlyListed.push(entry)
      j++
    }
    if (onlyKnown.length + onlyListed.length > most) return undefined
  }
  return { onlyKnown, onlyListed }
}

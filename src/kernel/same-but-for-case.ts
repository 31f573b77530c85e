/**
 * Names that differ by case alone. They become files and folders, and some disks take `Alpha` and `alpha` for one: no two
 * names of one folder may differ by nothing else.
 */

/** One of the known names that is this one in other capitals; `undefined` when there is none, or when this very name is known. */
export function sameButForCase(name: string, known: Iterable<string>): string | undefined {
  const low = name.toLowerCase()
  let other: string | undefined
  for (const one of known) {
    if (one === name) return undefined
    if (one.length === name.length && one.toLowerCase() === low) other ??= one
  }
  return other
}

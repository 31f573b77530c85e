/** What differs between two trees. */
import type { RawPath } from '../../kernel/plain-files.ts'
import { parts } from './listing.ts'
import type { Parts } from './parts.ts'

interface Side {
  readonly mode: string
  readonly hash: string
}

export interface FileChange {
  readonly path: RawPath
  /** Absent: there was no file. */
  readonly from?: Side
  readonly to?: Side
}

interface CountedChange {
  readonly path: RawPath
  readonly added: number
  readonly deleted: number
}

type Trees = readonly [from: string, to: string]

/** Files and links; what is a submodule on one side counts as absent there. */
export async function changesBetween({ own, place }: Parts, [from, to]: Trees): Promise<FileChange[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to]
  const all = parts((await own({ args, cwd: place.top })).bytes)
  return all.flatMap((line, n) => {
    const [, oldMode, newMode, oldHash, newHash] = /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) /.exec(line) ?? []
    if (n % 2 === 1 || oldMode === undefined) return []
    const before = sideOf(oldMode, oldHash!)
    const after = sideOf(newMode!, newHash!)
    if (!before && !after) return []
    return [{ path: all[n + 1]!, ...(before ? { from: before } : {}), ...(after ? { to: after } : {}) }]
  })
}

const sideOf = (mode: string, hash: string): Side | undefined =>
  mode === '000000' || mode === '160000' ? undefined : { mode, hash }

/** Lines count as git counts them; a file that is not text has none. */
export async function countChanges({ own, place }: Parts, [from, to]: Trees): Promise<CountedChange[]> {
  const args = ['diff-tree', '-r', '-z', '--numstat', '--no-renames', '--no-ext-diff', '--no-textconv']
  const submodules = '--ignore-submodules=all'
  const { bytes } = await own({ args: [...args, submodules, from, to], cwd: place.top })
  return parts(bytes).map((line) => {
    const [added = '', deleted = ''] = line.split('\t', 2)
    const path = line.slice(added.length + deleted.length + 2)
    return { path, added: Number(added) || 0, deleted: Number(deleted) || 0 }
  })
}

/**
 * Permissions of files and folders, of which git keeps only whether a file can be run. A secret that was closed to others must
 * not come back open to them.
 */
import type { FileFacts, PlainFiles, RawPath } from '../../kernel/plain-files.ts'

type Class = 'file' | 'program' | 'folder'

export interface Modes {
  /** What most have; depends on the user's umask. */
  readonly usual: Readonly<Record<Class, number>>
  /** Those that have something else. */
  readonly odd: readonly (readonly [path: RawPath, mode: number])[]
}

export interface Present {
  /** Of the paths that were asked about, those where a file or link is, in real folders. */
  readonly present: ReadonlySet<RawPath>
  readonly modes: Modes
}

/** Looks at every path once, and at every folder on the way. */
export function modesOf(files: PlainFiles, top: RawPath, paths: Iterable<RawPath>): Present {
  const present = new Set<RawPath>()
  const folders = new Map<RawPath, FileFacts | undefined>()
  const found: [RawPath, Class, number][] = []
  /** What lies behind a link is not part of this work tree. */
  const isFolder = (path: RawPath): boolean => {
    if (path === '') return true
    if (!folders.has(path)) {
      const facts = isFolder(parentOf(path)) ? files.look(`${top}/${path}`) : undefined
      folders.set(path, facts)
      if (facts?.kind === 'folder') found.push([path, 'folder', facts.mode])
    }
    return folders.get(path)?.kind === 'folder'
  }
  for (const path of paths) {
    if (!isFolder(parentOf(path))) continue
    const facts = files.look(`${top}/${path}`)
    if (facts?.kind !== 'file' && facts?.kind !== 'link') continue
    present.add(path)
    if (facts.kind === 'file') found.push([path, classOf(facts.mode), facts.mode])
  }
  const usual = {
    file: most(found, 'file', 0o644),
    program: most(found, 'program', 0o755),
    folder: most(found, 'folder', 0o755),
  }
  const odd = found.flatMap(([path, kind, mode]) => (mode === usual[kind] ? [] : [[path, mode] as const]))
  return { present, modes: { usual, odd } }
}

/** As git sees it: by the owner's bit. */
const classOf = (mode: number): Class => ((mode & 0o100) === 0 ? 'file' : 'program')

function most(found: readonly [RawPath, Class, number][], wanted: Class, otherwise: number): number {
  const counts = new Map<number, number>()
  for (const [, kind, mode] of found) if (kind === wanted) counts.set(mode, (counts.get(mode) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? otherwise
}

export const parentOf = (path: RawPath): RawPath => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** The permissions that a path had, by the mode that git has for it (`100755`), or as a folder. */
export function modeLookup({ usual, odd }: Modes): (path: RawPath, gitMode: string) => number {
  const byPath = new Map(odd)
  return (path, gitMode) =>
    byPath.get(path) ?? usual[gitMode === '040000' ? 'folder' : gitMode === '100755' ? 'program' : 'file']
}

/**
 * The two renames that only Bun can reach (through its foreign-function interface): one that never replaces and
 * one that swaps. Node has neither; `moves.ts` then takes the longer way with the same promises.
 */
import type { Disk } from './disk.ts'

type Native = Pick<Disk, 'renameNew' | 'exchange'>

const currentDirectory = -100 // AT_FDCWD
const noReplace = 1
const swap = 2
const [ENOENT, EEXIST] = [2, 17]

interface Ffi {
  dlopen(
    library: string,
    symbols: Record<string, { args: string[]; returns: string }>,
  ): { symbols: Record<string, (...values: unknown[]) => number> }
  read: { i32(pointer: number, offset: number): number }
}

/** `undefined` on Node, on systems other than Linux, and with a C library that lacks the call. */
export async function loadNative(): Promise<Native | undefined> {
  if (!process.versions.bun || process.platform !== 'linux') return undefined
  try {
    const moduleName = 'bun:ffi'
    const ffi = (await import(moduleName)) as Ffi
    const { symbols } = ffi.dlopen('libc.so.6', {
      renameat2: { args: ['i32', 'ptr', 'i32', 'ptr', 'u32'], returns: 'i32' },
      __errno_location: { args: [], returns: 'ptr' },
    })
    const rename = symbols.renameat2!
    const errno = symbols.__errno_location!()
    const text = (path: string) => Buffer.from(`${path}\0`)
    const run = (from: string, to: string, flag: number) => {
      if (rename(currentDirectory, text(from), currentDirectory, text(to), flag) === 0) return 'done'
      const reason = ffi.read.i32(errno, 0)
      return reason === EEXIST ? 'taken' : reason === ENOENT ? 'gone' : 'strange'
    }
    return {
      renameNew: (from, to) => run(from, to, noReplace),
      exchange: (a, b) => {
        const outcome = run(a, b, swap)
        return outcome === 'taken' ? 'strange' : outcome
      },
    }
  } catch {
    // A C library under another name: the portable way holds the same promises.
    return undefined
  }
}

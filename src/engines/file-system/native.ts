/**
 * What only Bun can reach, through its foreign-function interface: a rename that never replaces, one that swaps, and
 * calls that name a file by the descriptor of its folder, where a path through `/proc` costs two microseconds. Node has
 * none of these; it keeps the same promises the longer way.
 *
 * A call that fails is made again through `node:fs`, which waits out interruptions and names what is in the way.
 */
import fs from 'node:fs'
import type { Disk, Place } from './disk.ts'

type Native = Pick<Disk, 'open' | 'read' | 'write' | 'renameNew' | 'exchange'>

/** O_CLOEXEC, which `node:fs` adds by itself; the same number on every processor that Bun runs on. */
const closeOnExec = 0o2000000
const noReplace = 1
const swap = 2
const [ENOENT, EEXIST] = [2, 17]
/** The system takes no longer path than 4096 bytes, and a character of text has at most three. */
const longestText = 4096
const bytesEach = 3

interface Ffi {
  dlopen<Name extends string>(
    library: string,
    symbols: Record<Name, { args: string[]; returns: string }>,
  ): { symbols: Record<Name, (...values: unknown[]) => number> }
  ptr(memory: Uint8Array): number
  read: { i32(pointer: number, offset: number): number }
}

/** `undefined` on Node, on systems other than Linux, and with a C library that lacks a call. */
export async function loadNative(): Promise<Native | undefined> {
  if (!process.versions.bun || process.platform !== 'linux') return undefined
  try {
    const moduleName = 'bun:ffi'
    return nativeFrom((await import(moduleName)) as Ffi)
  } catch {
    // A C library under another name: the portable way holds the same promises.
    return undefined
  }
}

function nativeFrom(ffi: Ffi): Native {
  const { symbols } = ffi.dlopen('libc.so.6', {
    openat: { args: ['i32', 'ptr', 'i32', 'u32'], returns: 'i32' },
    // 32 bits are enough for the answer: the system moves a little less than 2 GB at once.
    pread: { args: ['i32', 'ptr', 'usize', 'i64'], returns: 'i32' },
    write: { args: ['i32', 'ptr', 'usize'], returns: 'i32' },
    pwrite: { args: ['i32', 'ptr', 'usize', 'i64'], returns: 'i32' },
    renameat2: { args: ['i32', 'ptr', 'i32', 'ptr', 'u32'], returns: 'i32' },
    __errno_location: { args: [], returns: 'ptr' },
  })
  const { openat, pread, write, pwrite, renameat2 } = symbols
  // Of this thread, like the memory below: a worker loads this module for itself.
  const errno = symbols.__errno_location()
  const [first, second] = [nameMemory(ffi), nameMemory(ffi)]

  const rename = (from: Place, to: Place, flag: number) => {
    if (!first.holds(from.name) || !second.holds(to.name)) return 'strange'
    if (renameat2(from.folder.fd, first.address, to.folder.fd, second.address, flag) === 0) return 'done'
    const reason = ffi.read.i32(errno, 0)
    return reason === EEXIST ? 'taken' : reason === ENOENT ? 'gone' : 'strange'
  }
  return {
    open: (place, flags, mode) => {
      const fd = first.holds(place.name) ? openat(place.folder.fd, first.address, flags | closeOnExec, mode ?? 0) : -1
      return fd >= 0 ? fd : fs.openSync(place.path, flags, mode)
    },
    read: (fd, into, offset, length, position) => {
      const count = offset === 0 && length <= into.length ? pread(fd, into, length, position) : -1
      return count >= 0 ? count : fs.readSync(fd, into, offset, length, position)
    },
    write: (fd, bytes, offset, length, position) => {
      if (offset + length > bytes.length) return fs.writeSync(fd, bytes, offset, length, position)
      const from = offset === 0 ? bytes : part(bytes, offset, length)
      const count = position === null ? write(fd, from, length) : pwrite(fd, from, length, position)
      return count >= 0 ? count : fs.writeSync(fd, bytes, offset, length, position)
    },
    renameNew: (from, to) => rename(from, to, noReplace),
    exchange: (a, b) => {
      const outcome = rename(a, b, swap)
      return outcome === 'taken' ? 'strange' : outcome
    },
  }
}

const few = Buffer.alloc(64)

/** Bytes from the middle of others. A few, such as a status, are copied: a view of them would cost more. */
function part(bytes: Uint8Array, offset: number, length: number): Uint8Array {
  if (length > few.length) return bytes.subarray(offset, offset + length)
  for (let i = 0; i < length; i++) few[i] = bytes[offset + i]!
  return few
}

/**
 * Memory for one name, written anew for every call: the system has copied it before the call returns, and nothing else
 * of ours runs in between.
 */
function nameMemory(ffi: Ffi) {
  const memory = Buffer.alloc(longestText * bytesEach + 1)
  return {
    address: ffi.ptr(memory),
    /** Puts a name there. False for what must not be cut short: a NUL would end it early. */
    holds(name: string): boolean {
      if (name.length > longestText || name.includes('\0')) return false
      memory[memory.write(name)] = 0
      return true
    },
  }
}

/**
 * The system's own calls, where the runtime can reach them: a rename that never replaces, one that swaps, and calls that
 * name a file by the descriptor of its folder (a path through `/proc` costs two microseconds more). Bun can call them by
 * itself, Node through the optional package koffi. Without either, more calls keep the same promises.
 *
 * A call that fails is made again through `node:fs`, which waits out interruptions and names what is in the way.
 */
import fs from 'node:fs'
import type { Disk, FilePlace } from './disk.ts'

type Native = Pick<Disk, 'open' | 'close' | 'read' | 'write' | 'renameNew' | 'exchange' | 'lockOpen'>

/** The calls of the C library, each with its usual answer (-1 for a failure). */
interface SystemCalls {
  openat(folder: number, name: Address, flags: number, mode: number): number
  close(fd: number): number
  pread(fd: number, into: Uint8Array, length: number, position: number): number
  write(fd: number, bytes: Uint8Array, length: number): number
  pwrite(fd: number, bytes: Uint8Array, length: number, position: number): number
  renameat2(fromFolder: number, from: Address, toFolder: number, to: Address, flag: number): number
  flock(fd: number, operation: number): number
  /** Why the last call of this thread failed. */
  errno(): number
  /** How this memory is handed to a call. It does not move as long as it is referenced. */
  addressOf(memory: Uint8Array): Address
}
type Address = unknown

/** Thrown when a file is missing, as after a lost race. Shared: no user sees it, and making one takes longer than the call. */
const notThere = Object.assign(new Error('ENOENT: no such file or directory, open'), {
  code: 'ENOENT',
  syscall: 'open',
})

/** O_CLOEXEC, which `node:fs` adds by itself; the same number on every processor that Bun runs on. */
const closeOnExec = 0o2000000
const noReplace = 1
const swap = 2
const [ENOENT, EINTR, EAGAIN, EEXIST] = [2, 4, 11, 17]
/** LOCK_EX and LOCK_NB: for one holder, and answering at once. */
const exclusiveNow = 2 | 4
/** Paths are at most 4096 bytes long; a UTF-16 unit takes at most three. */
const longestText = 4096
const bytesEach = 3

/**
 * Loads them synchronously, because a busy program may not come round to an asynchronous `import`. Takes 2 ms on Bun and
 * 8 on Node, so a command that sends one message does without. `undefined` on systems other than Linux, on
 * Node without koffi, and with a C library that lacks a call.
 */
export function loadNative(): Native | undefined {
  const calls = loadCalls()
  return calls && nativeFrom(calls)
}

/** The bare calls, for benchmarks. */
export function loadCalls(): SystemCalls | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    return process.versions.bun ? bunCalls() : nodeCalls()
  } catch {
    // No such package, or a C library under another name: then the portable way is used.
    return undefined
  }
}

function nativeFrom(calls: SystemCalls): Native {
  const { openat, close, pread, write, pwrite, renameat2, flock, errno } = calls
  const [first, second] = [nameMemory(calls), nameMemory(calls)]

  const rename = (from: FilePlace, to: FilePlace, flag: number) => {
    if (!first.holds(from.name)) return 'strange'
    // Most messages keep their name when they move: then one text is enough.
    const target = to.name === from.name ? first : second
    if (!target.holds(to.name)) return 'strange'
    if (renameat2(from.folder.fd, first.address, to.folder.fd, target.address, flag) === 0) return 'done'
    const reason = errno()
    return reason === EEXIST ? 'taken' : reason === ENOENT ? 'gone' : 'strange'
  }
  return {
    open: (place, flags, mode) => {
      if (!first.holds(place.name)) return fs.openSync(place.path, flags, mode)
      const fd = openat(place.folder.fd, first.address, flags | closeOnExec, mode ?? 0)
      if (fd >= 0) return fd
      if (errno() === ENOENT) throw notThere
      return fs.openSync(place.path, flags, mode)
    },
    close: (fd) => {
      // The descriptor is closed whatever this answers. Closing it again could close a new one with the same number.
      if (close(fd) !== 0 && errno() !== EINTR) throw closingFailed(errno())
    },
    read: (fd, into, offset, length, position) => {
      const count = offset === 0 && length <= into.length ? pread(fd, into, length, position) : -1
      return count >= 0 ? count : fs.readSync(fd, into, offset, length, position)
    },
    write: (fd, bytes, offset, length, position) => {
      if (offset + length > bytes.length) return fs.writeSync(fd, bytes, offset, length, position)
      const from = offset === 0 ? bytes : bytes.subarray(offset, offset + length)
      const count = position === null ? write(fd, from, length) : pwrite(fd, from, length, position)
      return count >= 0 ? count : fs.writeSync(fd, bytes, offset, length, position)
    },
    lockOpen: (fd) => {
      if (flock(fd, exclusiveNow) === 0) return 'held'
      const reason = errno()
      return reason === EAGAIN || reason === EINTR ? 'busy' : 'strange'
    },
    renameNew: (from, to) => rename(from, to, noReplace),
    exchange: (a, b) => {
      const outcome = rename(a, b, swap)
      return outcome === 'taken' ? 'strange' : outcome
    },
  }
}

const [EBADF, ENOSPC] = [9, 28]
const closingFailed = (reason: number) => {
  const code = reason === EBADF ? 'EBADF' : reason === ENOSPC ? 'ENOSPC' : 'EIO'
  return Object.assign(new Error(`${code}: close`), { code, errno: -reason, syscall: 'close' })
}

/**
 * Memory for one name, overwritten by the next one: the call copies it before it returns, and nothing else runs in
 * between.
 */
function nameMemory(calls: SystemCalls) {
  const memory = Buffer.alloc(longestText * bytesEach + 1)
  let held = ''
  return {
    address: calls.addressOf(memory),
    /** Writes a name there. False if it does not fit, or contains a NUL, which would cut it short. */
    holds(name: string): boolean {
      if (name === held) return true
      if (name.length > longestText || name.includes('\0')) return false
      memory[memory.write(name)] = 0
      held = name
      return true
    },
  }
}

/** Through koffi: a call costs a thirtieth of a microsecond more than in C. */
function nodeCalls(): SystemCalls {
  const { createRequire } = process.getBuiltinModule('node:module')
  const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi')
  const library = koffi.load('libc.so.6')
  return {
    openat: library.func('int openat(int, void *, int, uint)'),
    close: library.func('int close(int)'),
    // 32 bits are enough for the answer: the system moves a little less than 2 GB at once.
    pread: library.func('int pread(int, void *, size_t, int64)'),
    write: library.func('int write(int, void *, size_t)'),
    pwrite: library.func('int pwrite(int, void *, size_t, int64)'),
    renameat2: library.func('int renameat2(int, void *, int, void *, uint)'),
    flock: library.func('int flock(int, int)'),
    errno: () => koffi.errno(),
    addressOf: (memory) => memory,
  }
}

interface Ffi {
  dlopen<Name extends string>(
    library: string,
    symbols: Record<Name, { args: string[]; returns: string }>,
  ): { symbols: Record<Name, (...values: unknown[]) => number> }
  ptr(memory: Uint8Array): number
  read: { i32(pointer: number, offset: number): number }
}

/** Through Bun's own foreign-function interface. */
function bunCalls(): SystemCalls {
  const ffi = process.getBuiltinModule('bun:ffi') as unknown as Ffi
  const { __errno_location, ...calls } = ffi.dlopen('libc.so.6', {
    openat: { args: ['i32', 'ptr', 'i32', 'u32'], returns: 'i32' },
    close: { args: ['i32'], returns: 'i32' },
    // 32 bits are enough for the answer: the system moves a little less than 2 GB at once.
    pread: { args: ['i32', 'ptr', 'usize', 'i64'], returns: 'i32' },
    write: { args: ['i32', 'ptr', 'usize'], returns: 'i32' },
    pwrite: { args: ['i32', 'ptr', 'usize', 'i64'], returns: 'i32' },
    renameat2: { args: ['i32', 'ptr', 'i32', 'ptr', 'u32'], returns: 'i32' },
    flock: { args: ['i32', 'i32'], returns: 'i32' },
    __errno_location: { args: [], returns: 'ptr' },
  }).symbols
  // The address is per thread; each worker loads this module for itself.
  const errno = __errno_location()
  return { ...calls, errno: () => ffi.read.i32(errno, 0), addressOf: ffi.ptr }
}

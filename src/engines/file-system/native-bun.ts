/** The calls of the C library through Bun's own foreign-function interface. */
import type { SystemCalls } from './native.ts'

interface Ffi {
  dlopen<Name extends string>(
    library: string,
    symbols: Record<Name, { args: string[]; returns: string }>,
  ): { symbols: Record<Name, (...values: unknown[]) => number> }
  ptr(memory: Uint8Array): number
  read: { i32(pointer: number, offset: number): number }
}

export function bunCalls(): SystemCalls {
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

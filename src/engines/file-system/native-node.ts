/** The calls of the C library on Node, through koffi: a call costs a thirtieth of a microsecond more than in C. */
import type { SystemCalls } from './native.ts'

export function nodeCalls(): SystemCalls {
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

/** Milliseconds that two processes of this machine can compare: the system's monotonic clock. */

interface Ffi {
  dlopen(
    library: string,
    symbols: Record<string, { args: string[]; returns: string }>,
  ): { symbols: Record<string, (...values: unknown[]) => number> }
}

/** Node's `hrtime` is that clock. Bun's begins near 0 in every process, so there we call the system. */
export async function openSharedClock(): Promise<() => number> {
  if (process.versions.bun === undefined) return () => Number(process.hrtime.bigint()) / 1e6
  // Without that library: the wall clock at the start of the process, and the monotonic clock from there.
  if (process.platform !== 'linux') return () => performance.timeOrigin + performance.now()
  const moduleName = 'bun:ffi'
  const { dlopen } = (await import(moduleName)) as Ffi
  const { clock_gettime } = dlopen('libc.so.6', { clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' } }).symbols
  const time = new BigInt64Array(2)
  return () => {
    clock_gettime!(1, time) // CLOCK_MONOTONIC: seconds, nanoseconds
    return Number(time[0]) * 1000 + Number(time[1]) / 1e6
  }
}

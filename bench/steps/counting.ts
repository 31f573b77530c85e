/** A disk that counts its calls. Counting would slow down what is measured, so it is for a tree of its own. */
import { type Disk, realDisk } from '../../src/engines/file-system/disk.ts'

export function countingDisk(): { readonly disk: Disk; readonly restart: () => void; readonly count: () => number } {
  let calls = 0
  const disk = new Proxy(realDisk(), {
    get: (real, key: keyof Disk) => {
      const call = real[key] as ((...values: unknown[]) => unknown) | undefined
      if (!call) return call
      return (...values: unknown[]) => {
        calls++
        return call(...values)
      }
    },
  })
  return {
    disk,
    restart: () => {
      calls = 0
    },
    count: () => calls,
  }
}

/** On Bun the engine loads its native renames after a dozen steps, a moment later. */
export const isWarm = (disk: Disk): boolean =>
  process.versions.bun === undefined || process.platform !== 'linux' || disk.renameNew !== undefined

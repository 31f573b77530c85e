/** A disk that counts its calls. Counting would slow down what is measured, so it is for a tree of its own. */
import { type Disk, realDisk } from '../../src/engines/file-system/disk.ts'
import { type Calls, type Round, steps } from './contender.ts'

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

/** Calls a message of each step, which are taken once in their order. */
export async function callsOfEach(
  round: Round,
  count: number,
  { restart, count: calls }: Pick<ReturnType<typeof countingDisk>, 'restart' | 'count'>,
): Promise<Calls> {
  const perMessage = { send: 0, claim: 0, lifecycle: 0 }
  for (const step of steps) {
    restart()
    await round[step]()
    perMessage[step] = calls() / count
  }
  return perMessage
}

/** On Bun the engine loads its native renames after a dozen steps, a moment later. */
export const isWarm = (disk: Disk): boolean =>
  process.versions.bun === undefined || process.platform !== 'linux' || disk.renameNew !== undefined

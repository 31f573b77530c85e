/** A disk that counts its calls. Counting takes time, so it is used for a tree that is not measured. */
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

/** Calls a message for each step. Does all steps once, in their order. */
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

/** True once the engine has loaded its native calls, which it does after some writes. */
export const isWarm = (disk: Disk): boolean =>
  process.versions.bun === undefined || process.platform !== 'linux' || disk.renameNew !== undefined

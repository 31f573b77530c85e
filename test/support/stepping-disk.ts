/** The engine's file-system calls, with a callback of the test around each. */
import type { Disk } from '../../src/engines/file-system/disk.ts'

export type StepName = keyof Disk

/** Calls that change something on the disk; the others only read. */
export const changingSteps: readonly StepName[] = [
  'write',
  'rename',
  'link',
  'unlink',
  'makeDirectory',
  'setTimes',
  'changeMode',
  'flush',
  'flushData',
  'flushLater',
  'flushDataLater',
  'renameNew',
  'exchange',
]

type Call = (...values: never[]) => unknown

/**
 * `around` gets every call, and the engine gets what it returns. It may make the call, kill the process, or throw before or
 * after the call.
 */
export function steppingDisk(
  disk: Disk,
  around: (step: StepName, values: readonly unknown[], call: () => unknown) => unknown,
): Disk {
  return new Proxy(disk, {
    get(target, key: StepName) {
      const call = target[key] as Call | undefined
      if (typeof call !== 'function') return call
      return (...values: never[]) => around(key, values, () => call(...values))
    },
  })
}

/** True for an `open` that may make a file. */
export const isCreating = (step: StepName, values: readonly unknown[]): boolean =>
  step === 'open' && (Number(values[1]) & 0o100) !== 0

export const isChange = (step: StepName, values: readonly unknown[]): boolean =>
  changingSteps.includes(step) || isCreating(step, values)

/** A disk that kills this process before change number `killAt`, counted from `start()` to `stop()`. */
export function killingDisk(disk: Disk, killAt: number) {
  let changes = 0
  let counting = false
  const killing = steppingDisk(disk, (step, values, call) => {
    if (counting && isChange(step, values) && ++changes === killAt) process.kill(process.pid, 'SIGKILL')
    return call()
  })
  const start = (): void => {
    counting = true
  }
  /** If `killAt` is higher than the number of changes, the process is killed here, after all of them. */
  const stop = (): void => {
    counting = false
    console.log(changes)
    if (killAt > changes) process.kill(process.pid, 'SIGKILL')
  }
  return { disk: killing, start, stop }
}

/**
 * Simulates a process that dies, within the process of the test: from a chosen change on every call fails, and open files are
 * closed, as the system would do. Each such disk has a start time of its own in `/proc`, so the next one takes the one
 * before for a dead process. The files are left as after `kill -9`, without the time it takes to start a process.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { type Disk, type FilePlace, realDisk } from '../../src/engines/file-system/disk.ts'
import { isChange, type StepName, steppingDisk } from './stepping-disk.ts'

export class Killed extends Error {
  constructor() {
    super('killed')
  }
}

export interface MortalDisk {
  readonly disk: Disk
  /** It dies before this change, counted from now; or before this step, whether it changes something or only looks. */
  readonly fate: { left: number; stepsLeft: number; isDead: boolean }
  /** Closes all open files, as the system does for a dead process. */
  bury(): void
}

type Around = (step: StepName, values: readonly unknown[], call: () => unknown) => unknown

const ownStat = `/proc/${process.pid}/stat`
let lives = 0

/** `scratch` is a directory that the test has for itself. */
export function mortalDisk(scratch: string, base = realDisk(), around: Around = (_, __, call) => call()): MortalDisk {
  const fate = { left: Number.POSITIVE_INFINITY, stepsLeft: Number.POSITIVE_INFINITY, isDead: false }
  const descriptors = new Set<number>()
  const life = lifeFile(scratch)
  const disk = steppingDisk(base, (step, values, call) => {
    if (isChange(step, values) && --fate.left <= 0) fate.isDead = true
    if (--fate.stepsLeft <= 0) fate.isDead = true
    // Closing changes nothing, and the system would do it.
    if (fate.isDead && step !== 'close') throw new Killed()
    const isAsking = step === 'open' && (values[0] as FilePlace).path === ownStat
    const result = isAsking ? fs.openSync(life, fs.constants.O_RDONLY) : around(step, values, call)
    if (step === 'open') descriptors.add(result as number)
    if (step === 'close') descriptors.delete(values[0] as number)
    return result
  })
  const bury = () => {
    fate.isDead = true
    for (const descriptor of descriptors) fs.closeSync(descriptor)
    descriptors.clear()
  }
  return { disk, fate, bury }
}

/** A file with what `/proc` would say of the simulated process. */
function lifeFile(scratch: string): string {
  const number = ++lives
  const path = join(scratch, `life-${number}`)
  fs.writeFileSync(path, `1 (test) S ${'0 '.repeat(18)}${number} 0\n`)
  return path
}

/**
 * A disk whose process dies, in the process of the test: before a chosen change every call begins to fail, and what was
 * open is closed as the system would close it. Each such disk has a start time of its own in `/proc`, so that whoever
 * opens the files next takes the one before for a process that is no more. What is left on the files is what a `kill -9`
 * leaves, without the time that starting another process takes.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { type Disk, type Place, realDisk } from '../../src/engines/file-system/disk.ts'
import { isChange, type StepName, steppingDisk } from './stepping-disk.ts'

export class Killed extends Error {
  constructor() {
    super('killed')
  }
}

export interface MortalDisk {
  readonly disk: Disk
  /** How many changes it has left; `isDead` once they are used up. */
  readonly fate: { left: number; isDead: boolean }
  /** The system closes what a dead process had open; nothing of it comes through any more. */
  bury(): void
}

type Around = (step: StepName, values: readonly unknown[], call: () => unknown) => unknown

const ownStat = `/proc/${process.pid}/stat`
let lives = 0

/** `scratch` is a directory that the test has for itself. */
export function mortalDisk(scratch: string, base = realDisk(), around: Around = (_, __, call) => call()): MortalDisk {
  const fate = { left: Number.POSITIVE_INFINITY, isDead: false }
  const descriptors = new Set<number>()
  const life = lifeFile(scratch)
  const disk = steppingDisk(base, (step, values, call) => {
    if (isChange(step, values) && --fate.left <= 0) fate.isDead = true
    if (fate.isDead) throw new Killed()
    const isAsking = step === 'open' && (values[0] as Place).path === ownStat
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

/** What `/proc` would say of the process that this life stands for. */
function lifeFile(scratch: string): string {
  const number = ++lives
  const path = join(scratch, `life-${number}`)
  fs.writeFileSync(path, `1 (test) S ${'0 '.repeat(18)}${number} 0\n`)
  return path
}

/**
 * The first actor as a process of its own: plays a story on files and stops itself, as `kill -STOP` would, before one of its
 * steps. `held-first ORDER`, which is JSON.
 */
import { writeSync } from 'node:fs'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { steppingDisk } from '../support/stepping-disk.ts'
import { OutsideFiles } from './outside.ts'
import { play, timeOf } from './play.ts'
import { protocols } from './protocols.ts'
import { isCounted, type Steps, sayStep } from './steps.ts'
import type { Actor } from './story.ts'
import type { ToSecond } from './thread.ts'
import { diskOf } from './variants.ts'

export interface ToFirst extends ToSecond {
  readonly steps: Steps
  readonly holdAt: number
}

const order = JSON.parse(process.argv[2]!) as ToFirst
const { protocol, world, story, root, variant, startedAt, steps: which, holdAt } = order
const say = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`)

let actor: Actor | undefined
let steps = 0
const disk = steppingDisk(diskOf(variant), (name, values, call) => {
  if (actor && isCounted(which, name, values) && ++steps === holdAt) {
    say({ step: sayStep(root, name, values), before: actor.answers })
    process.kill(process.pid, 'SIGSTOP')
  }
  return call()
})
const clock = timeOf('first', startedAt)
const tree = await openFileTree({ root, clock, disk })
const company = { tree, clock, who: 'first', outside: new OutsideFiles(root) } as const
const { answers } = await play(protocols[protocol], world, story, company, (one) => {
  actor = one
})
actor = undefined
await tree.close()
say({ answers })

/**
 * Runs one story and kills itself before step number `killAt`; 0 runs to the end and tells the steps.
 * `crash ROOT STORY KILL_AT DURABILITY RENAMES` with STORY `recover` for opening the tree itself.
 */
import { accessSync } from 'node:fs'
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { loadNative } from '../../src/engines/file-system/native.ts'
import type { Durability, Tree } from '../../src/tree/tree.ts'
import { isChange, type StepName, steppingDisk } from '../support/stepping-disk.ts'
import { stories } from './operations.ts'

export interface Step {
  readonly name: StepName
  /** Whether it changes something, so that being killed after it differs from being killed before it. */
  readonly changes: boolean
}

const [root = '', storyName = '', killAtText = '0', durability = 'process', renames = 'portable'] =
  process.argv.slice(2)
const killAt = Number(killAtText)
const steps: Step[] = []
let counting = false

const native = renames === 'native' ? loadNative() : undefined
const disk = steppingDisk({ ...realDisk(), ...native }, (name, values, call) => {
  if (!counting) return call()
  steps.push({ name, changes: isChange(name, values) })
  if (steps.length === killAt) process.kill(process.pid, 'SIGKILL')
  return call()
})

/** A call that changes nothing and stands out in a trace. */
function mark(name: string): void {
  try {
    accessSync(`/signalbox-mark-${name}`)
  } catch {
    // It is not there; asking was the point.
  }
}

const open = () => openFileTree({ root, durability: durability as Durability, disk })

async function counted(work: () => Promise<unknown>): Promise<void> {
  counting = true
  mark('begin')
  await work()
  mark('end')
  counting = false
}

let tree: Tree | undefined
if (storyName === 'recover') {
  await counted(async () => {
    tree = await open()
    await tree.list('a' as never)
  })
} else {
  const story = stories.find(({ name }) => name === storyName)
  if (!story) throw new Error(`No story called ${storyName}.`)
  tree = await open()
  const opened = tree
  await counted(() => story.act(opened))
}
console.log(JSON.stringify(steps))
// Waiting for nothing, a busy machine can make a step more or less: the end is a kill point either way.
if (killAt > steps.length) process.kill(process.pid, 'SIGKILL')
await tree?.close()

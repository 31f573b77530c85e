import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Disk, realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { loadNative } from '../../src/engines/file-system/native.ts'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Durability } from '../../src/tree/tree.ts'
import { describeTree } from './tree.ts'

const native = loadNative()

function filesIn(title: string, durability: Durability, disk: () => Disk): void {
  describeTree(`files, ${title}`, async () => {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-tree-'))
    return {
      open: (options) => openFileTree({ root, durability, disk: disk(), ...options }),
      dispose: async () => fs.rmSync(root, { recursive: true, force: true }),
    }
  })
}

for (const durability of ['process', 'batch', 'full'] satisfies Durability[]) {
  filesIn(`durability ${durability}`, durability, realDisk)
}
// Loaded only after some use, so the suite above hardly meets it: here it is used from the first call on.
if (native) filesIn('native calls', 'process', () => ({ ...realDisk(), ...native }))

describeTree('memory', async () => {
  // Two agents on one place: in memory that is one tree, opened once for each clock.
  const shared = openMemoryTree()
  return {
    open: async (options?: { clock?: Clock }) => (options?.clock ? clocked(options.clock) : shared),
    dispose: async () => undefined,
  }
})

const trees = new WeakMap<Clock, ReturnType<typeof openMemoryTree>>()
function clocked(clock: Clock) {
  const known = trees.get(clock) ?? openMemoryTree({ clock })
  trees.set(clock, known)
  return known
}

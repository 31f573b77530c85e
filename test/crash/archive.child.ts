/**
 * Archives the prepared messages and kills itself before change number KILL_AT of the disk; 0 runs to the end and
 * tells the changes. Steps that only look are not counted: how many there are depends on the time, and being killed
 * before one is being killed after the change before it.
 * `archive ROOT KILL_AT DURABILITY RENAMES`; the test puts the messages there.
 */
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { loadNative } from '../../src/engines/file-system/native.ts'
import { childOf, treePath } from '../../src/kernel/tree-path.ts'
import { archiveMessages, type ToArchive } from '../../src/protocols/ac-mq/archive/archive.ts'
import type { Durability } from '../../src/tree/tree.ts'
import { isChange, type StepName, steppingDisk } from '../support/stepping-disk.ts'

export const archive = treePath('m/archive')

/** Two months and both ways to end, so that there are three packs. */
export const prepared: readonly ToArchive[] = [
  ['completed', Date.UTC(2026, 10, 3)] as const,
  ['completed', Date.UTC(2026, 10, 4)] as const,
  ['failed', Date.UTC(2026, 10, 5)] as const,
  ['completed', Date.UTC(2026, 9, 31)] as const,
].map(([status, finishedAt], i) => {
  const id = `a1b2c3d${i}-e5f6`
  const name = `20261101000000-a1b2c3d${i}-from-ada-to-bob.md`
  const path = childOf(treePath(`m/queue/${status}`), name)
  return {
    id,
    name,
    path,
    status,
    finishedAt,
    from: 'ada',
    to: 'bob',
    summary: `Task ${i}`,
    timestamp: '2026-11-01T00:00:00Z',
  }
})

export const textOf = ({ id, summary }: ToArchive): string =>
  `---\nid: ${id}\nmission_id: m\ntimestamp: 2026-11-01T00:00:00Z\nfrom: ada\nto: bob\nsummary: ${summary}\n---\nDo ${id}.`

async function main([
  root = '',
  killAtText = '0',
  durability = 'process',
  renames = 'portable',
]: string[]): Promise<void> {
  const killAt = Number(killAtText)
  const changes: StepName[] = []
  let counting = false
  const native = renames === 'native' ? loadNative() : undefined
  const disk = steppingDisk({ ...realDisk(), ...native }, (name, values, call) => {
    if (!counting || !isChange(name, values)) return call()
    changes.push(name)
    if (changes.length === killAt) process.kill(process.pid, 'SIGKILL')
    return call()
  })
  const tree = await openFileTree({ root, durability: durability as Durability, disk })
  counting = true
  const { archived } = await archiveMessages(tree, archive, prepared, { owner: 'child' })
  counting = false
  console.log(JSON.stringify({ archived, changes }))
  await tree.close()
}

// The test imports the story from here; only the bundled program runs it.
if (process.argv[1]?.endsWith('archive.mjs')) await main(process.argv.slice(2))

/**
 * One of many processes that create, move, edit and replace the same names at once.
 * `racer ROOT JOURNAL SEED MODE [slow]`; every `created`, `moved` and `added` in the journal was acknowledged before it was
 * written. `slow`: without the system's own rename, and it often pauses between two steps of a move. It goes on until it is killed or told `stop`, and says a line after every hundred steps.
 */
import fs from 'node:fs'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import type { SignalboxError } from '../../src/kernel/errors.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { diskOf } from '../held/variants.ts'
import { steppingDisk } from '../support/stepping-disk.ts'
import { counterPath, folderNames, names, randomFrom } from './field.ts'

const [root = '', journalPath = '', seedText = '1', mode = 'move', pace = ''] = process.argv.slice(2)
const random = randomFrom(Number(seedText))
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
const journal = fs.openSync(journalPath, 'a')
const note = (line: string) => fs.writeSync(journal, `${line}\n`)
const slowDisk = () =>
  steppingDisk(diskOf('portable'), (step, _values, call) => {
    if (step === 'unlink' && Math.random() < 0.3) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3)
    return call()
  })
const tree = await openFileTree({ root, ...(pace === 'slow' ? { disk: slowDisk() } : {}) })

let stopping = false
process.stdin.on('data', () => {
  stopping = true
})

const anyPath = () => treePath(`${pick(folderNames)}/${pick(names)}`)
const grow = (before: Uint8Array) => Buffer.concat([before, Buffer.from('+')])
const flip = (before: Uint8Array) => {
  const after = Buffer.from(before)
  if (after.length > 11) after[10] = after[10] === 65 ? 66 : 65
  return after
}

let made = 0
async function create(): Promise<void> {
  const id = `${seedText.padStart(6, '0')}-${String(made++).padStart(6, '0')}`
  note(`trying ${id}`)
  const { outcome } = await tree.create(anyPath(), Buffer.from(`status: A\n${' '.repeat(20)}\nid: ${id}\n`))
  if (outcome === 'created') note(`created ${id}`)
}

let moves = 0
async function move(): Promise<void> {
  const from = anyPath()
  const kind = random()
  const to = kind < 0.1 ? from : anyPath()
  // Edits that grow the file go through a rewrite, the others are written in place.
  const grows = kind < 0.3
  const change = grows ? grow : kind < 0.6 ? flip : undefined
  const outcome = await tree.move(from, to, change ? { change } : {}).then(
    (moved) => moved.outcome,
    (error: SignalboxError) => {
      // Names here are anything but unique: another may have taken this one's place in the very instant.
      if (error.code !== 'NAME_TAKEN') throw error
      return 'stranded' as const
    },
  )
  if (outcome !== 'moved') return
  moves++
  if (grows) note('grown')
}

async function add(): Promise<void> {
  const leaf = await tree.read(counterPath)
  const next = Buffer.from(`${Number(Buffer.from(leaf!.bytes).toString()) + 1}`)
  if ((await tree.replace(counterPath, next, leaf!.revision)).outcome === 'replaced') note('added')
}

for (let step = 1; !stopping; step++) {
  if (mode === 'replace') await add()
  else if (random() < 0.002) await create()
  else await move()
  if (step % 100 === 0) {
    console.log(`${mode === 'replace' ? 100 : moves}`)
    moves = 0
    await new Promise((resolve) => setImmediate(resolve))
  }
}
await tree.close()
process.exit(0)

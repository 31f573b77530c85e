/**
 * A mover that died between giving a file its new name and taking the private one away. Others go on with the leaf before
 * anybody finishes the move: wherever it is by then, it is there once.
 */
import fs from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect } from 'vitest'
import { type FilePlace, realDisk } from '../../src/engines/file-system/disk.ts'
import { Holders } from '../../src/engines/file-system/holder.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { diskOf } from '../held/variants.ts'
import { mortalDisk } from '../support/mortal-disk.ts'
import { type StepName, steppingDisk } from '../support/stepping-disk.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

const at = treePath
const [from, to] = [at('mission/pending/m.md'), at('mission/done/m.md')]

/** What the mover was doing, and where the leaf is when it dies. */
const moves: readonly [name: string, move: (tree: Tree) => Promise<unknown>, arrived: string][] = [
  ['moved', (tree) => tree.move(from, to), to],
  ['moved with its time', (tree) => tree.move(from, to, { touched: true }), to],
  ['rewritten', (tree) => tree.move(from, to, { change: () => Buffer.from('another, longer text') }), to],
  ['put back', (tree) => tree.move(from, to, { change: () => undefined }), from],
]

type Ends = (step: StepName, values: readonly unknown[]) => boolean
const isLinked: Ends = (step, values) => step === 'link' && (values[1] as FilePlace).name === 'm.md'

/** Kills a mover after a step: after the one that gives the file both names, unless told otherwise. */
async function killedBetween(
  move: (tree: Tree) => Promise<unknown>,
  {
    prepare = (_root: string) => {},
    ends = isLinked,
    before = (_step: StepName, _values: readonly unknown[], _root: string) => {},
  } = {},
) {
  const base = quickTempDir()
  const root = join(base, 'root')
  fs.mkdirSync(join(root, 'mission/pending'), { recursive: true })
  fs.writeFileSync(join(root, from), 'a text')
  prepare(root)
  const mortal = mortalDisk(base, realDisk(), (step, values, call) => {
    before(step, values, root)
    const result = call()
    if (ends(step, values)) mortal.fate.isDead = true
    return result
  })
  const tree = await openFileTree({ root, disk: mortal.disk })
  await expect(move(tree)).rejects.toThrow()
  mortal.bury()
  return { root }
}

/** Every file of the tree but the engine's own, whatever its name. */
const files = (root: string): string[] =>
  fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.signalbox'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))

describe.each(moves)('a leaf whose mover died when it was %s', (_name, move, arrived) => {
  verifies('X-crash', 'is there once, though others have moved it far away', async () => {
    const { root } = await killedBetween(move)
    expect(files(root)).toHaveLength(2)
    fs.mkdirSync(join(root, 'archive/old'), { recursive: true })
    fs.renameSync(join(root, arrived), join(root, 'archive/old/m.md'))
    const next = await openFileTree({ root })
    expect(files(root)).toEqual(['archive/old/m.md'])
    await next.close()
  })

  verifies('X-crash', 'is there once, though others move it while it is looked for', async () => {
    const { root } = await killedBetween(move)
    const names = ['archive', 'mission/done', 'mission/other', 'mission/pending']
    for (const name of names) fs.mkdirSync(join(root, name), { recursive: true })
    fs.renameSync(join(root, arrived), join(root, 'mission/other/n.md'))
    let place = join(root, 'mission/other/n.md')
    let moved = 0
    // Whichever folder has just been listed: the leaf goes there, where it is not looked for any more.
    const disk = steppingDisk(realDisk(), (step, values, call) => {
      const result = call()
      if (step !== 'list' || moved > 9) return result
      const folder = fs.realpathSync((values[0] as { prefix: string }).prefix)
      if (!names.includes(folder.slice(root.length + 1)) || place.startsWith(`${folder}/`)) return result
      fs.renameSync(place, join(folder, 'n.md'))
      place = join(folder, 'n.md')
      moved++
      return result
    })
    const next = await openFileTree({ root, disk })
    expect(moved).toBeGreaterThan(0)
    expect(files(root)).toEqual([place.slice(root.length + 1)])
    await next.close()
  })

  verifies('X-crash', 'is there once, though whoever made it had not taken its draft away yet', async () => {
    const draft = (root: string) => join(root, '.signalbox/engine/tmp/1-1-1-zzzz-d_0')
    const prepare = (made: string) => {
      fs.mkdirSync(join(made, '.signalbox/engine/tmp'), { recursive: true })
      fs.linkSync(join(made, from), draft(made))
    }
    const { root } = await killedBetween(move, { prepare })
    fs.rmSync(draft(root), { force: true })
    fs.mkdirSync(join(root, 'archive'))
    fs.renameSync(join(root, arrived), join(root, 'archive/m.md'))
    const next = await openFileTree({ root })
    expect(files(root)).toEqual(['archive/m.md'])
    await next.close()
  })
})

describe('a mover that went on after its note was read, and then died', () => {
  // Told of as often as recovery reads notes at all: each time it may be too early.
  for (const readings of [1, 2]) {
    verifies('X-crash', `has moved the leaf, and nobody puts the old one back (${readings})`, async () => {
      const rewrite = (tree: Tree) => tree.move(from, to, { change: () => Buffer.from('another, longer text') })
      let isThere = false
      const isDraftGone: Ends = (step, values) => {
        isThere ||= isLinked(step, values)
        return isThere && step === 'unlink'
      }
      const { root } = await killedBetween(rewrite, { ends: isDraftGone })
      expect(files(root).sort()).toEqual([to, expect.stringContaining('.own-')])
      const slots = join(root, '.signalbox/engine/moves')
      const slot = join(slots, fs.readdirSync(slots)[0]!)
      const note = fs.readFileSync(slot)
      // As it was before the note was written.
      fs.writeFileSync(slot, Buffer.concat([Buffer.from('-'), note.subarray(1)]))
      let left = readings
      let isReading = false
      const disk = steppingDisk(realDisk(), (step, values, call) => {
        const result = call()
        const isSlot = step === 'open' && (values[0] as FilePlace).name === basename(slot)
        if (isSlot && --left === 0) isReading = true
        else if (step === 'close' && isReading) {
          isReading = false
          fs.writeFileSync(slot, note)
        }
        return result
      })
      const next = await openFileTree({ root, disk })
      expect(left).toBeLessThanOrEqual(0)
      for (const folder of ['mission/pending', 'mission/done']) await next.list(at(folder))
      expect(files(root)).toEqual([to])
      await next.close()
    })
  }
})

verifies(
  'X-held',
  'whoever makes a leaf and is held before its draft is gone finds that others have removed it',
  async () => {
    const root = join(quickTempDir(), 'root')
    const mover = await openFileTree({ root, disk: diskOf('portable') })
    const scratch = join(root, '.signalbox/engine/tmp')
    let isHeld = false
    // The maker's step cannot wait, so what the others do to the draft is done here; that they do it is seen below.
    const disk = steppingDisk(diskOf('portable'), (step, values, call) => {
      if (step === 'unlink' && fs.existsSync(join(root, from))) {
        isHeld = true
        fs.unlinkSync(join(scratch, (values[0] as FilePlace).name))
      }
      return call()
    })
    const maker = await openFileTree({ root, disk })
    expect((await maker.create(from, 'a text')).outcome).toBe('created')
    expect(isHeld).toBe(true)
    fs.linkSync(join(root, from), join(scratch, '1-1-1-zzzz-d_0'))
    expect((await mover.move(from, to)).outcome).toBe('moved')
    expect(fs.readdirSync(scratch)).toEqual([])
    expect(files(root)).toEqual([to])
    await Promise.all([maker.close(), mover.close()])
  },
)

verifies(
  'X-crash',
  'a mover whose file was exchanged for one that is just being made counts the names of that one',
  async () => {
    const [draft, other] = ['.signalbox/engine/tmp/1-1-1-zzzz-d_0', 'mission/other.md']
    let isExchanged = false
    const before = (step: StepName, values: readonly unknown[], root: string) => {
      if (isExchanged || step !== 'rename' || (values[0] as FilePlace).name !== 'm.md') return
      isExchanged = true
      fs.renameSync(join(root, from), join(root, other))
      fs.writeFileSync(join(root, draft), 'another text')
      fs.linkSync(join(root, draft), join(root, from))
    }
    const ends: Ends = (step, values) =>
      isLinked(step, values) && fs.realpathSync((values[1] as FilePlace).folder.prefix).endsWith('/done')
    const { root } = await killedBetween((tree) => tree.move(from, to), { before, ends })
    fs.rmSync(join(root, draft), { force: true })
    fs.mkdirSync(join(root, 'archive'))
    fs.renameSync(join(root, to), join(root, 'archive/m.md'))
    const next = await openFileTree({ root })
    expect(files(root).sort()).toEqual(['archive/m.md', other])
    await next.close()
  },
)

verifies(
  'X-held',
  'what a dead process had in hand is left alone while a move that brought it there is under way',
  async () => {
    const root = join(quickTempDir(), 'root')
    const self = new Holders(realDisk()).self
    const dead = self.replace(/-[^-]+/, '-1')
    const [pending, slots] = [join(root, 'mission/pending'), join(root, '.signalbox/engine/moves')]
    for (const folder of [pending, slots]) fs.mkdirSync(folder, { recursive: true })
    // This process has given the file its new name, and is about to take the private one away.
    const own = join(pending, `.own-${self}-zz-n.md`)
    fs.writeFileSync(own, 'a text')
    const note = {
      operation: `${self}-zz`,
      from: 'mission/pending/n.md',
      to: from,
      file: fs.statSync(own).ino,
      links: 1,
    }
    fs.writeFileSync(join(slots, `${self}-99`), `${JSON.stringify(note)}\n`)
    fs.linkSync(own, join(pending, `.own-${dead}-0-m.md`))
    const tree = await openFileTree({ root })
    await tree.list(at('mission/pending'))
    expect(fs.existsSync(join(root, from))).toBe(false)
    fs.unlinkSync(own)
    fs.writeFileSync(join(slots, `${self}-99`), '-')
    await tree.list(at('mission/pending'))
    expect(files(root)).toEqual([from])
    await tree.close()
  },
)

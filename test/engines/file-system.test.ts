/** What plain files bring with them that no other engine has: links, strangers, permissions, file systems. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { runtime, spawnChild } from '../support/child.ts'
import { steppingDisk } from '../support/stepping-disk.ts'
import { tempDir } from '../support/temp.ts'

const at = treePath
const bytes = (text: string) => Buffer.from(text)
const isRoot = process.getuid?.() === 0

let base: string
let root: string
let outside: string
let tree: Tree

beforeEach(async () => {
  base = tempDir()
  root = join(base, 'root')
  outside = join(base, 'outside')
  fs.mkdirSync(outside)
  fs.writeFileSync(join(outside, 'secret.md'), 'secret')
  tree = await openFileTree({ root })
})
afterEach(() => tree.close())

const reading = async (path: string) => {
  const leaf = await tree.read(at(path))
  return leaf ? Buffer.from(leaf.bytes).toString() : undefined
}

describe('links', () => {
  it('are not followed to read, write, move or list', async () => {
    fs.mkdirSync(join(root, 'q'), { recursive: true })
    fs.symlinkSync(join(outside, 'secret.md'), join(root, 'q/link.md'))
    fs.symlinkSync(outside, join(root, 'folder'))
    await expect(tree.read(at('q/link.md'))).rejects.toMatchObject({ code: 'NOT_A_LEAF' })
    await expect(tree.read(at('folder/secret.md'))).rejects.toMatchObject({ code: 'LINK_REFUSED', kind: 'Denied' })
    await expect(tree.list(at('folder'))).rejects.toMatchObject({ code: 'LINK_REFUSED' })
    await expect(tree.create(at('folder/new.md'), bytes('x'))).rejects.toMatchObject({ code: 'LINK_REFUSED' })
    await expect(tree.append(at('q/link.md'), 'x')).rejects.toMatchObject({ code: 'LINK_REFUSED' })
    await expect(tree.move(at('q/link.md'), at('q/m.md'), { change: () => bytes('x') })).rejects.toMatchObject({
      code: 'NOT_A_LEAF',
    })
    expect(await tree.create(at('q/link.md'), bytes('x'))).toEqual({ outcome: 'taken' })
    expect(await tree.list(at('q'))).toEqual([{ name: 'link.md', kind: 'other' }])
    await tree.touch(at('q/link.md'))
    expect((await tree.remove(at('q/link.md'))).outcome).toBe('removed')
    expect([fs.readdirSync(outside), fs.readFileSync(join(outside, 'secret.md'), 'utf8')]).toEqual([
      ['secret.md'],
      'secret',
    ])
  })

  it('that stand at a target are never replaced, dangling ones too', async () => {
    await tree.create(at('a/m.md'), bytes('x'))
    fs.mkdirSync(join(root, 'b'))
    fs.symlinkSync(join(base, 'nowhere'), join(root, 'b/m.md'))
    expect(await tree.move(at('a/m.md'), at('b/m.md'))).toEqual({ outcome: 'taken' })
    const change = () => bytes('y')
    expect(await tree.move(at('a/m.md'), at('b/m.md'), { change })).toEqual({ outcome: 'taken' })
    expect(fs.existsSync(join(base, 'nowhere'))).toBe(false)
  })

  it('swapped in for a folder at any step lead nowhere', async () => {
    const verbs: Record<string, (tree: Tree) => Promise<unknown>> = {
      create: (t) => t.create(at('q/in/new.md'), bytes('written')),
      append: (t) => t.append(at('q/in/log'), 'written'),
      move: (t) => t.move(at('q/from.md'), at('q/in/moved.md'), { change: () => bytes('written') }),
      read: (t) => t.read(at('q/in/secret.md')).then((leaf) => expect(leaf).toBeUndefined()),
      remove: (t) => t.remove(at('q/in/secret.md')),
      touch: (t) => t.touch(at('q/in/secret.md')),
    }
    const untouched = fs.statSync(join(outside, 'secret.md')).mtimeMs
    for (const [name, verb] of Object.entries(verbs)) {
      for (let swapAt = 1, swapped = true; swapped; swapAt++) {
        const place = join(base, `${name}-${swapAt}`)
        fs.mkdirSync(join(place, 'q/in'), { recursive: true })
        fs.writeFileSync(join(place, 'q/from.md'), 'from')
        let step = 0
        const disk = steppingDisk(realDisk(), (_step, _values, call) => {
          if (++step === swapAt) {
            fs.renameSync(join(place, 'q/in'), join(place, 'q/away'))
            fs.symlinkSync(outside, join(place, 'q/in'))
          }
          return call()
        })
        const victim = await openFileTree({ root: place, disk })
        // Refused, or done in the folder that was there when it was looked up: never outside.
        await verb(victim).catch((error: { code: string }) =>
          expect(['LINK_REFUSED', 'NOT_A_LEAF']).toContain(error.code),
        )
        await victim.close()
        swapped = step >= swapAt
        expect(fs.readdirSync(outside), `${name}, swapped at step ${swapAt}`).toEqual(['secret.md'])
      }
    }
    expect(fs.readFileSync(join(outside, 'secret.md'), 'utf8')).toBe('secret')
    expect(fs.statSync(join(outside, 'secret.md')).mtimeMs).toBe(untouched)
  })

  it('may lead to the root itself', async () => {
    await tree.create(at('here'), bytes('x'))
    fs.symlinkSync(root, join(base, 'link-to-root'))
    const other = await openFileTree({ root: join(base, 'link-to-root') })
    expect(Buffer.from((await other.read(at('here')))!.bytes).toString()).toBe('x')
    await other.close()
  })
})

describe('strange files', () => {
  it('of every kind are listed as other and block nothing', async () => {
    fs.mkdirSync(join(root, 'q'))
    execFileSync('mkfifo', [join(root, 'q/pipe.md')])
    fs.mkdirSync(join(root, 'q/folder.md'))
    await tree.create(at('q/plain.md'), bytes('x'))
    expect(await tree.list(at('q'))).toEqual([
      { name: 'folder.md', kind: 'folder' },
      { name: 'pipe.md', kind: 'other' },
      { name: 'plain.md', kind: 'leaf' },
    ])
    for (const name of ['pipe.md', 'folder.md']) {
      await expect(tree.read(at(`q/${name}`))).rejects.toMatchObject({ code: 'NOT_A_LEAF' })
      const change = () => bytes('x')
      await expect(tree.move(at(`q/${name}`), at('q/x'), { change })).rejects.toMatchObject({ code: 'NOT_A_LEAF' })
      await expect(tree.append(at(`q/${name}`), 'x')).rejects.toMatchObject({ code: 'NOT_A_LEAF' })
    }
  })

  it('with names that cannot be used are reported, the others are read', async () => {
    await tree.create(at('q/plain.md'), bytes('x'))
    fs.writeFileSync(join(root, 'q/line\nend.md'), 'x')
    fs.writeFileSync(Buffer.concat([bytes(join(root, 'q/bad-')), Buffer.from([0xff, 0xfe])]), 'x')
    expect((await tree.list(at('q'))).map(({ name }) => name)).toContain('plain.md')
    const found = await tree.inspect({ within: [at('q')] })
    expect(found.map(({ code, severity }) => [code, severity])).toContainEqual(['UNUSABLE_NAME', 'warning'])
  })

  it('written, moved and deleted by others are seen at once', async () => {
    await tree.create(at('q/a.md'), bytes('ours'))
    execFileSync('sh', [
      '-c',
      'printf hello > "$0/q/.tmp-x" && mv "$0/q/.tmp-x" "$0/q/b.md" && mv "$0/q/a.md" "$0/c.md"',
      root,
    ])
    expect((await tree.list(at('q'))).map(({ name }) => name)).toEqual(['b.md'])
    expect([await reading('q/b.md'), await reading('c.md'), await reading('q/a.md')]).toEqual([
      'hello',
      'ours',
      undefined,
    ])
    fs.rmSync(join(root, 'q'), { recursive: true })
    expect(await tree.list(at('q'))).toEqual([])
    expect(await tree.move(at('q/b.md'), at('x'))).toEqual({ outcome: 'gone' })
    expect((await tree.create(at('q/again.md'), bytes('x'))).outcome).toBe('created')
    expect(fs.readdirSync(join(root, 'q'))).toEqual(['again.md'])
  })

  it('a folder that is moved away and made anew is noticed', async () => {
    await tree.create(at('q/a.md'), bytes('old'))
    fs.renameSync(join(root, 'q'), join(root, 'old-q'))
    fs.mkdirSync(join(root, 'q'))
    // A held folder is trusted for a moment; the promise is that it is noticed, not that it is noticed in no time.
    const deadline = performance.now() + 5000
    while ((await tree.list(at('q'))).length > 0 && performance.now() < deadline) await new Promise(setImmediate)
    await tree.create(at('q/b.md'), bytes('new'))
    expect([fs.readdirSync(join(root, 'q')), fs.readdirSync(join(root, 'old-q'))]).toEqual([['b.md'], ['a.md']])
  })

  it('survive an edit with their mode, and a move with their times', async () => {
    fs.mkdirSync(join(root, 'q'))
    fs.writeFileSync(join(root, 'q/a.md'), 'foreign', { mode: 0o640 })
    fs.chmodSync(join(root, 'q/a.md'), 0o640)
    await tree.move(at('q/a.md'), at('q/b.md'), { change: () => bytes('longer than before') })
    expect(fs.statSync(join(root, 'q/b.md')).mode & 0o777).toBe(0o640)
    const { revision } = (await tree.read(at('q/b.md')))!
    await tree.replace(at('q/b.md'), bytes('again'), revision)
    expect(fs.statSync(join(root, 'q/b.md')).mode & 0o777).toBe(0o640)
  })

  it('with a second name elsewhere are moved once and lose nothing', async () => {
    fs.mkdirSync(join(root, 'q'))
    fs.writeFileSync(join(root, 'q/a.md'), 'kept')
    fs.linkSync(join(root, 'q/a.md'), join(outside, 'backup.md'))
    expect((await tree.move(at('q/a.md'), at('q/b.md'))).outcome).toBe('moved')
    expect((await tree.move(at('q/b.md'), at('q/c.md'), { change: () => bytes('changed') })).outcome).toBe('moved')
    expect([fs.readdirSync(join(root, 'q')), fs.readFileSync(join(outside, 'backup.md'), 'utf8')]).toEqual([
      ['c.md'],
      'kept',
    ])
  })
})

describe('permissions', () => {
  it('are for the owner alone, whatever the umask', async () => {
    const before = process.umask(0)
    try {
      const fresh = await openFileTree({ root: join(base, 'fresh') })
      await fresh.create(at('a/m.md'), bytes('x'))
      await fresh.append(at('a/log'), 'x')
      await fresh.lease('job', 'me', 1000)
      const open = execFileSync('find', [join(base, 'fresh'), '-perm', '/077'], { encoding: 'utf8' })
      expect(open).toBe('')
      await fresh.close()
    } finally {
      process.umask(before)
    }
  })

  it('are for the group too when so configured, whatever the umask', async () => {
    const before = process.umask(0o077)
    try {
      const fresh = await openFileTree({ root: join(base, 'group'), permissions: 'group' })
      await fresh.create(at('a/m.md'), bytes('x'))
      expect(fs.statSync(join(base, 'group/a/m.md')).mode & 0o777).toBe(0o660)
      expect(fs.statSync(join(base, 'group/a')).mode & 0o777).toBe(0o770)
      await fresh.close()
    } finally {
      process.umask(before)
    }
  })

  it('[X-doctor] a root that everybody can write is reported, and closed on request', async () => {
    fs.chmodSync(root, 0o777)
    const [finding] = await tree.inspect()
    expect(finding).toMatchObject({ code: 'WORLD_WRITABLE_ROOT', severity: 'warning', repaired: false })
    expect(await tree.inspect({ repair: true })).toMatchObject([{ code: 'WORLD_WRITABLE_ROOT', repaired: true }])
    expect([fs.statSync(root).mode & 0o777, await tree.inspect()]).toEqual([0o775, []])
  })

  it.skipIf(isRoot)(
    `that are missing are one clear error${isRoot ? ' (skipped: root may do everything)' : ''}`,
    async () => {
      await tree.create(at('a/m.md'), bytes('x'))
      fs.chmodSync(join(root, 'a'), 0o500)
      await expect(tree.create(at('a/n.md'), bytes('x'))).rejects.toMatchObject({ code: 'PERMISSION_DENIED', exit: 6 })
      fs.chmodSync(join(root, 'a'), 0o700)
    },
  )
})

describe('the root', () => {
  it('that is missing, or a file, is one clear error', async () => {
    await expect(openFileTree({ root: join(base, 'no'), mustExist: true })).rejects.toMatchObject({
      code: 'NO_SUCH_ROOT',
      exit: 3,
    })
    const file = join(outside, 'secret.md')
    await expect(openFileTree({ root: file })).rejects.toMatchObject({ code: 'ROOT_IS_A_FILE', exit: 2 })
    await expect(openFileTree({ root: file, mustExist: true })).rejects.toMatchObject({ code: 'ROOT_IS_A_FILE' })
  })
})

describe('what a crash leaves', () => {
  it('[X-doctor] an unfinished move is an error until it is repaired', async () => {
    await tree.create(at('a/m.md'), bytes('short'))
    const child = spawnChild('killed-mover', [root])
    expect((await child.exited).signal).toBe('SIGKILL')
    expect(fs.readdirSync(join(root, 'a')).some((name) => name.startsWith('.own-'))).toBe(true)
    expect(await tree.inspect({ within: [at('a')] })).toMatchObject([
      { code: 'UNFINISHED_MOVE', severity: 'error', repaired: false },
      { code: 'STRANDED_LEAF', severity: 'error', repaired: false },
    ])
    const repaired = await tree.inspect({ repair: true, within: [at('a')] })
    expect(repaired.filter((finding) => !finding.repaired)).toEqual([])
    expect(await tree.inspect({ within: [at('a')] })).toEqual([])
    expect(await tree.list(at('a'))).toEqual([])
    expect(await reading('b/m.md')).toBe('longer than before')
  })

  it('a private file whose note was deleted goes back to its name: twice is better than lost', async () => {
    await tree.create(at('a/m.md'), bytes('short'))
    await spawnChild('killed-mover', [root]).exited
    await tree.close()
    fs.rmSync(join(root, '.signalbox'), { recursive: true })
    tree = await openFileTree({ root })
    expect(await tree.list(at('a'))).toEqual([{ name: 'm.md', kind: 'leaf' }])
    expect(await reading('a/m.md')).toBe('short')
  })

  it('a copy by hard links made after the crash does not make the message vanish', async () => {
    await tree.create(at('a/m.md'), bytes('short'))
    await spawnChild('killed-mover', [root]).exited
    execFileSync('cp', ['-al', root, join(base, 'snapshot')])
    const other = await openFileTree({ root })
    const found = [await other.list(at('a')), await other.list(at('b'))].flat()
    expect(found).toEqual([{ name: 'm.md', kind: 'leaf' }])
    await other.close()
  })

  it('[X-doctor] a lock of a dead process is taken over', async () => {
    await tree.create(at('counter'), bytes('0'))
    await spawnChild('killed-mover', [root, 'locked']).exited
    expect(await tree.inspect()).toMatchObject([
      { code: 'ORPHANED_DRAFT', severity: 'note', repaired: false },
      { code: 'ABANDONED_LOCK', severity: 'note', repaired: false },
    ])
    const { revision } = (await tree.read(at('counter')))!
    expect((await tree.replace(at('counter'), bytes('1'), revision)).outcome).toBe('replaced')
    expect(await tree.inspect({ repair: true })).toMatchObject([{ code: 'ORPHANED_DRAFT', repaired: true }])
    expect(await tree.inspect()).toEqual([])
  })
})

describe(`watching on ${runtime}`, () => {
  it('misses none of 40,000 files that came while the process was busy', async () => {
    await tree.makeFolder(at('flood'))
    const folder = join(root, 'flood')
    let hints = 0
    let arrived: () => void = () => {}
    const watching = tree.watch(at('flood'), () => {
      hints++
      arrived()
    })
    expect(watching.by).toBe('events')
    // Blocks this process until all are there: more events than the system keeps.
    const script = 'i=0; while [ $i -lt 40000 ]; do : > "$0/$i"; i=$((i+1)); done'
    execFileSync('sh', ['-c', script, folder])
    let seen = 0
    while (seen < 40_000) {
      await new Promise<void>((resolve) => (arrived = resolve))
      seen = (await tree.list(at('flood'))).length
    }
    expect(seen).toBe(40_000)
    expect(hints).toBeLessThan(1000)
    watching.close()
  })

  it('names a file that came, or none, and then all are to be looked at', async () => {
    await tree.makeFolder(at('named'))
    let hinted: (name: string | undefined) => void = () => {}
    const nextHint = () => new Promise<string | undefined>((resolve) => (hinted = resolve))
    const first = nextHint()
    const watching = tree.watch(at('named'), (name) => hinted(name))
    // The first look, before any event.
    expect(await first).toBeUndefined()
    const one = nextHint()
    await tree.create(at('named/one'), bytes('1'))
    expect(await one).toBe('one')
    // Whether the events of two files come together is up to the system.
    const missing = new Set(['two', 'three'])
    const both = new Promise<void>((resolve) => {
      hinted = (name) => {
        if (name === undefined) missing.clear()
        else missing.delete(name)
        if (missing.size === 0) resolve()
      }
    })
    for (const name of ['two', 'three']) await tree.create(at(`named/${name}`), bytes(name))
    await both
    watching.close()
  })

  it('goes on when the folder is deleted and made again', async () => {
    await tree.makeFolder(at('w'))
    let arrived: () => void = () => {}
    const watching = tree.watch(at('w'), () => arrived())
    fs.rmSync(join(root, 'w'), { recursive: true })
    await tree.create(at('w/new'), bytes('x'))
    while ((await tree.list(at('w'))).length === 0) await new Promise<void>((resolve) => (arrived = resolve))
    watching.close()
  })
})

/** The native calls beside the portable ones: the same answers, the same refusals, and nothing left to a child process. */
import { mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, describe, expect, it } from 'vitest'
import { absolute, codeOf, type Disk, FilePlace, openFlags, realDisk } from '../../src/engines/file-system/disk.ts'
import { loadNative } from '../../src/engines/file-system/native.ts'
import { childProgram } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'

const native = loadNative()
const reason = native ? '' : ' (skipped: only Linux has them, by Bun or by koffi)'

describe.skipIf(!native)(`native calls${reason}`, () => {
  const portable = realDisk()
  const disk: Disk = { ...portable, ...native }
  const base = tempDir()
  const fd = openSync(base, 'r')
  afterAll(() => portable.close(fd))
  // Only the descriptor leads anywhere, so that whoever goes by the path fails.
  const byDescriptor = (name: string) => new FilePlace({ fd, prefix: '/nowhere/' }, name)
  const place = (name: string) => new FilePlace({ fd, prefix: `${base}/` }, name)

  const outcomeOf = (call: () => unknown) => {
    try {
      call()
      return 'done'
    } catch (error) {
      return codeOf(error)
    }
  }

  mkdirSync(join(base, 'folder'))
  writeFileSync(join(base, 'there'), 'there')
  symlinkSync('there', join(base, 'link'))
  symlinkSync('folder', join(base, 'link-to-folder'))

  const refusals = [
    { name: 'missing', how: 'read', code: 'ENOENT' },
    { name: 'link', how: 'read', code: 'ELOOP' },
    { name: 'link', how: 'change', code: 'ELOOP' },
    { name: 'link', how: 'append', code: 'ELOOP' },
    { name: 'link', how: 'create', code: 'EEXIST' },
    { name: 'link-to-folder', how: 'directory', code: 'ENOTDIR' },
    { name: 'there', how: 'create', code: 'EEXIST' },
    { name: 'there', how: 'directory', code: 'ENOTDIR' },
    { name: 'there/below', how: 'read', code: 'ENOTDIR' },
    { name: 'folder', how: 'change', code: 'EISDIR' },
    { name: 'n'.repeat(300), how: 'create', code: 'ENAMETOOLONG' },
    { name: 'a/'.repeat(5000), how: 'read', code: 'ENAMETOOLONG' },
  ] as const

  it('refuse to open what the portable ones refuse, for the same reason', () => {
    for (const { name, how, code } of refusals) {
      const what = `${how} ${name.slice(0, 20)}`
      expect(
        outcomeOf(() => disk.open(place(name), openFlags[how], 0o600)),
        what,
      ).toBe(code)
      expect(
        outcomeOf(() => portable.open(place(name), openFlags[how], 0o600)),
        what,
      ).toBe(code)
    }
  })

  it('go by the descriptor, read and write what they are asked to, and hand no descriptor on', () => {
    const text = Buffer.from('0123456789'.repeat(20))
    const written = disk.open(byDescriptor('größe ✓'), openFlags.create, 0o640)
    expect(disk.write(written, text, 0, 5, null)).toBe(5)
    expect(disk.write(written, text, 5, 100, null)).toBe(100)
    expect(disk.write(written, Buffer.from('xxabc'), 2, 3, 1)).toBe(3)
    expect(readFileSync(`/proc/self/fdinfo/${written}`, 'utf8')).toMatch(/flags:\s+0?2\d{6}/)
    expect(disk.statOpen(written).mode & 0o777).toBe(0o640 & ~process.umask())
    disk.close(written)

    const opened = disk.open(byDescriptor('größe ✓'), openFlags.read)
    const into = Buffer.alloc(20, '.')
    expect(disk.read(opened, into, 0, 6, 0)).toBe(6)
    expect(disk.read(opened, into, 8, 4, 100)).toBe(4)
    expect(into.toString()).toBe('0abc45..0123........')
    expect(disk.read(opened, into, 0, 20, 100)).toBe(5)
    expect(disk.read(opened, into, 0, 20, 5000)).toBe(0)
    expect(outcomeOf(() => disk.write(opened, text, 0, 5, 0))).toBe('EBADF')
    disk.close(opened)
    expect(outcomeOf(() => disk.read(opened, into, 0, 20, 0))).toBe('EBADF')
    const small = Buffer.alloc(4)
    expect(outcomeOf(() => disk.read(fd, small, 0, 5, 0))).toBe(outcomeOf(() => portable.read(fd, small, 0, 5, 0)))
    expect(outcomeOf(() => disk.write(fd, small, 2, 3, 0))).toBe(outcomeOf(() => portable.write(fd, small, 2, 3, 0)))
  })

  it('cut no name short', () => {
    for (const name of ['there\0', 'there\0more']) {
      expect(outcomeOf(() => disk.open(place(name), openFlags.read))).toBe(
        outcomeOf(() => portable.open(place(name), openFlags.read)),
      )
      expect(disk.renameNew!(place(name), place('stolen'))).toBe('strange')
      expect(disk.renameNew!(place('there'), place(`new${name}`))).toBe('strange')
    }
    expect(readFileSync(join(base, 'there'), 'utf8')).toBe('there')
  })

  it('rename without replacing, and swap', () => {
    writeFileSync(join(base, 'one'), '1')
    writeFileSync(join(base, 'two'), '2')
    expect(disk.renameNew!(byDescriptor('one'), byDescriptor('two'))).toBe('taken')
    expect(disk.renameNew!(byDescriptor('none'), byDescriptor('new'))).toBe('gone')
    expect(disk.exchange!(byDescriptor('one'), byDescriptor('two'))).toBe('done')
    expect(disk.exchange!(byDescriptor('one'), byDescriptor('none'))).toBe('gone')
    expect(disk.renameNew!(byDescriptor('one'), byDescriptor('moved'))).toBe('done')
    expect(disk.renameNew!(absolute(join(base, 'two')), absolute(join(base, 'moved-too')))).toBe('done')
    expect(['moved', 'moved-too'].map((name) => readFileSync(join(base, name), 'utf8'))).toEqual(['2', '1'])
  })

  it('work in a worker thread at the same time', async () => {
    const worker = new Worker(childProgram('native-worker'), { workerData: fd })
    const wrong = new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
    for (let i = 0; i < 2000; i++) {
      expect(disk.renameNew!(byDescriptor('there'), byDescriptor('folder'))).toBe('taken')
      expect(disk.renameNew!(byDescriptor(`mine-${i}`), byDescriptor('new'))).toBe('gone')
    }
    expect(await wrong).toBe(0)
    await worker.terminate()
  })
})

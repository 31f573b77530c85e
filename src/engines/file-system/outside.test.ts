import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../../test/support/temp.ts'
import { isPrivate, kindOf, makeTemporaryFolder, mayRead, namesIn, readText, resolve } from './outside.ts'

describe('the world around the tree', () => {
  const folder = tempDir()
  mkdirSync(join(folder, 'sub'))
  writeFileSync(join(folder, 'file'), 'grüße\n')
  writeFileSync(join(folder, 'latin1'), Uint8Array.of(0x67, 0xfc))
  symlinkSync(join(folder, 'file'), join(folder, 'link'))
  symlinkSync('nowhere', join(folder, 'dangling'))
  spawnSync('mkfifo', [join(folder, 'pipe')])

  it('tells what is there', () => {
    const kinds = ['sub', 'file', 'link', 'dangling', 'missing', 'file/below', 'pipe'].map((name) =>
      kindOf(join(folder, name)),
    )
    expect(kinds).toEqual(['folder', 'file', 'file', undefined, undefined, undefined, 'other'])
    expect(mayRead(folder)).toBe(true)
    expect(namesIn(folder)).toEqual(['dangling', 'file', 'latin1', 'link', 'pipe', 'sub'])
    expect(resolve('/a/b', '../c')).toBe('/a/c')
  })

  it('tells what others may read or change', () => {
    const answers = [0o600, 0o640, 0o604, 0o620].map((mode) => {
      chmodSync(join(folder, 'file'), mode)
      return isPrivate(join(folder, 'file'))
    })
    expect(answers).toEqual([true, false, false, false])
    expect(isPrivate(join(folder, 'missing'))).toBe(true)
  })

  it('reads text with a bound', () => {
    expect(readText(join(folder, 'file'), 8)).toBe('grüße\n')
    expect(readText(join(folder, 'missing'), 8)).toBeUndefined()
    expect(readText(join(folder, 'file/below'), 8)).toBeUndefined()
    expect(() => readText(join(folder, 'file'), 7)).toThrow(/more than 7 bytes/)
    expect(() => readText(join(folder, 'latin1'), 8)).toThrow(/Not UTF-8/)
    expect(() => readText(join(folder, 'sub'), 8)).toThrow(/is a directory/)
  })

  it('refuses with a reason', () => {
    expect(() => namesIn(join(folder, 'file'))).toThrow(expect.objectContaining({ code: 'NOT_A_FOLDER' }))
  })

  it('makes a temporary folder of its own each time', () => {
    const before = process.env.TMPDIR
    process.env.TMPDIR = folder
    try {
      const [one, two] = [makeTemporaryFolder('x-'), makeTemporaryFolder('x-')]
      expect([kindOf(one), kindOf(two), one !== two, one.startsWith(join(folder, 'x-'))]).toEqual([
        'folder',
        'folder',
        true,
        true,
      ])
    } finally {
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
    }
  })
})

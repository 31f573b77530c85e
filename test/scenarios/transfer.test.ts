/** `import` and `export` between directories of plain files. Between files and a cluster: test/cluster/transfer.test.ts. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { leavesOf, makeFiveProtocols } from '../support/five-protocols.ts'
import { tempDir } from '../support/temp.ts'
import { cliJson, quickCli } from './cli-program.ts'

const json = (words: string[], cwd: string) => cliJson(words, { cwd }, quickCli)

describe('a workspace of five protocols', () => {
  it('is carried whole by export and import, and what is left behind is named', () => {
    const root = tempDir()
    makeFiveProtocols(root)
    writeFileSync(join(root, 'signalbox.yaml'), 'durability: process\n')
    const {
      'src/code.ts': _,
      'context/notes.txt': __,
      '.signalbox-note': ___,
      'signalbox.yaml': ____,
      ...kept
    } = leavesOf(root)
    const leftBehind = [
      { path: '.signalbox-note', reason: 'no protocol keeps it' },
      { path: 'context/notes.txt', reason: 'no protocol keeps it' },
      { path: 'signalbox.yaml', reason: 'settings are for one place' },
      { path: 'src', reason: 'no protocol keeps it' },
    ]

    const backup = join(tempDir(), 'backup')
    const exported = json(['export', backup], root)
    expect(exported).toMatchObject({ exit: 0, output: { outcome: 'exported', leftBehind } })
    expect(leavesOf(backup)).toEqual(kept)

    // Here nobody has used any protocol yet.
    const target = tempDir()
    expect(json(['import', root], target)).toMatchObject({ exit: 0, output: { outcome: 'imported', leftBehind } })
    expect(leavesOf(target)).toEqual(kept)
    const { out } = quickCli(['import', root], { cwd: target })
    expect(out).toContain('Left behind (no protocol keeps it): .signalbox-note, context/notes.txt, src\n')
    expect(out).toContain('Left behind (settings are for one place): signalbox.yaml\n')
  })

  it('is found where the settings of the source say, and where ours say if the source has none', () => {
    const [source, target] = [tempDir(), tempDir()]
    writeFileSync(join(source, 'signalbox.yaml'), 'mr:\n  root: post/inboxes\n')
    const heartbeat = ['--type', 'heartbeat', '--payload', '{"health":"healthy"}']
    expect(json(['mr', 'send', '--from', 'ann', '--to', 'bob', ...heartbeat], source).exit).toBe(0)
    expect(json(['import', source], target).exit).toBe(0)
    expect(existsSync(join(target, 'post/inboxes/bob'))).toBe(true)

    // As an export is.
    rmSync(join(source, 'signalbox.yaml'))
    const other = tempDir()
    writeFileSync(join(other, 'signalbox.yaml'), 'mr:\n  root: post/inboxes\n')
    expect(json(['import', source], other).exit).toBe(0)
    expect(existsSync(join(other, 'post/inboxes/bob'))).toBe(true)
  })
})

describe('single files', () => {
  it('go to the same place as in the workspace, or into a folder that is named; nothing is replaced unasked', () => {
    const [root, elsewhere] = [tempDir(), tempDir()]
    mkdirSync(join(root, 'templates'))
    writeFileSync(join(root, 'templates/review.j2'), 'Review')
    writeFileSync(join(elsewhere, 'other.j2'), 'Other')
    expect(json(['init'], root).exit).toBe(0)
    expect(json(['import', 'templates/review.j2'], root)).toMatchObject({
      exit: 0,
      output: { outcome: 'unchanged', paths: ['templates/review.j2'], copied: 0, unchanged: 1 },
    })
    const other = join(elsewhere, 'other.j2')
    expect(json(['import', other], root)).toMatchObject({ exit: 2, output: { error: { code: 'FILE_OUTSIDE' } } })
    const put = ['import', other, '--into', './templates/']
    expect(json(put, root)).toMatchObject({ exit: 0, output: { outcome: 'imported', paths: ['templates/other.j2'] } })
    writeFileSync(other, 'Changed')
    expect(json(put, root)).toMatchObject({ exit: 4, output: { error: { code: 'DIFFERENT_THERE' } } })
    expect(readFileSync(join(root, 'templates/other.j2'), 'utf8')).toBe('Other')
    expect(json([...put, '--replace'], root)).toMatchObject({ exit: 0, output: { copied: 1 } })
    expect(readFileSync(join(root, 'templates/other.j2'), 'utf8')).toBe('Changed')
  })

  it.each([
    ['that are not there', ['import', 'nothing.j2'], 3, 'NO_SUCH_FILE'],
    ['beside a directory', ['import', '.', 'one.j2'], 2, 'ONE_DIRECTORY'],
    ['that lead out', ['import', 'one.j2', '--into', '../x'], 2, 'PATH_ESCAPES_ROOT'],
    ['for the folder of keys', ['import', 'one.j2', '--into', '.signalbox/state/keys'], 2, 'NOT_CARRIED'],
  ])('%s are refused', (_, words, exit, code) => {
    const root = tempDir()
    expect(json(['init'], root).exit).toBe(0)
    writeFileSync(join(root, 'one.j2'), 'One')
    expect(json(words, root)).toMatchObject({ exit, output: { error: { code } } })
  })
})

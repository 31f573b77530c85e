/**
 * A protocol is known everywhere by one line in one list. A copy of the sources gets a toy protocol, exactly as
 * CONTRIBUTING.md says ("A new protocol", steps 1 to 3), is built, and is then used as a person would.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { tempDir } from '../support/temp.ts'

const repository = new URL('../..', import.meta.url).pathname
const copy = tempDir()

function run(program: string, args: readonly string[], cwd: string) {
  const env = { PATH: process.env.PATH, HOME: copy, SIGNALBOX_RUNTIME: 'node' }
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', env })
  return { exit: status, out: stdout, err: stderr }
}

const node = (...args: string[]) => {
  const { exit, err } = run(process.execPath, args, copy)
  if (exit !== 0) throw new Error(err)
}

/** The steps of the recipe. Nothing else is changed. */
beforeAll(() => {
  const files = [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.types.json',
    'biome.json',
    '.gitignore',
  ]
  for (const part of ['src', 'packages', 'scripts', 'bin', ...files]) {
    cpSync(join(repository, part), join(copy, part), { recursive: true })
  }
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'))
  const fixture = (name: string) => join(repository, 'test/architecture/toy', name)
  // 1. and 2. Its folder, and the folder of its operations.
  for (const folder of ['src/protocols/toy', 'src/operations/toy']) mkdirSync(join(copy, folder))
  cpSync(fixture('index.ts.txt'), join(copy, 'src/protocols/toy/index.ts'))
  cpSync(fixture('operations.ts.txt'), join(copy, 'src/operations/toy/index.ts'))
  // 3. One line in the list.
  const list = join(copy, 'src/operations/protocols.ts')
  const line =
    "{ name: 'toy', marks: [['toybox']], load: async () => (await import('../protocols/toy/index.ts')).toy, " +
    "operations: async () => (await import('./toy/index.ts')).operations, everyday: ['put'] },"
  const text = readFileSync(list, 'utf8').replace('\n] as const satisfies', `\n  ${line}\n] as const satisfies`)
  expect(text).toContain(line)
  writeFileSync(list, text)
  // As a person builds it, from nothing.
  node('scripts/build.mjs')
}, 120_000)

const signalbox = (cwd: string, ...words: string[]) => run(join(copy, 'bin/signalbox'), words, cwd)

/** A workspace in which somebody has left a note. */
function workspace(): string {
  const root = tempDir()
  expect(signalbox(root, 'init')).toMatchObject({ exit: 0 })
  expect(signalbox(root, 'toy', 'put', 'ann', '--body', 'May I?')).toMatchObject({ exit: 0, err: '' })
  return root
}

describe('a protocol that is a line in the list', () => {
  it('is in the types of the program', () => {
    expect(existsSync(join(copy, 'dist/types/src/protocols/toy/index.d.ts'))).toBe(true)
  })

  it('has its commands, with help and completion', () => {
    const root = tempDir()
    expect(signalbox(root, '--help').out).toMatch(/^ {2}toy +Toy: one note for each agent\.$/m)
    expect(signalbox(root, 'toy', 'put', '--help').out).toMatch(/^Leave a note\.\n/)
    expect(signalbox(root, 'completion', 'bash').out).toContain('toy put')
  })

  it('has its section in the settings, in what `init` writes and in the environment', () => {
    const root = workspace()
    const settings = readFileSync(join(root, 'signalbox.yaml'), 'utf8')
    expect(settings).toContain('#toy:\n  # The folder of notes.')
    writeFileSync(join(root, 'signalbox.yaml'), 'toy:\n  root: notes\n')
    expect(signalbox(root, 'toy', 'put', 'bob')).toMatchObject({ exit: 0 })
    expect(readdirSync(join(root, 'notes'))).toEqual(['bob.txt'])
    writeFileSync(join(root, 'signalbox.yaml'), 'toy:\n  mots: 4\n')
    expect(signalbox(root, 'toy', 'put', 'bob')).toMatchObject({ exit: 2, err: expect.stringContaining('`most`') })
  })

  it('marks a workspace, also from a directory below', () => {
    const root = tempDir()
    mkdirSync(join(root, 'toybox'))
    mkdirSync(join(root, 'deep/down'), { recursive: true })
    expect(JSON.parse(signalbox(join(root, 'deep/down'), 'doctor', '--json').out)).toMatchObject({ root })
  })

  it('is asked by doctor', () => {
    const { findings } = JSON.parse(signalbox(workspace(), 'doctor', '--json').out)
    expect(findings).toMatchObject([{ code: 'WAITS_FOR_PERSON' }, { code: 'TOY' }])
  })

  it('puts its questions to people, and gets their answers', () => {
    const root = workspace()
    expect(signalbox(root, 'human', 'list').out).toContain('May I?')
    expect(signalbox(root, 'human', 'deny', 'ann')).toMatchObject({ exit: 7 })
    expect(signalbox(root, 'human', 'approve', 'ann')).toMatchObject({ exit: 0 })
    expect(readdirSync(join(root, 'toybox'))).toEqual([])
    expect(signalbox(root, 'human', 'answer', 'ann', '--body', 'x')).toMatchObject({ exit: 3 })
  })

  it('lets people choose from what it offers, as it was shown', () => {
    const root = workspace()
    const answer = (...words: string[]) => signalbox(root, 'human', 'answer', 'ann', ...words)
    const { out } = signalbox(root, 'human', 'list')
    const digest = /--digest ([0-9a-f]{32})/.exec(out)![1]!
    expect(out).toContain(
      [
        'options, in the words of ann:',
        '  1  Yes',
        '  2  No',
        `to choose:     signalbox human answer ann --option 1 --digest ${digest}`,
        `to answer:     signalbox human answer ann --body TEXT --digest ${digest}`,
        `to let it go:  signalbox human approve ann --digest ${digest}`,
        '',
      ].join('\n'),
    )
    expect(answer('--option', '3')).toMatchObject({ exit: 2, err: expect.stringContaining('1 (Yes), 2 (No)') })
    expect(answer('--option', 'two')).toMatchObject({ exit: 2 })
    expect(answer('--option', '2', '--body', 'No')).toMatchObject({ exit: 2 })
    expect(answer()).toMatchObject({ exit: 2 })
    expect(answer('--option', '2', '--digest', digest)).toEqual({
      exit: 0,
      out: 'Answered ann: toybox/ann.txt\n',
      err: '',
    })
    expect(readdirSync(join(root, 'toybox'))).toEqual(['ann-answered.No'])
  })

  it('[X-recipient] tells the other protocols who has been seen', () => {
    const root = workspace()
    signalbox(root, 'acmq', 'create-mission', 'alpha')
    const send = (to: string) => signalbox(root, 'acmq', 'send', 'alpha', '--as', 'bea', '--to', to, '--body', 'Hello')
    expect(send('ann')).toMatchObject({ exit: 0, err: '' })
    expect(send('annn').err).toContain('Did you mean ann?')
  })

  it('is exported and imported', () => {
    const root = workspace()
    const [backup, other] = [tempDir(), tempDir()]
    expect(signalbox(root, 'export', backup)).toMatchObject({ exit: 0 })
    expect(readdirSync(join(backup, 'toybox'))).toEqual(['ann.txt'])
    expect(signalbox(other, 'import', backup)).toMatchObject({ exit: 0 })
    expect(readdirSync(join(other, 'toybox'))).toEqual(['ann.txt'])
  })

  it('has its chapter in the tour', () => {
    const { chapters } = JSON.parse(signalbox(tempDir(), 'demo', '--dir', 'tour', '--json').out)
    expect(chapters.at(-1)).toEqual({ name: 'toy', title: 'A toy', facts: { played: true } })
  })

  it('is a property of the library', async () => {
    const root = workspace()
    const { openWorkspace } = await import(join(copy, 'dist/index.js'))
    const opened = await openWorkspace({ root, environment: {} })
    const seen: string[] = []
    for await (const agent of (await opened.toy.neutral()).seen()) seen.push(agent)
    const { waiting } = await opened.human.list()
    await opened.close()
    expect(seen).toEqual(['ann'])
    expect(waiting).toMatchObject([{ id: 'ann', protocol: 'toy', options: ['Yes', 'No'] }])
  })

  it('is a part of its own in the program for Bun, where that is installed', () => {
    const isBunHere = existsSync(join(copy, 'dist/main-on-bun.js'))
    expect(existsSync(join(copy, 'dist/toy-on-bun.js'))).toBe(isBunHere)
  })
})

import { existsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { haveStrace, spawnChild, spawnProgram } from '../support/child.ts'
import { tempDir, withTempDir } from '../support/temp.ts'

describe('spawnChild', () => {
  it('runs a bundled program, with arguments, environment and folder', async () => {
    const cwd = tempDir()
    process.env.UNSET = 'there'
    const child = spawnChild('echo', ['tell', 'two words', ''], { cwd, env: { SET: 'yes', UNSET: undefined } })
    delete process.env.UNSET
    expect(await child.exited).toEqual({ code: 0, signal: null })
    expect(JSON.parse(child.stdout.join('\n'))).toEqual({ rest: ['two words', ''], set: 'yes', cwd })
    expect(child.stderr()).toBe('and on standard error\n')
    expect(child.kill()).toBe(false)
  })

  it('kills', async () => {
    const child = spawnChild('echo', ['wait'])
    expect(child.pid).toBeGreaterThan(1)
    expect(await child.nextLine()).toBe('ready')
    expect(child.kill()).toBe(true)
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' })
    expect(await child.nextLine()).toBeUndefined()
  })

  it('gives every line, once, to the end', async () => {
    const child = spawnChild('echo', ['count'])
    expect(await child.nextLine()).toBe('line 1')
    const lines: string[] = []
    for await (const line of child.lines()) lines.push(line)
    expect(lines).toEqual(Array.from({ length: 999 }, (_, at) => `line ${at + 2}`))
    expect(await child.exited).toEqual({ code: 3, signal: null })
    expect(child.stdout).toHaveLength(1000)
  })

  it('talks', async () => {
    const child = spawnChild('echo', ['echo'])
    child.say('hello')
    expect(await child.nextLine()).toBe('hello')
    child.say('again')
    expect(await child.nextLine()).toBe('again')
    child.kill('SIGTERM')
    expect(await child.exited).toEqual({ code: null, signal: 'SIGTERM' })
  })

  it('says what to do when the bundle is missing', () => {
    expect(() => spawnChild('nobody')).toThrow(
      'build/children/nobody.mjs is missing. Run the tests by npm test, which bundles test/**/nobody.child.ts.',
    )
  })

  it('a program that cannot be started is an error, not a hang', async () => {
    const child = spawnProgram(['/there/is/no/such/program'])
    await expect(child.exited).rejects.toThrow('ENOENT')
    expect(await child.nextLine()).toBeUndefined()
  })
})

it('haveStrace gives a reason exactly when strace is not to be had', () => {
  const { here, reason } = haveStrace()
  expect(reason === undefined).toBe(here)
})

describe('tempDir', () => {
  let early = ''
  beforeAll(() => {
    early = tempDir()
  })

  it('lies where temporary things lie, empty and new', () => {
    const one = tempDir()
    expect(basename(one)).toMatch(/^signalbox-/)
    expect(existsSync(join(tmpdir(), basename(one)))).toBe(true)
    expect(tempDir()).not.toBe(one)
  })

  it('lasts as long as the tests, wherever it was made', () => {
    expect(existsSync(early)).toBe(true)
    expect(dirname(early)).toBe(dirname(tempDir()))
  })

  it('can be lent for one call', async () => {
    let lent = ''
    const answer = await withTempDir(async (directory) => {
      lent = directory
      writeFileSync(join(directory, 'file'), '')
      return 7
    })
    expect(answer).toBe(7)
    expect(existsSync(lent)).toBe(false)
  })
})

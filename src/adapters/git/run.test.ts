import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../../test/support/temp.ts'
import { gitRunner } from './run.ts'

/** A program in the place of git. */
function standIn(script: string): { program: string; folder: string } {
  const folder = tempDir()
  const program = join(folder, 'git')
  writeFileSync(program, `#!/bin/sh\n${script}\n`)
  chmodSync(program, 0o755)
  return { program, folder }
}

/** One that has ended and that nobody has asked about yet is still listed, as `Z`. */
const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))

describe('running git', () => {
  it('passes arguments as they are, input and output as bytes', async () => {
    const { program, folder } = standIn('printf "%s|" "$@"; cat')
    const input = Buffer.from([0, 255, 10, 36])
    const answer = await gitRunner({ program })({ args: ['$(x)', '; ls', "'", ''], cwd: folder, input })
    expect(answer.bytes).toEqual(Buffer.concat([Buffer.from("$(x)|; ls|'||"), input]))
  })

  it('leaves variables behind that would lead git elsewhere', async () => {
    const { program, folder } = standIn('env')
    const environment = { PATH: process.env.PATH, GIT_DIR: '/elsewhere', GIT_INDEX_FILE: '/x', SECRET: 'y', HOME: '/h' }
    const answer = await gitRunner({ program, environment })({ args: [], cwd: folder, env: { GIT_WORK_TREE: '/w' } })
    const text = answer.bytes.toString()
    expect(text).not.toMatch(/elsewhere|GIT_INDEX_FILE|SECRET/)
    expect(text).toMatch(/^GIT_WORK_TREE=\/w$/m)
    expect(text).toMatch(/^HOME=\/h$/m)
    expect(text).toMatch(/^GIT_TERMINAL_PROMPT=0$/m)
  })

  it('ends a command that takes too long, with whatever it has started', async () => {
    const { program, folder } = standIn('sleep 100 & echo $! > pid; wait')
    const run = gitRunner({ program, timeLimitMs: 300 })
    await expect(run({ args: ['-c', 'a=b', 'add'], cwd: folder })).rejects.toMatchObject({
      code: 'GIT_TOO_SLOW',
      exit: 8,
      message: 'git add was ended after 0.3 s.',
    })
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'))
    expect(pid).toBeGreaterThan(1)
    expect(isAlive(pid)).toBe(false)
  })

  it('ends a command that prints without end', async () => {
    const { program, folder } = standIn('exec cat /dev/zero')
    const run = gitRunner({ program, mostBytes: 100_000 })
    await expect(run({ args: ['log'], cwd: folder })).rejects.toMatchObject({ code: 'GIT_TOO_MUCH', exit: 8 })
  })

  it('says what went wrong in git’s own words, made safe to print', async () => {
    const { program, folder } = standIn('printf "warning: x\\nfatal: no \\033[31mgood\\n" >&2; exit 128')
    await expect(gitRunner({ program })({ args: ['status'], cwd: folder })).rejects.toMatchObject({
      code: 'GIT_FAILED',
      exit: 8,
      message: 'git status failed: fatal: no \\x1b[31mgood',
    })
    const fine = await gitRunner({ program })({ args: ['status'], cwd: folder, fine: [128] })
    expect(fine.status).toBe(128)
  })

  it('says how to get git where there is none', async () => {
    const run = gitRunner({ program: 'no-such-git' })
    await expect(run({ args: ['status'], cwd: tempDir() })).rejects.toMatchObject({
      code: 'GIT_MISSING',
      exit: 8,
      hint: expect.stringContaining('apt install git'),
    })
  })

  it('bears a command that does not read its input', async () => {
    const { program, folder } = standIn('exit 0')
    const answer = await gitRunner({ program })({ args: [], cwd: folder, input: Buffer.alloc(10 * 2 ** 20) })
    expect(answer.status).toBe(0)
  })
})

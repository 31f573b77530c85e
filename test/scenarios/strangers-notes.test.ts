/** A workspace that came with somebody else's notes, as a user meets it: by the command line. */
import fs from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect } from 'vitest'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { quickCli } from './cli-program.ts'

let root: string
const engine = (...path: string[]) => join(root, '.signalbox/engine', ...path)
const unknown = '5-5-0_otherb_others-aaaaaa'
const run = (...words: string[]) => quickCli(words, { cwd: root })

function put(path: string, text: string): void {
  fs.mkdirSync(join(path, '..'), { recursive: true })
  fs.writeFileSync(path, text)
}

beforeEach(() => {
  root = join(tempDir(), 'team')
  fs.mkdirSync(root)
  expect(run('init').exit).toBe(0)
  expect(run('acmq', 'create-mission', 'alpha').exit).toBe(0)
})

verifies(['X-notes', 'X-doctor'], 'every command works beside them, and doctor tells until they are deleted', () => {
  for (const name of ['x', '1-2-3-4-5', `${unknown}-0`]) put(engine('moves', name), '{}\n')
  put(engine('leases', `${encodeURIComponent('ac-mq archive llm/missions/alpha/archive')}.json`), '')
  for (let n = 0; n < 64; n++) put(engine('locks', `lease-${n.toString(36)}`, 'lock.Infinity'), 'H-x 99999999999999\n')
  expect(run('doctor').out).toContain('STRANGE_ENGINE_FILE')
  const send = ['acmq', 'send', 'alpha', '--as', 'claude', '--to', 'gemini', '--id', 'one', '--body', 'hello']
  expect(run(...send).exit).toBe(0)
  expect(run('acmq', 'claim', 'alpha', '--as', 'gemini').exit).toBe(0)
  expect(run('acmq', 'complete', 'alpha', 'one', '--as', 'gemini', '--attempt', '1').exit).toBe(0)
  expect(run('acmq', 'archive', 'alpha', '--older-than', '0').exit).toBe(0)
  expect(run('doctor', '--fix').exit).toBe(1)
  const left = run('doctor')
  expect(left).toMatchObject({ exit: 1 })
  expect(left.out).toContain('SET_ASIDE')
  fs.rmSync(engine('set-aside'), { recursive: true })
  expect(run('doctor', '--fix', '--assume-gone').exit).toBe(0)
  fs.rmSync(engine('set-aside'), { recursive: true })
  expect(run('doctor').out).toContain('Nothing is out of order')
})

verifies(
  ['X-held', 'X-doctor'],
  'what a process of another machine left is finished when a person says that it is gone',
  () => {
    const own = join(root, 'llm/missions/alpha/queue/pending', `.own-${unknown}-0-x.md`)
    put(own, 'not a message, but somebody’s')
    expect(run('doctor', '--fix').out).toContain('UNKNOWN_HOLDER')
    expect(fs.existsSync(own)).toBe(true)
    run('doctor', '--fix', '--assume-gone')
    expect(fs.existsSync(own)).toBe(false)
  },
)

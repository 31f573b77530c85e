/** How many lines of source a cold command loads: it pays for each, and a reader may have to open it. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect } from 'vitest'
import { plainEnvironment } from '../scenarios/cli-program.ts'
import { repository, runtime } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

/** What must be there before, the command, and the lines that it may load. */
const commands: Readonly<Record<string, readonly [before: readonly string[], command: string, lines: number]>> = {
  'acmq send': [
    ['acmq create-mission alpha', 'acmq send alpha --from ann --to bob --body hello', 'acmq claim alpha --as bob'],
    'acmq send alpha --from ann --to bob --body hello',
    9_000,
  ],
  'circe claim': [
    ['circe init ann', 'circe init bob', 'circe send --from ann --to bob --intent inform --task T-1 --summary hello'],
    'circe claim bob',
    17_000,
  ],
  'dream mailbox next': [
    [
      'dream mailbox init 1',
      'dream mailbox claim --agent Worker',
      'dream mailbox send --mailbox 1 --command run --params {} --from Ann',
    ],
    'dream mailbox next --mailbox 1 --as Worker',
    17_700,
  ],
  'session say': [
    ['session say --session s --as Orchestrator #STATE:save:branch:main'],
    'session say --session s --as Orchestrator #LOCK:auth.ts',
    11_500,
  ],
  'mr receive': [
    ['mr init ann', 'mr init bob', 'mr send --from ann --to bob --type status-update --payload {"status":"completed"}'],
    'mr receive bob',
    14_300,
  ],
}

const root = tempDir()

function run(command: string, { log, options = [] }: { log: string; options?: readonly string[] }): void {
  const { status, stderr } = spawnSync(
    process.execPath,
    [...options, join(repository, 'src/main.ts'), ...command.split(' ')],
    { cwd: root, env: plainEnvironment({ SIGNALBOX_LOADED: log }), encoding: 'utf8' },
  )
  expect(status, stderr).toBe(0)
}

describe('a cold command loads little', () => {
  const onNode = runtime === 'bun' ? undefined : 'only Bun runs the sources as they are'
  beforeAll(() => {
    if (!onNode) for (const [before] of Object.values(commands)) for (const command of before) run(command, { log: '' })
  }, 60_000)

  for (const [name, [, command, most]] of Object.entries(commands)) {
    verifies.unless(onNode, 'X-cold', `${name} loads few lines`, () => {
      const log = join(tempDir(), 'loaded')
      run(command, { log, options: ['--preload', join(repository, 'scripts/loaded-modules.mjs')] })
      const loaded = readFileSync(log, 'utf8').trim().split('\n')
      const lines = loaded.map((path) => [readFileSync(path, 'utf8').split('\n').length - 1, path] as const)
      const total = lines.reduce((sum, [count]) => sum + count, 0)
      const largest = lines.sort(([a], [b]) => b - a).slice(0, 30)
      expect(
        total,
        largest.map(([count, path]) => `${count} ${path.slice(repository.length + 1)}`).join('\n'),
      ).toBeLessThanOrEqual(most)
      expect(total).toBeGreaterThan(3000)
    })
  }
})

/** The benchmark as a program. It is run for what it says, not for how fast anything is. */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

const script = join(import.meta.dirname, '../../scripts/bench.mjs')

interface Printed {
  readonly node: {
    readonly sections: {
      readonly title: string
      readonly figures: { against: string; ratio: number; goal?: object; met?: boolean }[]
      readonly notes: string[]
    }[]
  }
}

function bench(words: readonly string[], env: Record<string, string> = {}) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [script, '--quick', '--json', '--on=node', ...words], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(0)
  return (JSON.parse(stdout) as Printed).node.sections
}

describe('npm run bench', () => {
  verifies(['X-perf', 'AC-10.1'], 'prints ratios against bare calls, with goals and whether they are met', () => {
    const [section, ...others] = bench(['--only=engine'])
    expect(others).toEqual([])
    const judged = section!.figures.filter(({ against }) => against === 'a bare loop')
    expect(judged).toHaveLength(3)
    for (const { ratio, goal, met } of judged) {
      expect(ratio).toBeGreaterThan(0)
      expect(goal).toEqual({ atLeast: 0.85 })
      expect(met).toBe(ratio >= 0.85)
    }
  })

  verifies(['X-perf', 'AC-10.1'], 'names every neighbour that it cannot measure, and ends well', () => {
    const folder = tempDir()
    mkdirSync(join(folder, 'empty'))
    // Without programs on its path it can neither install nor start any.
    const [section] = bench(['--only=neighbours', '--peers'], {
      PATH: join(folder, 'empty'),
      SIGNALBOX_BENCH_CACHE: join(folder, 'cache'),
    })
    expect(section!.figures).toEqual([])
    const named = section!.notes.filter((note) => note.startsWith('Without '))
    expect(named.map((note) => /^Without (.*?): npm could not be started/.exec(note)?.[1])).toEqual([
      'BullMQ, Redis everysec',
      'NATS JetStream',
      'plainjob',
      'liteque',
      'BullMQ, Redis always',
      'graphile-worker',
      'pg-boss',
    ])
  })
})

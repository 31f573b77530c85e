import { readFileSync } from 'node:fs'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const readJson = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
const { version } = readJson('package.json')

/** Starts the files that take longest first, so that no core waits for the last one. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { files: durations } = readJson('test/durations.json') as { files: Record<string, number> }
    const durationOf = ({ moduleId }: TestSpecification) =>
      durations[moduleId.slice(this.ctx.config.root.length + 1)] ?? 0
    return (await super.sort(files)).sort((a, b) => durationOf(b) - durationOf(a))
  }
}

/** Pure parts: starting a process for each, and loading what all of them load, would take longer than they do. */
const together = [
  'src/**/*.test.ts',
  'packages/**/*.test.ts',
  'test/{golden,properties}/*.test.ts',
  'test/architecture/{acmq,counts,layers,shape,support}*.test.ts',
  'test/coverage.test.ts',
]

export default defineConfig({
  // Packages of our own are those of this tree, also where several work trees share one node_modules.
  resolve: { tsconfigPaths: true },
  define: { __SIGNALBOX_VERSION__: JSON.stringify(version) },
  test: {
    // Real processes: tests kill children, change limits and hold locks, which threads of one process would share.
    pool: 'forks',
    // One more than the cores we count on: many tests wait, for a server, for a lease, or for a process that is killed.
    maxWorkers: 3,
    // Only so that a test which hangs ends: far above what the slowest takes on a machine with other work.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    watch: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: { name: 'alone', include: ['test/**/*.test.ts'], exclude: [...configDefaults.exclude, ...together] },
      },
      {
        extends: true,
        test: { name: 'together', include: together, isolate: false, setupFiles: ['test/support/after-each-file.ts'] },
      },
    ],
  },
})

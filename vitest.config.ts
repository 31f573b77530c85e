import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))

export default defineConfig({
  define: { __SIGNALBOX_VERSION__: JSON.stringify(version) },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Real processes: tests kill children, change limits and hold locks, which threads of one process would share.
    pool: 'forks',
    maxWorkers: 2,
    // Only so that a test which hangs ends: far above what the slowest takes on a machine with other work.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    watch: false,
  },
})

/**
 * Starts real programs with a wrong clock: `Date` is shifted before they begin. Times of files stay right, as when a machine
 * with a wrong clock uses a disk of another.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CliOptions } from '../scenarios/cli-program.ts'
import { runtime } from './child.ts'
import { tempDir } from './temp.ts'

export const day = 24 * 60 * 60 * 1000

const program = `
  const RealDate = Date
  const by = Number(process.env.TEST_CLOCK_OFF_BY_MS)
  globalThis.Date = class extends RealDate {
    constructor(...parts) {
      if (parts.length === 0) super(RealDate.now() + by)
      else super(...parts)
    }
    static now() {
      return RealDate.now() + by
    }
  }
`

let file: string | undefined

/** Options that start a program with its clock so many milliseconds ahead, or behind. */
export function offBy(milliseconds: number): Required<Pick<CliOptions, 'env' | 'runtimeOptions'>> {
  file ??= join(tempDir(), 'wrong-clock.mjs')
  writeFileSync(file, program)
  return {
    env: { TEST_CLOCK_OFF_BY_MS: `${milliseconds}` },
    runtimeOptions: [runtime === 'bun' ? '--preload' : '--import', file],
  }
}

/**
 * Starts a command a few times from a small shell and answers what one start took. From a shell, because forking this large
 * process would be part of the figure, and because `times` tells the CPU time of children.
 */
import { runNow } from '../child.ts'

export interface Launched {
  /** Milliseconds. */
  readonly wall: number
  /** Milliseconds of CPU, user and system. */
  readonly cpu: number
}

export const runsEach = 5

export interface LaunchOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Starts in a row; `runsEach` unless given. */
  readonly runs?: number
  /** The file that gets what it prints. */
  readonly output?: string
}

const script = 'i=0; while [ $i -lt "$RUNS" ]; do "$@" >"$OUTPUT" || exit 1; i=$((i+1)); done; times'

export function launch(command: readonly string[], options: LaunchOptions): Launched {
  const { cwd, env, runs = runsEach, output = '/dev/null' } = options
  const since = performance.now()
  const printed = runNow('sh', ['-c', script, 'sh', ...command], {
    cwd,
    env: { ...process.env, ...env, RUNS: `${runs}`, OUTPUT: output },
  })
  const wall = (performance.now() - since) / runs
  return { wall, cpu: childrenCpu(printed) / runs }
}

/** The second line of `times`: `0m0.340000s 0m0.120000s`, user and system of the children. */
function childrenCpu(printed: string): number {
  const line = printed.trim().split('\n')[1] ?? ''
  let milliseconds = 0
  for (const [, minutes, seconds] of line.matchAll(/(\d+)m([\d.]+)s/g)) {
    milliseconds += Number(minutes) * 60_000 + Number(seconds) * 1000
  }
  return milliseconds
}

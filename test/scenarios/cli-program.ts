/** The built command line as a user starts it: a process of its own, with nothing of the test's environment. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../support/child.ts'

export const mainProgram = join(repository, 'dist/main.js')
const compiledProgram = join(repository, 'dist/main-on-bun.js')

/** The file that the launcher starts for these words on the runtime of this test. */
export function programFor([first = '']: readonly string[]): string {
  const isCompiled = process.versions.bun !== undefined && existsSync(compiledProgram)
  return isCompiled && !['version', '--version', '-V'].includes(first) ? compiledProgram : mainProgram
}

export interface CliOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** A command to run it under. */
  readonly under?: readonly string[]
  /** Options of the runtime itself. */
  readonly runtimeOptions?: readonly string[]
}

/** The variables a program needs to run at all; none of ours, and none that change colours. */
export function plainEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: process.env.HOME, TERM: 'xterm', ...more }
}

export function cli(
  words: readonly string[],
  { cwd = '/', env, input = '', under = [], runtimeOptions = [] }: CliOptions = {},
) {
  const [command = '', ...rest] = [...under, process.execPath, ...runtimeOptions, programFor(words), ...words]
  const { status, signal, stdout, stderr } = spawnSync(command, rest, {
    cwd,
    env: plainEnvironment(env),
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  return { exit: status ?? signal, out: stdout, err: stderr }
}

/** Runs with --json and reads the one document. */
export function cliJson(words: readonly string[], options?: CliOptions) {
  const { exit, out, err } = cli([...words, '--json'], options)
  return { exit, err, output: JSON.parse(out) }
}

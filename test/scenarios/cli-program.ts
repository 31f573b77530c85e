/** The built command line as a user starts it: a process of its own, with nothing of the test's environment. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { childProgram, repository, runtime } from '../support/child.ts'
import { expectDeclared } from '../support/declared.ts'
import { tempDir } from '../support/temp.ts'
import type { Answer, Line, Request } from './warm-cli.child.ts'

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

/** What the user of these tests has of their own: settings and keys, none to begin with. */
export const ownHome = tempDir()

/** The variables a program needs to run at all; none of ours, and none that change colours. */
export function plainEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: process.env.HOME, XDG_CONFIG_HOME: ownHome, TERM: 'xterm', ...more }
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

let warm: Line | undefined

/**
 * The same, where only what the command does matters: on Node in a thread that is there already. How the program itself
 * starts, prints and ends is proven by those that start it; on Bun, where starting is cheap, every command does.
 */
export function quickCli(
  words: readonly string[],
  options: CliOptions = {},
): Omit<Answer, 'exit'> & { exit: number | NodeJS.Signals | null } {
  const { cwd = '/', env, input = '', under, runtimeOptions } = options
  if (runtime === 'bun' || under || runtimeOptions) return cli(words, options)
  warm ??= warmUp()
  const request: Request = { words, cwd, env: plainEnvironment(env), input }
  warm.port.postMessage(request)
  // Until it says so: a call that wakes us may still be about the answer before.
  while (Atomics.load(warm.answered, 0) === 0) Atomics.wait(warm.answered, 0, 0)
  Atomics.store(warm.answered, 0, 0)
  return (receiveMessageOnPort(warm.port) as { message: Answer }).message
}

function warmUp(): Line {
  const { port1, port2 }: { port1: MessagePort; port2: MessagePort } = new MessageChannel()
  const answered = new Int32Array(new SharedArrayBuffer(4))
  const line: Line = { port: port2, answered }
  new Worker(childProgram('warm-cli'), { workerData: line, transferList: [port2] }).unref()
  port1.unref()
  return { port: port1, answered }
}

/** Runs with --json and reads the one document, which must be what its operation says that it answers. */
export function cliJson(words: readonly string[], options?: CliOptions, run: typeof cli | typeof quickCli = cli) {
  const { exit, out, err } = run([...words, '--json'], options)
  const output = JSON.parse(out)
  expectDeclared(words, output)
  return { exit, err, output }
}

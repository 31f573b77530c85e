/**
 * Real processes for tests. A child program is a file `test/…/NAME.child.ts`; `npm test` bundles it to
 * `build/children/NAME.mjs`, and it runs on the runtime that runs the test.
 *
 *   const child = spawnChild('mover', [root, '1000'])
 *   await child.nextLine()                 // it says `ready`
 *   child.kill()                           // SIGKILL
 *   expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' })
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

/** The root of the repository. */
export const repository = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

export const runtime: 'bun' | 'node' = 'bun' in process.versions ? 'bun' : 'node'

/**
 * On Node, while Bun does it too: whether a step that needs a process of its own may be left to Bun, which starts one in a
 * fifth of the time. `npm test -- --on=node`, `npm run soak` and a machine without Bun leave nothing out.
 */
export const mayLeaveToBun = runtime === 'node' && process.env.SIGNALBOX_TEST_ALONE === undefined

/** Plain `npm test`, which people wait for: whether a proof may take a part of its cases and leave the rest to `--all`. */
export const isShort = process.env.SIGNALBOX_TEST_SHORT !== undefined

export interface ChildOptions {
  /** Added to the environment of the test; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /** A command to run the program under, such as `['strace', '-f', '-o', file]`. */
  readonly under?: readonly string[]
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Child {
  readonly pid: number
  /** Sends a signal, SIGKILL unless told otherwise. False when the child had already ended. */
  kill(signal?: NodeJS.Signals): boolean
  /** Resolves when the child has ended and all its output has arrived. */
  readonly exited: Promise<Exit>
  /** The next line of standard output, or `undefined` after the last. */
  nextLine(): Promise<string | undefined>
  /** The next lines of standard output, as they come, to the end. */
  lines(): AsyncGenerator<string, void, void>
  /** Every line of standard output so far. */
  readonly stdout: readonly string[]
  /** Standard error so far. */
  stderr(): string
  /** Writes one line to the child's standard input. */
  say(line: string): void
}

/** The bundled program of a child. */
export function childProgram(name: string): string {
  const program = join(repository, 'build/children', `${name}.mjs`)
  if (!existsSync(program)) {
    throw new Error(
      `build/children/${name}.mjs is missing. Run the tests by npm test, which bundles test/**/${name}.child.ts.`,
    )
  }
  return program
}

/** Starts a child program. What still runs when the tests of the file are done is killed. */
export const spawnChild = (name: string, args: readonly string[] = [], options: ChildOptions = {}): Child =>
  spawnProgram([process.execPath, childProgram(name), ...args], options)

/** Starts any program, with the same handle. */
export function spawnProgram(command: readonly string[], { env, cwd, under = [] }: ChildOptions = {}): Child {
  const [program = '', ...args] = [...under, ...command]
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
  const { pid } = child
  running.add(child)
  // Tests may write to a child that was killed.
  child.stdin.on('error', () => {})

  const stdout: string[] = []
  let taken = 0
  let ended = false
  let stderr = ''
  let wake: () => void = () => {}
  let changed = new Promise<void>((resolve) => (wake = resolve))
  const announce = (): void => {
    wake()
    changed = new Promise<void>((resolve) => (wake = resolve))
  }

  const reader = createInterface({ input: child.stdout })
  const read = new Promise<void>((resolve) => reader.on('close', resolve))
  reader.on('line', (line) => {
    stdout.push(line)
    announce()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))

  const closed = new Promise<Exit>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal }))
  })
  const exited = closed
    .then(async (exit) => {
      await read
      return exit
    })
    .finally(() => {
      running.delete(child)
      ended = true
      announce()
    })
  // Avoid an unhandled rejection in tests that do not use `exited`.
  exited.catch(() => {})

  async function nextLine(): Promise<string | undefined> {
    while (taken >= stdout.length) {
      if (ended) return undefined
      await changed
    }
    return stdout[taken++]
  }

  return {
    pid: pid ?? -1,
    kill: (signal = 'SIGKILL') => child.kill(signal),
    exited,
    nextLine,
    async *lines() {
      for (let line = await nextLine(); line !== undefined; line = await nextLine()) yield line
    },
    stdout,
    stderr: () => stderr,
    say: (line) => void child.stdin.write(`${line}\n`),
  }
}

const running = new Set<ChildProcess>()
export const killAllChildren = (): void => {
  for (const child of running) child.kill('SIGKILL')
}
afterAll(killAllChildren)
process.on('exit', killAllChildren)

/** Whether strace works here, and if not, why: it may be missing, and containers may forbid tracing. */
export function haveStrace(): { readonly here: boolean; readonly reason: string | undefined } {
  const { error, status, stderr } = spawnSync('strace', ['-f', '-o', '/dev/null', 'true'], { encoding: 'utf8' })
  if (status === 0) return { here: true, reason: undefined }
  const missing = process.env.SIGNALBOX_WITHOUT_STRACE ?? 'strace is not installed'
  return { here: false, reason: error ? missing : `strace does not work here: ${stderr.trim().split('\n')[0]}` }
}

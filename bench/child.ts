/** Other programs that the benchmark starts. None outlives it. */
import { type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process'
import { inRepository } from './repository.ts'

/** Runs a program, blocking this one, and answers what it printed. */
export function runNow(program: string, args: readonly string[], options: SpawnSyncOptions = {}): string {
  const { stdout, stderr, status, signal } = spawnSync(program, args, { ...options, encoding: 'utf8' })
  // Ctrl-C is sent to both programs, but our own handler would only run later.
  if (signal === 'SIGINT' || signal === 'SIGTERM') process.exit(130)
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with status ${status}: ${stderr}`)
  return stdout
}

/** Runs a program made from a `*.child.ts`, in this runtime, and answers what it printed. */
export async function runChild(
  name: string,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const env = { ...process.env, ...environment }
  for (const [key, value] of Object.entries(env)) if (value === undefined) delete env[key]
  const child = spawn(process.execPath, [inRepository('build', 'bench', `${name}.mjs`), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const kill = () => child.kill('SIGKILL')
  // Before the folders are removed that it works in.
  process.prependOnceListener('exit', kill)
  try {
    let printed = ''
    for await (const piece of child.stdout) printed += piece
    const status = child.exitCode ?? (await new Promise((resolve) => child.once('close', resolve)))
    if (status !== 0) throw new Error(`${name} ended with status ${status}`)
    return printed
  } finally {
    process.off('exit', kill)
  }
}

/**
 * Runs a program from the settings: an argument list, never a shell. What it is to work on goes to its standard input.
 * It has a time limit, after which it and everything it started are ended, and its output is kept up to a bound.
 */
import type { ProgramEnd, ProgramRun } from '../kernel/outside.ts'

/** How long a program has to end by itself once it is asked to. */
const graceMs = 2000

export async function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  const { program, input, folder, timeMs, mostBytes, signal } = run
  const { spawn } = await import('node:child_process')
  const [name = '', ...rest] = program
  const start = () => spawn(name, rest, { cwd: folder, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  return new Promise((resolve) => {
    // A group of its own, so that what it starts can be ended with it.
    let child: ReturnType<typeof start>
    try {
      child = start()
    } catch (error) {
      // A NUL in an argument, which no system takes.
      return resolve({ outcome: 'not-started', reason: (error as Error).message })
    }
    const dismissGuard = guard(spawn, child.pid)
    const output = new Bounded(mostBytes)
    const errors = new Bounded(mostBytes)
    let why: 'time' | 'stopped' | undefined
    const end = (reason: 'time' | 'stopped') => {
      why ??= reason
      killGroup(child.pid, 'SIGTERM')
      setTimeout(() => killGroup(child.pid, 'SIGKILL'), graceMs).unref()
    }
    const timer = setTimeout(() => end('time'), timeMs)
    const stop = () => end('stopped')
    signal?.addEventListener('abort', stop)
    if (signal?.aborted) stop()
    const done = (ended: ProgramEnd) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      dismissGuard()
      resolve(ended)
    }
    child.stdout.on('data', (piece: Uint8Array) => output.add(piece))
    child.stderr.on('data', (piece: Uint8Array) => errors.add(piece))
    // A program need not read its input.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    child.on('error', (error) => done({ outcome: 'not-started', reason: error.message }))
    child.on('exit', (status, killedBy) => {
      // Whatever it left running belongs to the task, which is over, and would hold its output open.
      killGroup(child.pid, 'SIGKILL')
      const tell = () => {
        clearTimeout(late)
        child.stdout.destroy()
        child.stderr.destroy()
        const printed = { output: output.text(), errors: errors.text(), isCut: output.isCut }
        if (why !== undefined) done({ outcome: why === 'time' ? 'timeout' : 'stopped', ...printed })
        else done({ outcome: 'ended', status: status ?? 128, ...(killedBy ? { killedBy } : {}), ...printed })
      }
      // Wait for the end of its output, but not for long: a child that left the process group may hold it open.
      const late = setTimeout(tell, graceMs)
      child.once('close', tell)
    })
  })
}

/** Waits for the end of its input, then does what `runProgram` would have done. Its only argument is a number. */
const guarding = `read -r _; kill -s TERM -- "-$0"; sleep ${graceMs / 1000}; kill -s KILL -- "-$0"`

/**
 * A program must not outlive this process: a second attempt would run beside it. A process that is killed cannot end
 * anything, so a small shell beside it notices that the pipe between them has ended.
 */
function guard(spawn: typeof import('node:child_process').spawn, pid: number | undefined): () => void {
  if (pid === undefined) return () => {}
  const watcher = spawn('/bin/sh', ['-c', guarding, String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // Where there is no such shell, a program is ended by all other means.
  watcher.on('error', () => {})
  watcher.stdin.on('error', () => {})
  watcher.unref()
  return () => void watcher.kill('SIGKILL')
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // ESRCH: no process of the group is left.
  }
}

class Bounded {
  readonly #most: number
  readonly #pieces: Uint8Array[] = []
  #size = 0
  isCut = false

  constructor(most: number) {
    this.#most = most
  }

  add(piece: Uint8Array): void {
    const room = this.#most - this.#size
    if (piece.length > room) this.isCut = true
    if (room <= 0) return
    const kept = piece.subarray(0, room)
    this.#pieces.push(kept)
    this.#size += kept.length
  }

  text(): string {
    return new TextDecoder().decode(Buffer.concat(this.#pieces))
  }
}

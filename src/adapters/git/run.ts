/**
 * Runs git: an argument list and never a shell, an environment of our own making, bounded output and a time limit. The
 * command gets a process group of its own, which is ended as a whole when the time is over or this process ends.
 *
 * This function is all that the rest of the adapter knows of processes, so that a test can count its calls, let one fail, or
 * stop between two of them.
 */
import type { ChildProcess } from 'node:child_process'
import { type SignalboxError, unavailable } from '../../kernel/errors.ts'
import { printableLine } from '../../kernel/printable.ts'

export interface GitCall {
  readonly args: readonly string[]
  readonly cwd: string
  /** Added to the few variables that are passed on. */
  readonly env?: Readonly<Record<string, string>>
  readonly input?: Uint8Array
  /** Exit statuses besides 0 that are an answer and no failure. */
  readonly fine?: readonly number[]
}

export interface GitAnswer {
  readonly status: number
  readonly bytes: Buffer
  /** What it said on standard error; at most the first 64 KB. */
  readonly complaint: string
}

export type Git = (call: GitCall) => Promise<GitAnswer>

/** What it prints, without the line end. */
export const outputLine = async (git: Git, call: GitCall): Promise<string> => (await git(call)).bytes.toString().trim()

interface GitOptions {
  readonly program?: string
  readonly timeLimitMs?: number
  readonly mostBytes?: number
  /** Where the few variables come from. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

/** The rest stays behind: `GIT_DIR`, `GIT_INDEX_FILE` and others would lead git to another repository. */
const passedOn = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'TMPDIR', 'SystemRoot']

const fixed = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  // Asking must not write to the user's index.
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_PAGER: 'cat',
}

const mostComplaint = 64 * 1024
const graceMs = 2000

export function gitRunner(options: GitOptions = {}): Git {
  const { program = 'git', timeLimitMs = 300_000, mostBytes = 512 * 2 ** 20, environment = process.env } = options
  const base = Object.fromEntries(
    passedOn.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  )
  return async ({ args, cwd, env, input, fine = [] }) => {
    const { spawn } = await import('node:child_process')
    const child = spawn(program, args, { cwd, env: { ...base, ...fixed, ...env }, detached: true, stdio: 'pipe' })
    const ended = new Promise<{ status: number | null; signal: string | null }>((resolve, reject) => {
      child.on('error', (error) => reject(notStarted(error, program)))
      child.on('close', (status, signal) => resolve({ status, signal }))
    })
    const stop = watchOver(child)
    const chunks: Buffer[] = []
    let [size, complaint] = [0, '']
    let cutShort: SignalboxError | undefined
    const cut = (error: SignalboxError): void => {
      if (cutShort) return
      cutShort = error
      stop('SIGTERM')
      setTimeout(() => stop('SIGKILL'), graceMs).unref()
    }
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > mostBytes) cut(tooMuch(args, mostBytes))
      else chunks.push(chunk)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (complaint.length < mostComplaint) complaint = (complaint + text).slice(0, mostComplaint)
    })
    // A git that ended early does not read its input; its exit status tells why.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    const timer = setTimeout(() => cut(tooSlow(args, timeLimitMs)), timeLimitMs)
    try {
      const { status, signal } = await ended
      if (cutShort) throw cutShort
      if (status !== null && (status === 0 || fine.includes(status)))
        return { status, bytes: Buffer.concat(chunks), complaint }
      throw failed(args, status === null ? `it was ended by ${signal}` : complaint, status)
    } finally {
      clearTimeout(timer)
      running.delete(stop)
    }
  }
}

type Stop = (signal: 'SIGTERM' | 'SIGKILL') => void

const running = new Set<Stop>()
let isWatching = false

/** What ends a command with everything it has started. Whatever still runs when this process ends, ends with it. */
function watchOver(child: ChildProcess): Stop {
  const stop: Stop = (signal) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    try {
      process.kill(-child.pid, signal)
    } catch {
      // ESRCH: it ended by itself in this instant.
    }
  }
  running.add(stop)
  if (!isWatching) {
    isWatching = true
    process.on('exit', () => {
      for (const each of running) each('SIGTERM')
    })
  }
  return stop
}

const nameOf = (args: readonly string[]): string => {
  let at = 0
  while (args[at] === '-c') at += 2
  return `git ${args[at] ?? ''}`
}

function notStarted(error: NodeJS.ErrnoException, program: string): SignalboxError {
  if (error.code !== 'ENOENT')
    return unavailable('GIT_NOT_STARTED', `${program} could not be started: ${error.code ?? error.message}.`, {
      hint: 'Check that it may be run by this user, then repeat the command.',
      cause: error,
    })
  return unavailable('GIT_MISSING', 'git is not installed, and checkpoints are kept in git.', {
    hint: 'Install git 2.30 or later (apt install git, brew install git, https://git-scm.com), then repeat the command.',
    cause: error,
  })
}

/** `details.status` and `details.complaint` are for the adapter, which knows some of the reasons. */
const failed = (args: readonly string[], complaint: string, status: number | null): SignalboxError =>
  unavailable('GIT_FAILED', `${nameOf(args)} failed: ${printableLine(firstLine(complaint))}`, {
    hint:
      status === 129
        ? 'It does not know an option: git 2.30 or later is needed.'
        : 'Nothing was changed by this step. Put right what git complains about, then repeat the command.',
    details: { status, complaint: complaint.slice(0, 1000) },
  })

const firstLine = (text: string): string =>
  text.split('\n').find((line) => /^(fatal|error)/.test(line)) ?? text.split('\n')[0] ?? ''

const tooSlow = (args: readonly string[], ms: number): SignalboxError =>
  unavailable('GIT_TOO_SLOW', `${nameOf(args)} was ended after ${ms / 1000} s.`, {
    hint: 'Look whether the disk is slow or another program holds the repository, then repeat the command.',
  })

const tooMuch = (args: readonly string[], bytes: number): SignalboxError =>
  unavailable('GIT_TOO_MUCH', `${nameOf(args)} was ended after it had printed ${bytes} bytes.`, {
    hint: 'Keep folders with very many files out of git by .gitignore, then repeat the command.',
  })

/** Starts a server and ends it with the benchmark. Only this machine can reach it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { connect, type NetConnectOpts } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { reasonOf, Unavailable } from '../unavailable.ts'

export interface Server {
  /** Its name and version. */
  readonly name: string
  /** Where clients find it: a socket, a folder of sockets, or an address. */
  readonly address: string
  stop(): Promise<void>
}

export interface Start {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly user?: { readonly uid: number; readonly gid: number }
  /** Ends it at once, whatever it is doing; its files are thrown away. */
  readonly signal: NodeJS.Signals
  /** Its address; `undefined` until it is known. */
  readonly place: (child: ChildProcess) => NetConnectOpts | undefined
}

const patienceMs = 30_000

/** Starts it and waits until it answers. If it does not, throws `Unavailable` with what it printed. */
export async function startServer(start: Start): Promise<{ place: NetConnectOpts; stop(): Promise<void> }> {
  const { name, command, args, env, cwd, user, signal } = start
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2000)
    })
  }
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()).once('error', () => resolve()))
  let failed: unknown
  child.once('error', (error) => {
    failed = error
  })
  // Before the folders are removed that it works in.
  const end = () => child.kill(signal)
  process.prependOnceListener('exit', end)
  const stop = async () => {
    end()
    await ended
    process.off('exit', end)
  }

  for (const deadline = performance.now() + patienceMs; performance.now() < deadline; await pause(20)) {
    if (failed) throw new Unavailable(`${name} could not be started: ${reasonOf(failed)}`)
    if (child.exitCode !== null) {
      process.off('exit', end)
      throw new Unavailable(`${name} ended at once: ${said.trim().split('\n').at(-1) ?? ''}`)
    }
    const place = start.place(child)
    if (place && (await answers(place))) return { place, stop }
  }
  await stop()
  throw new Unavailable(`${name} did not answer within ${patienceMs / 1000} seconds`)
}

const answers = (place: NetConnectOpts): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(place)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

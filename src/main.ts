/**
 * The program: wires the command line to this machine. Nothing is loaded here before a command needs it: on Bun,
 * `node:fs` alone takes as long as starting does, and so does reading the rest of our own code.
 */
import type { Host } from './surfaces/cli/run.ts'

/** Put in by the build; running from source there is none. */
declare const __SIGNALBOX_VERSION__: string | undefined

const { bun, node } = process.versions
const about = {
  version: typeof __SIGNALBOX_VERSION__ === 'string' ? __SIGNALBOX_VERSION__ : '0.0.0-dev',
  runtime: bun === undefined ? `node ${node}` : `bun ${bun}`,
}

/** In bytes. */
const largestPackageFile = 64 * 1024 * 1024

const words = process.argv.slice(2)
// Set by the launcher. Removed, because programs that this one starts are not started by that launcher.
const startedAs = process.env.SIGNALBOX_STARTED_AS
delete process.env.SIGNALBOX_STARTED_AS
let usesStreams = false
const ways = ['version', '--version', '-V']
const asJson = words.includes('--json')

// `version` by itself is answered here, without loading anything else. With any other words the operation `version` answers;
// a test checks that both answers are the same.
if (words.length === (asJson ? 2 : 1) && words.some((word) => ways.includes(word))) {
  console.log(asJson ? JSON.stringify({ outcome: 'told', ...about }) : `signalbox ${about.version} (${about.runtime})`)
} else {
  // Kept if the event loop runs empty before the command is done: that is no success.
  process.exitCode = 70
  // Not awaited here: compiled ahead for Bun, this file is a script, and those cannot wait at the top.
  runProgram().then((status) => {
    // What Bun does before it ends by itself, such as collecting garbage, takes up to 3 ms. Streams have to be flushed.
    if (usesStreams) process.exitCode = status
    else process.exit(status)
  })
}

async function runProgram(): Promise<number> {
  const [outside, { runCommandLine, tellFailure }, { systemClock }] = await Promise.all([
    import('./engines/file-system/outside.ts'),
    import('./surfaces/cli/run.ts'),
    import('./kernel/clock.ts'),
  ])
  const host: Host = {
    about,
    startedAs,
    terminal: {
      out: (text) => outside.print(1, text),
      err: (text) => outside.print(2, text),
      streams: () => ({ out: outside.terminalOf(1), err: outside.terminalOf(2) }),
    },
    environment: process.env,
    clock: systemClock,
    outside,
    engines: {
      files: async (options) => (await import('./engines/file-system/index.ts')).openFileTree(options),
      etcd: async (options) => (await import('./engines/etcd/index.ts')).openEtcdTree(options),
      etcdHealth: async (options) => (await import('./engines/etcd/index.ts')).etcdHealth(options),
    },
    packageFile: (path) =>
      outside.readBytes(outside.resolve(process.argv[1] ?? '.', `../../${path}`), largestPackageFile),
    async startSelf(others) {
      const { spawn } = await import('node:child_process')
      const program = process.argv[1] ?? ''
      spawn(process.execPath, [program, ...others], { detached: true, stdio: 'ignore' })
        .on('error', () => {})
        .unref()
    },
    streams() {
      usesStreams = true
      return { input: process.stdin, output: process.stdout }
    },
    stopSignal() {
      const stop = new AbortController()
      // Once each: a second signal ends the program at once.
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(signal))
      return stop.signal
    },
    benchmark: (forProgram) => {
      const checkout = outside.resolve(process.argv[1] ?? '.', '../..')
      if (outside.kindOf(outside.resolve(checkout, 'bench/main.ts')) !== 'file') return undefined
      return (extra) => runBenchmark(outside.resolve(checkout, 'scripts/bench.mjs'), extra, forProgram)
    },
  }
  // What goes wrong outside of any call, in a timer or a watcher, is told the same way as everything else.
  process.on('uncaughtException', (error) => process.exit(tellFailure(error, words, host)))
  return runCommandLine(words, host)
}

/** Prints as it goes for people. A program gets the figures: as JSON if the benchmark speaks it, else as text. */
async function runBenchmark(script: string, extra: readonly string[], forProgram: boolean) {
  const { spawn } = await import('node:child_process')
  // The scripts of the repository are for Node; they find Bun by themselves.
  const program = bun === undefined ? process.execPath : 'node'
  // The launcher sets it for commands that end at once. The benchmark must run without it.
  delete process.env.BUN_JSC_thresholdForJITAfterWarmUp
  const child = spawn(program, [script, ...extra, ...(forProgram ? ['--json'] : [])], {
    stdio: ['ignore', forProgram ? 'pipe' : 'inherit', 'inherit'],
  })
  let printed = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const exit = await new Promise<number>((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve(code ?? 1))
  })
  return forProgram ? { exit, figures: fromJson(printed) } : { exit }
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A SyntaxError: it is text for people, which is better than nothing.
    return text
  }
}

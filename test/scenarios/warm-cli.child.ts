/**
 * The command line in a thread that stays: on Node starting takes a hundred times as long as a command does. Each
 * request is one command with its own directory, variables and input; the thread that asks waits for the answer.
 */
import { fileURLToPath } from 'node:url'
import { isMainThread, type MessagePort, workerData } from 'node:worker_threads'
import { etcdHealth, openEtcdTree } from '../../src/engines/etcd/index.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import * as outside from '../../src/engines/file-system/outside.ts'
import { runCommandLine } from '../../src/surfaces/cli/run.ts'

export interface Request {
  readonly words: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly input: string
}

export interface Answer {
  readonly exit: number
  readonly out: string
  readonly err: string
}

/** What the two threads share: the port, and a cell that is 1 while an answer waits. */
export interface Line {
  readonly port: MessagePort
  readonly answered: Int32Array
}

async function run({ words, cwd, env, input }: Request): Promise<Answer> {
  const printed = { out: '', err: '' }
  const noTerminal = { isTerminal: false, columns: 80 }
  const at = (path: string) => outside.resolve(cwd, path)
  const exit = await runCommandLine(words, {
    about: { version: '0.0.0-warm', runtime: 'node' },
    terminal: {
      out: (text) => void (printed.out += text),
      err: (text) => void (printed.err += text),
      streams: () => ({ out: noTerminal, err: noTerminal }),
    },
    environment: env,
    clock: { now: () => Date.now() },
    outside: {
      ...outside,
      currentFolder: () => cwd,
      kindOf: (path) => outside.kindOf(at(path)),
      readText: (path, atMost) => outside.readText(at(path), atMost),
      readBytes: (path, atMost) => outside.readBytes(at(path), atMost),
      readStandardInput: () => input,
    },
    engines: { files: (options) => openFileTree(options), etcd: openEtcdTree, etcdHealth },
    // This file is bundled into `build/children/`.
    packageFile: (path) =>
      outside.readBytes(outside.resolve(fileURLToPath(import.meta.url), `../../../${path}`), 2 ** 26),
    stopSignal: () => new AbortController().signal,
    benchmark: () => undefined,
  })
  return { exit, ...printed }
}

if (!isMainThread) {
  const { port, answered } = workerData as Line
  port.on('message', async (request: Request) => {
    port.postMessage(await run(request))
    Atomics.store(answered, 0, 1)
    Atomics.notify(answered, 0)
  })
}

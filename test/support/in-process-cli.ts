/** A command line in the process that asks for it: what it prints and how it ends, with a directory and variables of its own. */
import { fileURLToPath } from 'node:url'
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

export async function runHere({ words, cwd, env, input }: Request): Promise<Answer> {
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
    // From `test/support/`, and from `build/children/`, into which it is bundled.
    packageFile: (path) =>
      outside.readBytes(outside.resolve(fileURLToPath(import.meta.url), `../../../${path}`), 2 ** 26),
    stopSignal: () => new AbortController().signal,
    benchmark: () => undefined,
  })
  return { exit, ...printed }
}

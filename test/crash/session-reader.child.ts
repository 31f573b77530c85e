/**
 * Runs a command that reads what was sent in a session, and kills itself before change number `killAt`; 0 goes to the end and
 * tells the number of changes on standard error. `session-reader ROOT KILL_AT WORDS…`
 */
import { PassThrough } from 'node:stream'
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import * as outside from '../../src/engines/file-system/outside.ts'
import { runCommandLine } from '../../src/surfaces/cli/run.ts'
import { isChange, steppingDisk } from '../support/stepping-disk.ts'

const [root = '', killAt = '0', ...words] = process.argv.slice(2)
let changes = 0
const disk = steppingDisk(realDisk(), (step, values, call) => {
  if (isChange(step, values) && ++changes === Number(killAt)) process.kill(process.pid, 'SIGKILL')
  return call()
})
const noTerminal = { isTerminal: false, columns: 80 }
const input = new PassThrough()
const none = async () => {
  throw new Error('only files')
}
await runCommandLine(words, {
  about: { version: '0.0.0', runtime: 'test' },
  terminal: {
    out(text) {
      const isPrinted = outside.print(1, text)
      // The last message has come: what speaks to us ends.
      if (text.includes('three')) input.end()
      return isPrinted
    },
    err: (text) => outside.print(2, text),
    streams: () => ({ out: noTerminal, err: noTerminal }),
  },
  environment: {},
  clock: { now: () => Date.now() },
  outside: { ...outside, currentFolder: () => root },
  engines: { files: (options) => openFileTree({ ...options, disk }), etcd: none, etcdHealth: none },
  streams: () => ({ input, output: process.stdout }),
  stopSignal: () => new AbortController().signal,
  benchmark: () => undefined,
})
if (killAt === '0') console.error(changes)

/**
 * The same system calls as the engine's, in the same runtime, and nothing else: prepared paths, one buffer, no checks. With the
 * rename that never replaces, if the runtime can call it; otherwise with link and unlink to send, and with `lstat` of the
 * target before a rename.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { loadCalls } from '../../src/engines/file-system/native.ts'
import { type Calls, type Contender, processorTime, processorTimeEach, type Round } from './contender.ts'
import { completed, message, nameOfMessage, processing, queueOf, statusAt } from './message.ts'

const { O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = fs.constants
const creating = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
const changing = O_RDWR | O_NOFOLLOW | O_NONBLOCK
const quiet = { throwIfNoEntry: false } as const
const buffer = Buffer.alloc(4096)

/**
 * By `absolute` paths, as anybody would write it; or by paths that begin at an open folder (`/proc/123/fd/7/name`), as the
 * engine does to be safe from links if it has no native calls. With native calls it passes the descriptor itself.
 */
export async function openBare(root: string, paths: 'absolute' | 'descriptor'): Promise<Contender> {
  const renameNew = loadRenameNew()
  // send: open, write, close, and renameat2 or link + unlink. claim: open, read, (lstat), rename, write, close.
  const calls = renameNew ? callsOf(4, 5) : callsOf(5, 6)
  const name = paths === 'absolute' ? 'a bare loop' : 'the same, by descriptor'
  const prefixOf = paths === 'absolute' ? (folder: string) => `${folder}/` : descriptorOf
  return { name, countCalls: () => calls, prepare: (round, count) => prepare(root, round, count, prefixOf, renameNew) }
}

export const callsOf = (send: number, claim: number): Calls => ({
  send,
  claim,
  lifecycle: send + claim + claim,
})

/** Not closed before the benchmark ends: they are only a few folders a round. */
const descriptorOf = (folder: string) =>
  `/proc/${fs.readlinkSync('/proc/self')}/fd/${fs.openSync(folder, fs.constants.O_DIRECTORY)}/`

function prepare(
  root: string,
  round: number,
  count: number,
  prefixOf: (folder: string) => string,
  renameNew: RenameNew | undefined,
): Round {
  const paths = (folder: string) => {
    fs.mkdirSync(join(root, folder), { recursive: true, mode: 0o700 })
    const prefix = prefixOf(join(root, folder))
    return Array.from({ length: count * 2 }, (_, i) => prefix + nameOfMessage(i))
  }
  const drafts = paths('.signalbox/engine/tmp')
  const [pending, taken, done] = ['pending', 'processing', 'completed'].map((state) =>
    paths(`${queueOf(round)}/${state}`),
  )
  const { send, claim, complete } = renameNew
    ? withRenameNew(renameNew, drafts, pending!, taken!, done!)
    : withLinks(drafts, pending!, taken!, done!)

  return {
    send: () => {
      const since = processorTime()
      for (let i = 0; i < count; i++) send(i)
      return processorTimeEach(since, count)
    },
    claim: () => {
      const since = processorTime()
      for (let i = 0; i < count; i++) claim(i)
      return processorTimeEach(since, count)
    },
    lifecycle: () => {
      const since = processorTime()
      for (let i = count; i < count * 2; i++) {
        send(i)
        claim(i)
        complete(i)
      }
      return processorTimeEach(since, count)
    },
  }
}

function write(draft: string): void {
  const fd = fs.openSync(draft, creating, 0o600)
  fs.writeSync(fd, message, 0, message.length, null)
  fs.closeSync(fd)
}

type Paths = readonly string[]

function moveLooking(from: string, to: string, status: Buffer): void {
  const fd = fs.openSync(from, changing)
  fs.readSync(fd, buffer, 0, 4096, 0)
  const at = statusAt(buffer)
  if (fs.lstatSync(to, quiet)) throw new Error('taken')
  fs.renameSync(from, to)
  fs.writeSync(fd, status, 0, status.length, at)
  fs.closeSync(fd)
}

function moveNew(renameNew: RenameNew, from: string, to: string, status: Buffer): void {
  const fd = fs.openSync(from, changing)
  fs.readSync(fd, buffer, 0, 4096, 0)
  const at = statusAt(buffer)
  if (renameNew(from, to) !== 0) throw new Error('rename failed')
  fs.writeSync(fd, status, 0, status.length, at)
  fs.closeSync(fd)
}

/** One such move, of any file. */
export async function moveBare(): Promise<(from: string, to: string, status: Buffer) => void> {
  const renameNew = loadRenameNew()
  if (!renameNew) return moveLooking
  return (from, to, status) => moveNew(renameNew, from, to, status)
}

function withLinks(drafts: Paths, pending: Paths, taken: Paths, done: Paths) {
  return {
    send: (i: number) => {
      write(drafts[i]!)
      fs.linkSync(drafts[i]!, pending[i]!)
      fs.unlinkSync(drafts[i]!)
    },
    claim: (i: number) => moveLooking(pending[i]!, taken[i]!, processing),
    complete: (i: number) => moveLooking(taken[i]!, done[i]!, completed),
  }
}

function withRenameNew(renameNew: RenameNew, drafts: Paths, pending: Paths, taken: Paths, done: Paths) {
  return {
    send: (i: number) => {
      write(drafts[i]!)
      if (renameNew(drafts[i]!, pending[i]!) !== 0) throw new Error('rename failed')
    },
    claim: (i: number) => moveNew(renameNew, pending[i]!, taken[i]!, processing),
    complete: (i: number) => moveNew(renameNew, taken[i]!, done[i]!, completed),
  }
}

type RenameNew = (from: string, to: string) => number

function loadRenameNew(): RenameNew | undefined {
  const calls = loadCalls()
  if (!calls) return undefined
  // One buffer for all names: otherwise the garbage collector would run while others are measured.
  const [from, to] = [Buffer.alloc(4096), Buffer.alloc(4096)]
  const [fromAddress, toAddress] = [calls.addressOf(from), calls.addressOf(to)]
  return (source, target) => {
    from[from.write(source)] = 0
    to[to.write(target)] = 0
    return calls.renameat2(-100, fromAddress, -100, toAddress, 1) // AT_FDCWD, RENAME_NOREPLACE
  }
}

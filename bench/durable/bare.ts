/**
 * Durable sends without the engine. One by one, to show that `full` is not slow, which would make `batch` look good; and in
 * batches, to show the best that batches can do on this disk.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { microsecondsEach } from '../steps/contender.ts'
import { message, nameOfMessage } from '../steps/message.ts'
import { inFlight } from './in-flight.ts'

export function sendBareFull(root: string, round: number, count: number): number {
  const { drafts, pending, directory } = foldersIn(root, `full-${round}`)
  const since = performance.now()
  for (let i = 0; i < count; i++) {
    const draft = join(drafts, nameOfMessage(i))
    const fd = write(draft)
    fs.fdatasyncSync(fd)
    fs.closeSync(fd)
    fs.renameSync(draft, join(pending, nameOfMessage(i)))
    fs.fsyncSync(directory)
  }
  const each = microsecondsEach(since, count)
  fs.closeSync(directory)
  return each
}

/** Flushes many files at the same time. After a file is in its place, it waits for the next flush of the folder. */
export async function sendBareBatch(root: string, round: number, count: number): Promise<number> {
  const { drafts, pending, directory } = foldersIn(root, `batch-${round}`)
  let running = Promise.resolve()
  let next: Promise<void> | undefined
  const folderFlushed = () => {
    next ??= running.then(() => {
      next = undefined
      running = later(fs.fsync, directory)
      return running
    })
    return next
  }
  let sent = 0
  const sender = async () => {
    while (sent < count) {
      const name = nameOfMessage(sent++)
      const fd = write(join(drafts, name))
      await later(fs.fdatasync, fd)
      fs.closeSync(fd)
      fs.renameSync(join(drafts, name), join(pending, name))
      await folderFlushed()
    }
  }
  const since = performance.now()
  await Promise.all(Array.from({ length: inFlight }, sender))
  const each = microsecondsEach(since, count)
  fs.closeSync(directory)
  return each
}

/** Makes files without flushing: how fast this disk makes files right now. */
export function makeOnly(root: string, round: number, count: number): number {
  const { drafts, directory } = foldersIn(root, `making-${round}`)
  const since = performance.now()
  for (let i = 0; i < count; i++) fs.closeSync(write(join(drafts, nameOfMessage(i))))
  const each = microsecondsEach(since, count)
  fs.closeSync(directory)
  return each
}

function foldersIn(root: string, name: string) {
  const [drafts, pending] = [join(root, name, 'tmp'), join(root, name, 'pending')]
  for (const path of [drafts, pending]) fs.mkdirSync(path, { recursive: true })
  return { drafts, pending, directory: fs.openSync(pending, fs.constants.O_RDONLY) }
}

function write(path: string): number {
  const fd = fs.openSync(path, 'wx', 0o600)
  fs.writeSync(fd, message, 0, message.length, null)
  return fd
}

const later = (flush: (fd: number, done: (error: Error | null) => void) => void, fd: number) =>
  new Promise<void>((resolve, reject) => flush(fd, (error) => (error ? reject(error) : resolve())))

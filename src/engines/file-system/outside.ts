/**
 * Files and streams outside the tree: the directory a command runs in, files a person names, standard input and output.
 * Reads are limited in size, and every failure is explained.
 */
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, resolve } from 'node:path'
import { invalidInput, unavailable } from '../../kernel/errors.ts'
import type { SettingsFound } from '../../kernel/outside.ts'
import type { PlainFiles } from '../../kernel/plain-files.ts'
import { codeOf } from './disk.ts'
import { explain } from './failures.ts'

export function currentFolder(): string {
  try {
    return process.cwd()
  } catch (error) {
    throw unavailable('NO_CURRENT_DIRECTORY', 'The current directory is not there any more.', {
      hint: 'Change to a directory that exists, then repeat the command.',
      cause: error,
    })
  }
}

export { resolve }

export function kindOf(path: string): 'file' | 'folder' | 'other' | undefined {
  try {
    const found = statSync(path)
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other'
  } catch (error) {
    // Counts as absent; a later attempt to read it tells the reason.
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}

/** Checks a link and its target: any user can make a link to a file of ours. */
export function isTrusted(path: string): boolean {
  return [lstatSync, statSync].every((look) => isOwn(look(path, { throwIfNoEntry: false })?.uid))
}

function isOwn(owner: number | undefined): boolean {
  const user = process.getuid?.()
  return user === undefined || owner === undefined || owner === user || owner === 0
}

export function isPrivate(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined || (found.mode & 0o077) === 0
}

export function mayRead(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK)
    return true
  } catch (error) {
    if (codeOf(error) === 'EACCES') return false
    throw explain(error, folder)
  }
}

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    throw explain(error, folder)
  }
}

export function readText(path: string, atMost: number): string | undefined {
  const bytes = readBytes(path, atMost)
  return bytes && decode(bytes, path, { isExact: true })
}

export function readBytes(path: string, atMost: number): Uint8Array | undefined {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw explain(error, path)
  }
  try {
    if (fstatSync(descriptor).isDirectory()) {
      throw invalidInput('NOT_A_FILE', `${path} is a directory; a file is needed.`, { details: { path } })
    }
    return readToEnd(descriptor, atMost, path)
  } catch (error) {
    throw explain(error, path)
  } finally {
    closeSync(descriptor)
  }
}

/** Opens the file before checking it, so that it cannot be exchanged in between. */
export function readSettings(
  path: string,
  { atMost, links }: { readonly atMost: number; readonly links: boolean },
): SettingsFound | undefined {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | (links ? 0 : constants.O_NOFOLLOW))
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ELOOP') return { kind: 'link' }
    // A socket, or a device without a driver.
    if (code === 'ENXIO') return { kind: 'other' }
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw explain(error, path)
  }
  try {
    const found = fstatSync(descriptor)
    if (!found.isFile()) return { kind: 'other' }
    const text = decode(readToEnd(descriptor, atMost, path), path)
    const mayOthersWrite = (found.mode & 0o022) !== 0
    return { kind: 'file', text, isOwn: isOwn(found.uid), mayOthersWrite, names: found.nlink }
  } catch (error) {
    throw explain(error, path)
  } finally {
    closeSync(descriptor)
  }
}

export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw explain(error, path)
    const above = resolve(path, '..')
    return above === path ? path : resolve(realPath(above), basename(path))
  }
}

export const readStandardInput = (atMost: number): string =>
  decode(readToEnd(0, atMost, 'standard input'), 'standard input', { isExact: true })

function readToEnd(descriptor: number, atMost: number, where: string): Uint8Array {
  const pieces: Uint8Array[] = []
  let size = 0
  for (;;) {
    const piece = new Uint8Array(64 * 1024)
    const count = readWhenReady(descriptor, piece, where)
    if (count === 0) break
    size += count
    if (size > atMost) {
      throw invalidInput('TOO_LONG', `There are more than ${atMost} bytes in ${where}.`, {
        hint: 'Send something shorter, and point to the rest by its path.',
        details: { where, atMost },
      })
    }
    pieces.push(piece.subarray(0, count))
  }
  return Buffer.concat(pieces)
}

function readWhenReady(descriptor: number, piece: Uint8Array, where: string): number {
  for (;;) {
    try {
      return readSync(descriptor, piece)
    } catch (error) {
      const code = codeOf(error)
      if (code === 'EOF') return 0
      // Standard input may be a pipe or terminal that another program made non-blocking.
      if (code !== 'EAGAIN') throw explain(error, where)
      pause()
    }
  }
}

/** `isExact`: with its byte-order mark. */
function decode(bytes: Uint8Array, where: string, { isExact = false } = {}): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: isExact }).decode(bytes)
  } catch (error) {
    throw invalidInput('NOT_UTF8', `Not UTF-8 text: ${where}.`, {
      hint: 'Convert it to UTF-8, for example with iconv.',
      cause: error,
    })
  }
}

export function makeTemporaryFolder(prefix: string): string {
  // What `os.tmpdir()` does, without loading `node:os`.
  const base = resolve(process.env.TMPDIR || '/tmp', prefix)
  try {
    return mkdtempSync(base)
  } catch (error) {
    throw explain(error, base)
  }
}

/** Streams whose reader has ended, as `head` does. The rest of the output is dropped. */
const closed = new Set<number>()

/** Writes all of a text to standard output (1) or error (2). False when its reader has ended. */
export function print(stream: 1 | 2, text: string): boolean {
  if (closed.has(stream)) return false
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; ) {
    try {
      from += writeSync(stream, bytes, from)
    } catch (error) {
      const code = codeOf(error)
      if (code === 'EPIPE') {
        closed.add(stream)
        return false
      }
      if (code !== 'EAGAIN') throw explain(error, stream === 1 ? 'standard output' : 'standard error')
      pause()
    }
  }
  return true
}

/** Uses `process.stdout` only if the stream may be a terminal: making it takes Bun 15 ms. */
export function terminalOf(stream: 1 | 2): { readonly isTerminal: boolean; readonly columns: number } {
  const plain = { isTerminal: false, columns: 80 }
  try {
    const found = fstatSync(stream)
    if (!found.isCharacterDevice() || isMemoryDevice(found.rdev)) return plain
  } catch (error) {
    // A closed stream is no terminal.
    if (codeOf(error) === undefined) throw error
    return plain
  }
  const { isTTY, columns } = stream === 1 ? process.stdout : process.stderr
  return { isTerminal: isTTY === true, columns: columns || 80 }
}

/** `/dev/null` and the like: a character device, as a terminal is, but with major number 1 on Linux. */
const isMemoryDevice = (device: number): boolean => process.platform === 'linux' && device >> 8 === 1

/** Two milliseconds, blocking: nothing else runs in a command that waits for its own streams. */
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)

export const plainFiles = async (): Promise<PlainFiles> => (await import('./plain-files.ts')).plainFiles

/**
 * Bodies that are too large for etcd: files in a directory that all machines share, named after their content. Such a
 * file is written before the leaf that refers to it and never changed, so a reader who finds the leaf finds the file.
 * Several leaves may refer to one; `unused-bodies.ts` deletes it when none does any more.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { corrupt, invalidInput, unavailable } from '../../kernel/errors.ts'
import { hashOf, type LeafHeader } from './value.ts'

/** etcd takes requests of 1.5 MB; a move carries the whole body and more. */
export const largestInEtcd = 1_000_000

type Elsewhere = NonNullable<LeafHeader['elsewhere']>

export class LargeBodies {
  /** The directory of this tenant; `undefined` if none is configured. */
  readonly directory: string | undefined

  constructor(directory: string | undefined, tenant: string) {
    this.directory = directory === undefined ? undefined : join(directory, tenant)
  }

  /** Writes bytes that are too large for etcd to a file, and says where; `undefined` for others. */
  put(bytes: Uint8Array): Elsewhere | undefined {
    const size = bytes.length
    if (size <= largestInEtcd) return undefined
    const directory = this.directory
    if (directory === undefined) throw noDirectory(size)
    const name = hashOf(bytes)
    const path = join(directory, name)
    try {
      if (isTaken(directory, name, size)) return { name, size }
      fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
      const draft = join(directory, `.${name}.${crypto.randomUUID()}`)
      const file = fs.openSync(draft, 'wx', 0o600)
      try {
        fs.writeFileSync(file, bytes)
        fs.fsyncSync(file)
      } finally {
        fs.closeSync(file)
      }
      fs.renameSync(draft, path)
    } catch (error) {
      throw notWritten(path, error)
    }
    return { name, size }
  }

  /** Call it once the leaf is there. Writes the file again if it was deleted meanwhile because this process was paused. */
  keep(elsewhere: Elsewhere | undefined, bytes: Uint8Array): void {
    if (elsewhere && !this.has(elsewhere)) this.put(bytes)
  }

  /** The whole body, or its first `atMost` bytes. */
  read({ name, size }: Elsewhere, atMost?: number): Uint8Array {
    const directory = this.directory
    if (directory === undefined) throw noDirectory(size)
    const path = join(directory, name)
    let bytes: Buffer
    try {
      bytes = atMost !== undefined && atMost < size ? readHead(path, atMost) : fs.readFileSync(path)
    } catch (error) {
      throw notRead(path, error)
    }
    const isWhole = atMost === undefined || atMost >= size
    if (isWhole && (bytes.length !== size || hashOf(bytes) !== name)) throw notTheSame(path)
    return bytes
  }

  /** False when a leaf refers to a file that is not there. */
  has({ name, size }: Elsewhere): boolean {
    const directory = this.directory
    return directory !== undefined && fs.statSync(join(directory, name), { throwIfNoEntry: false })?.size === size
  }
}

/** True if the body is there already. Renews its time, so that no process deletes it as unused. */
function isTaken(directory: string, name: string, size: number): boolean {
  const path = join(directory, name)
  if (fs.statSync(path, { throwIfNoEntry: false })?.size !== size) return false
  try {
    // By the directory's time, not by our own clock: unused bodies are told by the times of files.
    const now = timeIn(directory) / 1000
    fs.utimesSync(path, now, now)
    return true
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    return false
  }
}

function readHead(path: string, atMost: number): Buffer {
  const file = fs.openSync(path, 'r')
  try {
    const head = Buffer.alloc(atMost)
    return head.subarray(0, fs.readSync(file, head, 0, atMost, 0))
  } finally {
    fs.closeSync(file)
  }
}

const noDirectory = (size: number) =>
  invalidInput('BODY_TOO_LARGE', `A body of ${size} bytes is too large for etcd (${largestInEtcd} at most).`, {
    hint: 'Write `largeBodies: DIR` below the address in your own file, or set SIGNALBOX_ETCD_LARGE_BODIES; DIR is shared by all machines. Or send less.',
    details: { size, largest: largestInEtcd },
  })

const notWritten = (path: string, cause: unknown) =>
  unavailable('LARGE_BODIES_UNAVAILABLE', `Could not write ${path}: ${codeOf(cause)}.`, {
    hint: 'Check that etcd.largeBodies names a directory that is mounted and may be written to.',
    cause,
  })

const notRead = (path: string, cause: unknown) =>
  unavailable('LARGE_BODIES_UNAVAILABLE', `Could not read ${path}: ${codeOf(cause)}.`, {
    hint: 'Check that etcd.largeBodies names the same shared directory on every machine.',
    cause,
  })

const notTheSame = (path: string) =>
  corrupt('LARGE_BODY_DAMAGED', `The bytes in ${path} are not those that were stored there.`, {
    hint: 'Restore that file from a backup; its name is the SHA-256 of its content.',
  })

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? String(error)

/** Names a file like a body that is being written, so that one left by a crash is deleted with those. */
const noHash = '0'.repeat(64)

/** The time of the file system of a shared directory: the clocks of the machines that share it may differ. */
export function timeIn(directory: string): number {
  const path = join(directory, `.${noHash}.${crypto.randomUUID()}`)
  try {
    const file = fs.openSync(path, 'wx', 0o600)
    try {
      fs.writeSync(file, '.')
      return fs.fstatSync(file).mtimeMs
    } finally {
      fs.closeSync(file)
      fs.rmSync(path, { force: true })
    }
  } catch (error) {
    // We may not write there, or the disk is full: our own clock has to do.
    if ((error as { code?: string }).code === undefined) throw error
    return Date.now()
  }
}

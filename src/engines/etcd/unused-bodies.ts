/**
 * Deletes bodies in files (`large-bodies.ts`) that no leaf refers to any more, and finds leaves whose body is missing. A file
 * and a key cannot be deleted in one step. So only old files are deleted, and in an order in which a writer that uses the
 * same content at the same time does not lose it:
 *
 *   here       read all leaves · rename the file · if its time was renewed meanwhile, put it back, else delete it
 *   writer     renew the file's time, or write it if it is missing · write the leaf · check that the file is still there
 */

import fs from 'node:fs'
import { join } from 'node:path'
import { call } from '../../kernel/call.ts'
import { unavailable } from '../../kernel/errors.ts'
import { type Finding, finding } from '../../tree/tree.ts'
import type { Cluster } from './cluster.ts'
import { fromWire } from './keys.ts'
import { timeIn } from './large-bodies.ts'
import { parseValue } from './value.ts'

/** A file younger than this is kept. Its leaf follows after a request or two, which can take an hour at worst. */
const youngMs = 3_600_000
const pageSize = 100

interface Unused {
  readonly file: string
  readonly size: number
}

export async function findUnusedBodies(cluster: Cluster, repair: boolean): Promise<Finding[]> {
  const { directory } = cluster.bodies
  if (directory === undefined) return []
  const referred = await referredBodies(cluster)
  const files = filesIn(directory)
  if (repair) putBack(directory, files, referred)
  const now = timeIn(directory)
  const unused = files
    .filter((file) => isDraft(file) || !referred.has(nameIn(file)))
    .flatMap((file) => oldAt(directory, file, now))
  const gone = repair ? unused.filter(({ file }) => collect(directory, file, now)) : []
  const missing = [...referred].filter(([name]) => !fs.existsSync(join(directory, name)))
  return [
    ...missing.map(([name, path]) => missingBody(path, join(directory, name))),
    ...(unused.length > 0 ? [unusedBodies(directory, unused, gone.length === unused.length)] : []),
  ]
}

/** The names of all bodies that leaves refer to at one revision, each with the key of one such leaf. */
async function referredBodies({ gateway, keys }: Cluster): Promise<Map<string, string>> {
  const referred = new Map<string, string>()
  for await (const { kvs } of gateway.pages(keys.everything(), pageSize)) {
    for (const { key, value = '' } of kvs) {
      const elsewhere = parseValue(value)?.about.elsewhere
      if (elsewhere) referred.set(elsewhere.name, keys.pathFrom(fromWire(key)))
    }
  }
  return referred
}

/** From `NAME`, from `.NAME.ID` while it is being written, or from `.NAME.aside` while it is being deleted. */
const nameIn = (file: string): string => file.replace(/^\./, '').split('.')[0]!
const asideOf = (name: string): string => `.${name}.aside`
const isDraft = (file: string): boolean => file.startsWith('.') && file !== asideOf(nameIn(file))

function filesIn(directory: string): string[] {
  try {
    return fs.readdirSync(directory).filter((file) => /^(?:[0-9a-f]{64}|\.[0-9a-f]{64}\.[\w-]+)$/.test(file))
  } catch (error) {
    // No large body was ever written.
    if ((error as { code?: string }).code === 'ENOENT') return []
    throw unreadable(directory, error)
  }
}

function oldAt(directory: string, file: string, now: number): Unused[] {
  const found = fs.statSync(join(directory, file), { throwIfNoEntry: false })
  return found && now - found.mtimeMs > youngMs ? [{ file, size: found.size }] : []
}

/** Puts back files that a process renamed before it died. */
function putBack(directory: string, files: readonly string[], referred: ReadonlyMap<string, string>): void {
  for (const file of files) {
    const name = nameIn(file)
    if (file === asideOf(name) && referred.has(name)) rename(directory, file, name)
  }
}

/** True if the file is gone, deleted by us or by another process. */
function collect(directory: string, file: string, now: number): boolean {
  const aside = file.startsWith('.') ? file : asideOf(file)
  if (aside !== file) {
    if (!rename(directory, file, aside)) return true
    // A writer that used it before the rename has renewed its time; one that comes now writes a new file.
    if (oldAt(directory, aside, now).length === 0) {
      rename(directory, aside, file)
      return false
    }
  }
  fs.rmSync(join(directory, aside), { force: true })
  return true
}

/** May replace a file of the same name, which has the same content. False if there is nothing to rename. */
function rename(directory: string, from: string, to: string): boolean {
  try {
    fs.renameSync(join(directory, from), join(directory, to))
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return false
    throw unreadable(directory, error)
  }
}

const unusedBodies = (directory: string, unused: readonly Unused[], repaired: boolean): Finding => {
  const megabytes = unused.reduce((sum, { size }) => sum + size, 0) / 1e6
  const message = `No leaf refers to ${unused.length} large bodies of ${megabytes.toFixed(1)} MB in all any more.`
  return finding('note', 'UNUSED_BODIES', directory, message, `Remove them: ${call('doctor', { fix: true })}`, repaired)
}

const missingBody = (path: string, file: string): Finding => {
  const message = `The body of this leaf should be in ${file}, which is not there.`
  const hint =
    'Check that etcd.largeBodies is the directory that all machines share, or restore that file from a backup.'
  return finding('error', 'MISSING_BODY', path, message, hint)
}

const unreadable = (directory: string, cause: unknown) =>
  unavailable('LARGE_BODIES_UNAVAILABLE', `Could not work in ${directory}: ${(cause as { code?: string }).code}.`, {
    hint: 'Check that etcd.largeBodies names a directory that is mounted and may be written to.',
    cause,
  })

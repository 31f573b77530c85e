/** The time of the file system that a shared directory is on: machines that share it may each have another. */
import fs from 'node:fs'
import { join } from 'node:path'

/** Named like a body that is being written, so that one left behind by a crash is collected as those are. */
const nobody = '0'.repeat(64)

/** What a file written there this instant says. */
export function timeIn(directory: string): number {
  const path = join(directory, `.${nobody}.${crypto.randomUUID()}`)
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
    // Looked at by somebody who may not write there, or the disk is full: our own clock has to do.
    if ((error as { code?: string }).code === undefined) throw error
    return Date.now()
  }
}

/** The time of the file system of a shared directory. The clocks of the machines that share it may differ. */
import fs from 'node:fs'
import { join } from 'node:path'

/** Named like a body that is being written, so that a file left by a crash is deleted with those. */
const nobody = '0'.repeat(64)

/** The modification time of a file written there now. */
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
    // We may not write there, or the disk is full: our own clock has to do.
    if ((error as { code?: string }).code === undefined) throw error
    return Date.now()
  }
}

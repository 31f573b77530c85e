/** Files of the user's, moved onto another file system, as a rollback in a work tree elsewhere does. */
import fs from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { plainFiles } from '../../src/engines/file-system/plain-files.ts'
import { rawPath } from '../../src/kernel/plain-files.ts'
import { quickTempDir, tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

const [here, there] = [tempDir(), quickTempDir()]
const isSame = fs.statSync(here).dev === fs.statSync(there).dev
const why = isSame ? 'there is no second file system to try it on' : undefined

verifies.unless(
  why,
  'SA-13b',
  'a file of the longest name and a link arrive whole, and nothing is left beside them',
  () => {
    const name = 'n'.repeat(255)
    fs.writeFileSync(join(here, 'from'), 'new', { mode: 0o755 })
    fs.writeFileSync(join(there, name), 'old')
    // As a process left it that was killed in between.
    fs.writeFileSync(join(there, '.signalbox-arriving'), 'half')
    plainFiles.rename(rawPath(join(here, 'from')), rawPath(join(there, name)))
    expect([fs.readFileSync(join(there, name), 'utf8'), fs.statSync(join(there, name)).mode & 0o777]).toEqual([
      'new',
      0o755,
    ])
    fs.symlinkSync('nowhere', join(here, 'link'))
    plainFiles.rename(rawPath(join(here, 'link')), rawPath(join(there, 'link')))
    expect(fs.readlinkSync(join(there, 'link'))).toBe('nowhere')
    expect(fs.readdirSync(there).sort()).toEqual(['link', name])
    expect(fs.readdirSync(here)).toEqual([])
  },
)

/** Locks by pattern, as the verbs for every agent use them. */
import { posix } from 'node:path'
import { compileGlob } from '../formats/glob.ts'
import { invalidInput } from '../kernel/errors.ts'

export { type GlobLock, GlobLocks } from '../messaging/locks/glob-locks.ts'

/** One name for one thing: `./src//a.ts` is `src/a.ts`. What leads out of the workspace, or is no pattern, is refused. */
export function cleanGlob(text: string): string {
  const glob = posix.normalize(text.trim().normalize('NFC')).replace(/(?<=.)\/$/, '')
  if (text.trim() !== '' && !/^\.\.(\/|$)/.test(glob)) {
    if (glob !== '.') compileGlob(glob)
    return glob
  }
  throw invalidInput('BAD_GLOB', `${JSON.stringify(text.slice(0, 80))} names no files of the workspace.`, {
    hint: 'Give a path below the workspace, or a pattern such as src/auth/**.',
    details: { glob: text.slice(0, 400) },
  })
}

/** For tests of what a user may not read or write: root may do everything, so they run as somebody else. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { mainProgram, plainEnvironment } from '../scenarios/cli-program.ts'

const nobody = '65534'

/** The command to run something under as a user who is not root; nothing when we are not root, else the reason why not. */
export function strangerCommand(): readonly string[] | string {
  if (process.getuid?.() !== 0) return []
  const under = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']
  const { status } = spawnSync(under[0]!, [...under.slice(1), process.execPath, mainProgram, 'version'], {
    cwd: '/',
    env: plainEnvironment(),
  })
  return status === 0 ? under : 'we are root, and no other user can run this program'
}

/** Makes a directory, with all that is in it, the stranger's own. */
export function giveToStranger(directory: string): void {
  if (process.getuid?.() !== 0) return
  execFileSync('chown', ['-R', `${nobody}:${nobody}`, directory])
  chmodSync(directory, 0o755)
}

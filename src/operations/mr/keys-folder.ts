/**
 * Where the keys for the agents of a workspace are: in a folder of the user's own, one for each workspace. Not in the
 * workspace: the author of one that others clone could put keys there, and be trusted as any agent.
 */
import { denied } from '../../kernel/errors.ts'
import { isInside, type OwnPlace, ownFolder } from '../workspace/own-file.ts'

/** `~/.config/signalbox/workspaces/team-1f3870be274f6c49`: the name for people, the rest for the path it has. */
export function keysFolderOf(place: OwnPlace): string {
  const folder = ownFolder(place)
  if (folder === undefined) {
    throw denied('NO_PLACE_FOR_KEYS', 'There is no place for keys: the environment names no home directory.', {
      hint: 'Set HOME, or SIGNALBOX_MR_KEYS to a directory of your own.',
    })
  }
  const root = place.outside.realPath(place.root.path)
  if (isInside(place, folder)) {
    throw denied('NO_PLACE_FOR_KEYS', `There is no place for keys: ${folder} lies inside the workspace ${root}.`, {
      hint: 'Set SIGNALBOX_MR_KEYS to a directory of your own outside of it.',
    })
  }
  const name = root
    .split('/')
    .at(-1)!
    .replace(/[^\w.-]/g, '_')
    .slice(0, 40)
  const digest = process.getBuiltinModule('node:crypto').createHash('sha256').update(root).digest('hex').slice(0, 16)
  return `${folder}/workspaces/${name === '' ? 'root' : name}-${digest}`
}

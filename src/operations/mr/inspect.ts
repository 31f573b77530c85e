/** What `doctor` should know of Message Routing. */
import { stateOf } from '../../tree/home.ts'
import type { Finding } from '../../tree/tree.ts'
import type { Context } from '../define.ts'
import { withRouting } from './open.ts'

export async function inspectRouting(context: Context, repair: boolean): Promise<Finding[]> {
  const inInboxes = await withRouting(context, (routing) => routing.inspect({ repair }))
  return [...inInboxes, ...(await inspectKeys(context))]
}

/** A private key that others can read is no secret any more, and one that they can write is not ours. */
async function inspectKeys({ configuration, outside, root }: Context): Promise<Finding[]> {
  const own = (await configuration()).sections.mr.keys
  const ring = own === undefined ? outside.resolve(root().path, stateOf('keys')) : outside.resolve(own, 'keys')
  const folder = outside.resolve(ring, 'private')
  if (outside.kindOf(folder) !== 'folder' || !outside.mayRead(folder)) return []
  const files = outside.namesIn(folder).map((name) => outside.resolve(folder, name))
  // Trust is what stands in the public part: whoever can write there can sign as anybody.
  return [folder, ...files, outside.resolve(ring, 'public')].filter((path) => !outside.isPrivate(path)).map(exposed)
}

const exposed = (path: string): Finding => ({
  code: 'KEY_EXPOSED',
  severity: 'error',
  path,
  message: 'Others than its owner may read or change these keys.',
  hint: `Take that right away: chmod -R go= ${path}. Then make new keys if somebody may have used it: signalbox mr keys AGENT --generate --replace`,
  repaired: false,
})

/** What `doctor` should know of keys: other users can read them, or they lie in the workspace, where they are not used. */
import { call } from '../../../kernel/call.ts'
import { stateOf } from '../../../tree/home.ts'
import { type Finding, finding } from '../../../tree/tree.ts'
import type { MrPorts } from '../ports.ts'
import { isNoPlace, ringFolder } from './keys.ts'

type Ports = Pick<MrPorts, 'keysFolder' | 'outside' | 'workspace'>

/** `named`: the directory that the settings name for keys, if they do. */
export async function inspectKeys(ports: Ports, named: string | undefined): Promise<Finding[]> {
  const own = named ?? (await placeFor(ports))
  return [...keysInWorkspace(ports, own), ...(own === undefined ? [] : exposedKeys(ports, own))]
}

/** `undefined` where there is no directory for keys: a command that needs one reports that. */
async function placeFor({ keysFolder }: Ports): Promise<string | undefined> {
  try {
    return await keysFolder()
  } catch (error) {
    if (isNoPlace(error)) return undefined
    throw error
  }
}

/** A private key that other users can read is no secret, and one that they can write is not trustworthy. */
function exposedKeys({ outside }: Ports, own: string): Finding[] {
  const ring = outside.resolve(own, ringFolder)
  const folder = outside.resolve(ring, 'private')
  if (outside.kindOf(folder) !== 'folder' || !outside.mayRead(folder)) return []
  const files = outside.namesIn(folder).map((name) => outside.resolve(folder, name))
  // Public keys are the trust: a user who can write them can sign as any agent.
  return [folder, ...files, outside.resolve(ring, 'public')].filter((path) => !outside.isPrivate(path)).map(exposed)
}

/** Earlier versions kept keys there, and a repository of another author can contain some. */
function keysInWorkspace({ outside, workspace }: Ports, own: string | undefined): Finding[] {
  const path = outside.resolve(workspace, stateOf('keys'))
  if (outside.kindOf(path) === undefined) return []
  const message = 'Keys inside a workspace are not used: whoever made it could have put them there.'
  const hint =
    own === undefined
      ? 'If you made them, move them to a directory of your own, and set SIGNALBOX_MR_KEYS to the one that holds it.'
      : `If you made them, move them: mkdir -p ${own} && mv ${path} ${outside.resolve(own, ringFolder)}. Otherwise delete them.`
  return [finding('warning', 'KEYS_IN_WORKSPACE', path, message, hint)]
}

function exposed(path: string): Finding {
  const message = 'Others than its owner may read or change these keys.'
  const renewing = call('mr keys', { agent: 'AGENT', generate: true, replace: true })
  const hint = `Take that right away: chmod -R go= ${path}. Then make new keys if somebody may have used it: ${renewing}`
  return finding('error', 'KEY_EXPOSED', path, message, hint)
}

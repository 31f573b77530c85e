/** Where AC-MQ keeps things: mission folders, queue folders, message files. Pure. Spec: AC-MQ §2, §3.1, §7.2. */
import { isSegment, type TreePath } from '../../kernel/tree-path.ts'
import { isMessageId, type MissionAddress, subMissions } from './names.ts'
import { type QueueName, queueNames } from './schema.ts'

export { fileNameOf, idLengths, isMessageName, parseFileName } from './file-name.ts'
export {
  agentId,
  everyone,
  isAgentId,
  isMessageId,
  type MissionAddress,
  missionAddress,
  recipientId,
} from './names.ts'
export { compactTime, isoTime, parseTime } from './times.ts'

export interface MissionPlace {
  readonly root: TreePath
  readonly address: MissionAddress
}

/** Every folder of a new mission, relative to it. `queue/` comes last: a folder without it does not count as a mission. */
export const missionFolders: readonly string[] = [
  '_meta',
  'context',
  'findings',
  'artifacts',
  'archive',
  ...queueNames.map((queue) => `queue/${queue}`),
]

// No check: the parts were checked when they were made, and an address leaves room for the longest path below it.
const below = (folder: string, rest: string): TreePath => (folder === '' ? rest : `${folder}/${rest}`) as TreePath

export const missionPath = ({ root, address }: MissionPlace): TreePath =>
  below(root, address.includes('/') ? address.replaceAll('/', `/${subMissions}/`) : address)

export const queuePath = (place: MissionPlace, queue: QueueName): TreePath =>
  below(missionPath(place), `queue/${queue}`)

export const subMissionsPath = (place: MissionPlace): TreePath => below(missionPath(place), subMissions)

export const archivePath = (place: MissionPlace): TreePath => below(missionPath(place), 'archive')

export const manifestPath = (place: MissionPlace): TreePath => below(missionPath(place), '_meta/manifest.md')

/** Used where `_meta/` has no manifest: missions of other programs keep it here. */
export const fallbackManifestPath = (place: MissionPlace): TreePath => below(missionPath(place), 'manifest.md')

/** A path relative to the mission, without `./`, `//` and `..`; `undefined` when it leaves the mission or is no path. */
export function pathInside(path: string): string | undefined {
  if (isMessageId(path)) return path
  if (path.startsWith('/')) return undefined
  const inside: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment === '..') {
      if (inside.pop() === undefined) return undefined
    } else if (isSegment(segment)) inside.push(segment)
    else return undefined
  }
  return inside.length === 0 ? undefined : inside.join('/')
}

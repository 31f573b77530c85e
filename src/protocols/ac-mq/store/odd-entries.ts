/** Files, links and pipes where a mission has its folders, and the other way round: for `doctor`. */
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { type ExpectedKind, oddAmong, oddFinding } from '../../../messaging/inspection/expected.ts'
import { listIfFolder } from '../../../messaging/leaves/tolerant.ts'
import type { Entry, Finding } from '../../../tree/tree.ts'
import { parsePackName } from '../archive/pack.ts'
import { isMonth } from '../archive/shelves.ts'
import { archivePath, missionFolders } from '../layout.ts'
import { snapshotFolder } from '../memory/generated.ts'
import type { MissionFiles } from './parts.ts'

type Table = (name: string) => ExpectedKind | undefined

const topFolders = new Set([...missionFolders.map((path) => path.split('/')[0]!), 'sub-missions'])

const inMission: Table = (name) => (topFolders.has(name) ? 'folder' : name === 'manifest.md' ? 'leaf' : undefined)
const inQueue: Table = (name) => (missionFolders.includes(`queue/${name}`) ? 'folder' : undefined)
const inMeta: Table = (name) => (name === 'manifest.md' ? 'leaf' : undefined)
/** Bodies that were too large for their message, and the list of what stays. What else is there is the mission's own business. */
const inContext: Table = (name) => (/^message-.*\.md$/.test(name) || name === '.pinned' ? 'leaf' : undefined)
const inArtifacts: Table = (name) => (`artifacts/${name}` === snapshotFolder ? 'folder' : undefined)
const inArchive: Table = (name) => (isMonth(name) || name === 'duplicates' ? 'folder' : undefined)
const inMonth: Table = (name) =>
  name === 'completed' || name === 'failed' ? 'folder' : parsePackName(name) ? 'leaf' : undefined

export async function oddInMission({ tree, path, place }: MissionFiles): Promise<Finding[]> {
  const findings: Finding[] = []
  const look = async (folder: TreePath, expectedOf: Table): Promise<readonly Entry[]> => {
    const entries = await listIfFolder(tree, folder)
    findings.push(...oddAmong(folder, entries, expectedOf).map(oddFinding))
    return entries
  }
  await look(path, inMission)
  await look(childOf(path, 'queue'), inQueue)
  await look(childOf(path, '_meta'), inMeta)
  await look(childOf(path, 'context'), inContext)
  await look(childOf(path, 'artifacts'), inArtifacts)
  const archive = archivePath(place)
  for (const { name, kind } of await look(archive, inArchive)) {
    if (kind === 'folder' && isMonth(name)) await look(childOf(archive, name), inMonth)
  }
  return findings
}

/** Whether what Signalbox keeps for itself, in `.signalbox/`, is made of the files and folders that it should be. */
import { childOf, nameOf, type TreePath } from '../kernel/tree-path.ts'
import { agentsFolder } from '../messaging/agents/directory.ts'
import { type ExpectedKind, oddAmong, oddFinding } from '../messaging/inspection/expected.ts'
import { listIfFolder } from '../messaging/leaves/tolerant.ts'
import { cacheHome, engineHome, home, stateHome, stateKinds, stateOf } from '../tree/home.ts'
import type { Finding, Tree } from '../tree/tree.ts'

const inHome: Readonly<Record<string, ExpectedKind>> = {
  [nameOf(stateHome)]: 'folder',
  [nameOf(cacheHome)]: 'folder',
  [nameOf(engineHome)]: 'folder',
  [nameOf(agentsFolder)]: 'folder',
  'policy.yaml': 'leaf',
  'session.yaml': 'leaf',
}

/** Below these, names with an ending are files and all others folders. */
const byEnding: readonly TreePath[] = (['delivery', 'rates', 'metrics', 'aliases', 'merging'] as const).map(stateOf)
const hasEnding = /\.(json|jsonl|seen|floor|md)$/
/** The one file without an ending: what people let be handed out again. */
const permits = 'permits'

/** `judged`: places that a protocol inspects by itself. */
export async function inspectHome(tree: Tree, judged: readonly TreePath[] = []): Promise<Finding[]> {
  const findings: Finding[] = []
  const look = async (folder: TreePath, expectedOf: (name: string) => ExpectedKind | undefined) => {
    const entries = await listIfFolder(tree, folder)
    findings.push(...oddAmong(folder, entries, expectedOf).map(oddFinding))
    return entries
  }
  await look(home, (name) => inHome[name])
  await look(stateHome, (name) => (stateKinds.some((kind) => kind === name) ? 'folder' : undefined))
  await look(stateOf('approvals'), (name) =>
    name.endsWith('.json') ? 'leaf' : name === 'shown' || name === 'left' ? 'folder' : undefined,
  )
  await look(agentsFolder, (name) => (name.endsWith('.yaml') ? 'leaf' : undefined))
  const waiting = [...byEnding]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await look(folder, (name) => (hasEnding.test(name) || name === permits ? 'leaf' : 'folder'))
    for (const { name, kind } of entries) {
      if (kind !== 'folder' || hasEnding.test(name) || judged.includes(childOf(folder, name))) continue
      waiting.push(childOf(folder, name))
    }
  }
  return findings
}

/** Whether what Signalbox keeps for itself, in `.signalbox/`, is made of the files and folders that it should be. */
import { childOf, nameOf, type TreePath } from '../kernel/tree-path.ts'
import { type ExpectedKind, isOddEntry, oddAmong, oddFinding } from '../tree/expected.ts'
import { cacheHome, engineHome, home, stateHome, stateKinds, stateOf } from '../tree/home.ts'
import type { Entry, Finding, Tree } from '../tree/tree.ts'

const inHome: Readonly<Record<string, ExpectedKind>> = {
  [nameOf(stateHome)]: 'folder',
  [nameOf(cacheHome)]: 'folder',
  [nameOf(engineHome)]: 'folder',
  'policy.yaml': 'leaf',
}

/** Below these, names with an ending are files and all others folders. */
const byEnding: readonly TreePath[] = (['delivery', 'rates', 'metrics'] as const).map(stateOf)
const hasEnding = /\.(json|jsonl|seen|floor)$/
/** The one file without an ending: what people let be handed out again. */
const permits = 'permits'

export async function inspectHome(tree: Tree): Promise<Finding[]> {
  const findings: Finding[] = []
  const look = async (folder: TreePath, expectedOf: (name: string) => ExpectedKind | undefined) => {
    const entries = await listed(tree, folder)
    findings.push(...oddAmong(folder, entries, expectedOf).map(oddFinding))
    return entries
  }
  await look(home, (name) => inHome[name])
  await look(stateHome, (name) => (stateKinds.some((kind) => kind === name) ? 'folder' : undefined))
  await look(stateOf('approvals'), (name) =>
    name.endsWith('.json') ? 'leaf' : name === 'shown' ? 'folder' : undefined,
  )
  const waiting = [...byEnding]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await look(folder, (name) => (hasEnding.test(name) || name === permits ? 'leaf' : 'folder'))
    for (const { name, kind } of entries) {
      if (kind === 'folder' && !hasEnding.test(name)) waiting.push(childOf(folder, name))
    }
  }
  return findings
}

async function listed(tree: Tree, folder: TreePath): Promise<readonly Entry[]> {
  try {
    return await tree.list(folder)
  } catch (error) {
    // The folder itself is none: told by the look at the one that holds it.
    if (isOddEntry(error)) return []
    throw error
  }
}

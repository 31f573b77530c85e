/**
 * Who has been seen in a mission: everybody in its messages, and everybody who registered in the workspace. Read off
 * file names, which carry both agents; a file with another name is opened.
 */
import { readFrontMatterBytes } from '../../formats/front-matter.ts'
import { SignalboxError } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { childOf, isSegment, type TreePath } from '../../kernel/tree-path.ts'
import { everyone, isMessageName, type MissionAddress, parseFileName } from '../../protocols/ac-mq/layout.ts'
import { queueNames } from '../../protocols/ac-mq/schema.ts'
import { stateOf } from '../../tree/home.ts'
import type { Tree } from '../../tree/tree.ts'
import type { Context } from '../define.ts'
import { pathOfQueue } from './open.ts'

/** Opening more than this many files for a courtesy would take too long. */
const mostOpened = 200

/** A sentence for whoever writes to somebody nobody has seen; `undefined` when all is well. */
export async function noticeAboutRecipient(
  context: Context,
  address: MissionAddress,
  agent: string,
): Promise<string | undefined> {
  if (agent === everyone) return undefined
  const known = await knownUntil(context, address, agent)
  if (known === 'seen') return undefined
  const meant = nearest(agent, known)
  const others = meant === undefined && known.size > 0 ? ` Seen so far: ${someOf(known)}.` : ''
  return `Nobody has seen ${agent} in mission ${address} yet.${meant ? ` Did you mean ${meant}?` : others}`
}

/** `seen` as soon as the agent turns up; everybody else's names otherwise. */
async function knownUntil(context: Context, address: MissionAddress, agent: string): Promise<Set<string> | 'seen'> {
  const tree = await context.tree()
  const known = new Set<string>()
  const oddlyNamed: TreePath[] = []
  for (const { name } of await tree.list(stateOf('presence'))) known.add(name.replace(/\.\w+$/, ''))
  if (known.has(agent)) return 'seen'
  // Those who have something in hand first: these folders are small, and who works is likely to get more.
  for (const queue of [...queueNames].sort((a, b) => rank[a] - rank[b])) {
    const folder = await pathOfQueue(context, address, queue)
    for (const { name, kind } of await tree.list(folder)) {
      if (kind !== 'leaf' || !isMessageName(name) || !isSegment(name)) continue
      const parts = parseFileName(name)
      if (!parts) {
        if (oddlyNamed.length < mostOpened) oddlyNamed.push(childOf(folder, name))
        continue
      }
      if (parts.from === agent || parts.to === agent) return 'seen'
      known.add(parts.from).add(parts.to)
    }
  }
  for (const path of oddlyNamed) for (const name of await agentsIn(tree, path)) known.add(name)
  known.delete(everyone)
  return known.has(agent) ? 'seen' : known
}

const rank = { processing: 0, failed: 1, completed: 2, pending: 3 } as const

async function agentsIn(tree: Tree, path: TreePath): Promise<string[]> {
  try {
    const leaf = await tree.read(path, { atMost: 2048 })
    const fields = leaf && readFrontMatterBytes(leaf.bytes)?.fields
    return ['from', 'to'].flatMap((key) => fields?.get(key)?.text ?? [])
  } catch (error) {
    // Malformed: it names nobody, and whoever claims will say so.
    if (error instanceof SignalboxError) return []
    throw error
  }
}

function someOf(names: ReadonlySet<string>): string {
  const shown = [...names].sort().slice(0, 5)
  return `${shown.join(', ')}${names.size > shown.length ? ` and ${names.size - shown.length} more` : ''}`
}

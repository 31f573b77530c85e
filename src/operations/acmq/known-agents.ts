/**
 * Who has been seen in a mission: everybody who sent or claimed one of its messages, and everybody who registered in
 * the workspace. Being written to is not being there. Read off file names, which carry both agents; a file whose name
 * does not tell is opened.
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
/** And so would listing a folder that is larger: some thousand names. */
const largestListed = 128 * 1024

/** A sentence for whoever writes to somebody nobody has seen; `undefined` when all is well. */
export async function noticeAboutRecipient(
  context: Context,
  address: MissionAddress,
  agent: string,
): Promise<string | undefined> {
  if (agent === everyone) return undefined
  const named = await namedUntil(context, address, agent)
  if (named === 'seen' || named === 'untold') return undefined
  const meant = nearest(agent, named)
  const others = meant === undefined && named.size > 0 ? ` Named so far: ${someOf(named)}.` : ''
  return `Nobody has seen ${agent} in mission ${address} yet.${meant ? ` Did you mean ${meant}?` : others}`
}

/**
 * `seen` as soon as the agent turns up; `untold` when there is too much to look through; otherwise everybody else who is
 * named, seen or not.
 */
async function namedUntil(
  context: Context,
  address: MissionAddress,
  agent: string,
): Promise<Set<string> | 'seen' | 'untold'> {
  const tree = await context.tree()
  const named = new Set<string>()
  const untold: { path: TreePath; isClaimed: boolean }[] = []
  for (const { name } of await tree.list(stateOf('presence'))) named.add(name.replace(/\.\w+$/, ''))
  if (named.has(agent)) return 'seen'
  // Those who have something in hand first: these folders are small, and who works is likely to get more.
  for (const queue of [...queueNames].sort((a, b) => rank[a] - rank[b])) {
    const folder = await pathOfQueue(context, address, queue)
    // On a cluster every name would have to be fetched: there only those count who work at this moment.
    if (tree.first && queue !== 'processing') return 'untold'
    if (((await tree.look(folder))?.size ?? 0) > largestListed) return 'untold'
    const isClaimed = queue !== 'pending'
    const told = new Set<string>()
    for (const { name, kind } of await tree.list(folder)) {
      // Thousands of messages go between the same few agents: of each pair one name is enough.
      const agents = name.slice(name.indexOf('-from-', afterTime))
      if (told.has(agents) || kind !== 'leaf' || !isMessageName(name) || !isSegment(name)) continue
      const parts = parseFileName(name)
      // A message to all keeps its name; who took it stands inside.
      if (!parts || (isClaimed && parts.to === everyone)) {
        if (untold.length < mostOpened) untold.push({ path: childOf(folder, name), isClaimed })
        continue
      }
      if (parts.from === agent || (isClaimed && parts.to === agent)) return 'seen'
      named.add(parts.from).add(parts.to)
      told.add(agents)
    }
  }
  for (const { path, isClaimed } of untold) {
    const { from, to } = await agentsIn(tree, path)
    if (from === agent || (isClaimed && to === agent)) return 'seen'
    for (const name of [from, to]) if (name !== undefined) named.add(name)
  }
  named.delete(everyone)
  named.delete(agent)
  return named
}

/** Where the agents can begin in the name of a message, at the earliest. */
const afterTime = 15

const rank = { processing: 0, failed: 1, completed: 2, pending: 3 } as const

async function agentsIn(tree: Tree, path: TreePath): Promise<{ from?: string | undefined; to?: string | undefined }> {
  try {
    const leaf = await tree.read(path, { atMost: 2048 })
    const fields = leaf && readFrontMatterBytes(leaf.bytes)?.fields
    return { from: fields?.get('from')?.text, to: fields?.get('to')?.text }
  } catch (error) {
    // Malformed: it names nobody, and whoever claims will say so.
    if (error instanceof SignalboxError) return {}
    throw error
  }
}

function someOf(names: ReadonlySet<string>): string {
  const shown = [...names].sort().slice(0, 5)
  return `${shown.join(', ')}${names.size > shown.length ? ` and ${names.size - shown.length} more` : ''}`
}

/** Marks which messages of its inbox an agent has claimed, and which it has acknowledged. One leaf each below `.signalbox/`. */
import { childOf } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { readIfLeaf } from '../../../messaging/leaves/tolerant.ts'
import { handedPath } from '../layout.ts'
import type { AgentId, FileName } from '../names.ts'
import type { CirceParts } from './parts.ts'

/** `waiting`: it was claimed, but the answer never reached the agent, which can claim it again. */
export type Mark = 'waiting' | 'claimed' | 'acknowledged'
export type Handed = Exclude<Mark, 'waiting'>

/** A process has claimed it and not printed it yet. After so many milliseconds that process counts as killed. */
const handing = 'handing'
const longestHanding = 2000

export async function markOf({ tree }: CirceParts, agent: AgentId, name: FileName): Promise<Mark | undefined> {
  const leaf = await readIfLeaf(tree, childOf(handedPath(agent), name), { atMost: 32 })
  if (!leaf) return undefined
  const text = Buffer.from(leaf.bytes).toString('utf8')
  if (text.startsWith(handing)) {
    const age = (await tree.now()) - leaf.modifiedAt
    // A time in the future comes from a wrong clock: without this, the message could not be claimed until then.
    return age >= longestHanding || age < -longestHanding ? 'waiting' : 'claimed'
  }
  return (['waiting', 'acknowledged'] as const).find((mark) => text.startsWith(mark)) ?? 'claimed'
}

export async function handedOf(parts: CirceParts, agent: AgentId, name: FileName): Promise<Handed | undefined> {
  const mark = await markOf(parts, agent, name)
  return mark === 'waiting' ? undefined : mark
}

export async function setMark(
  parts: CirceParts,
  agent: AgentId,
  name: FileName,
  mark: Mark | typeof handing,
): Promise<void> {
  await changeLeaf(parts.tree, childOf(handedPath(agent), name), () => Buffer.from(`${mark}\n`))
}

/** The process that claimed the message has printed it. Any other mark was set by the agent meanwhile, and stays. */
export async function handedOut({ tree }: CirceParts, agent: AgentId, name: FileName): Promise<void> {
  await changeLeaf(tree, childOf(handedPath(agent), name), (leaf) =>
    leaf && Buffer.from(leaf.bytes).toString('utf8').startsWith(handing) ? Buffer.from('claimed\n') : undefined,
  )
}

/** The answer did not reach the agent, which can claim the message again. */
export async function takeBack(parts: CirceParts, agent: AgentId, name: FileName): Promise<void> {
  if ((await handedOf(parts, agent, name)) === 'claimed') await setMark(parts, agent, name, 'waiting')
}

/** The numbers that a sender gives out, one counter for each recipient. Spec: Message Routing, "Sequence Numbering". */
import { corrupt } from '../../../kernel/errors.ts'
import { childOf, isSegment } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../tree/change.ts'
import { type AgentId, sequencePath, sequencesPath } from '../layout.ts'
import type { RoutingParts } from './parts.ts'

/**
 * Issues the next number. It is written down before anybody can use it: a sender that dies leaves a gap, never a
 * number twice.
 */
export async function issueNumber({ tree, root }: RoutingParts, from: AgentId, to: AgentId): Promise<number> {
  const path = sequencePath(root, from, to)
  let next = 0
  await changeLeaf(tree, path, (leaf) => {
    next = leaf ? numberIn(leaf.bytes, path, from) + 1 : 1
    return Buffer.from(`${next}\n`)
  })
  return next
}

/** All numbers of a sender begin at 1 again. Answers how many counters there were. */
export async function resetNumbers({ tree, root }: RoutingParts, agent: AgentId): Promise<number> {
  const folder = sequencesPath(root, agent)
  let reset = 0
  for (const { name, kind } of await tree.list(folder)) {
    if (kind !== 'leaf' || !isSegment(name)) continue
    if ((await tree.remove(childOf(folder, name))).outcome === 'removed') reset++
  }
  return reset
}

/** The number a counter holds; other programs may write theirs without a line end. */
export function numberIn(bytes: Uint8Array, path: string, sender: string): number {
  const text = Buffer.from(bytes).toString('latin1').trim()
  const number = Number(text)
  // The one after it must be a number too.
  if (/^\d+$/.test(text) && Number.isSafeInteger(number + 1)) return number
  throw corrupt('BAD_SEQUENCE', `The counter ${path} does not hold a number.`, {
    hint: `Write the last number into it, or start over: signalbox mr init ${sender} --reset`,
    details: { path },
  })
}

/** The numbers that a sender gives out, one counter for each recipient. Spec: Message Routing, "Sequence Numbering". */
import { corrupt } from '../../../kernel/errors.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import type { Leaf } from '../../../tree/tree.ts'
import { type AgentId, isAgentId, sequenceLockPath, sequencePath, sequencesPath } from '../layout.ts'
import { type RoutingParts, turnOf } from './parts.ts'

/** Another program empties the counter before it writes the next number, and is done within a moment. */
const [mostLooks, betweenLooksMs] = [50, 5]

/**
 * Issues the next number. It is written down before it is used: a sender that dies leaves a gap, never a number
 * twice. Where another program guards the counter by a lock file, this one takes that lock too.
 */
export async function issueNumber(parts: RoutingParts, from: AgentId, to: AgentId): Promise<number> {
  const { tree, root } = parts
  const path = sequencePath(root, from, to)
  return besideOthers(parts, from, to, async () => {
    for (let looks = 1; ; looks++) {
      let next: number | undefined
      await changeLeaf(tree, path, (leaf) => {
        next = leaf && isBeingWritten(leaf) && looks < mostLooks ? undefined : after(leaf, path, from)
        return next === undefined ? undefined : Buffer.from(`${next}\n`)
      })
      if (next !== undefined) return next
      await pause(betweenLooksMs)
    }
  })
}

const isBeingWritten = ({ bytes }: Leaf): boolean => bytes.length === 0

const after = (leaf: Leaf | undefined, path: TreePath, from: AgentId): number =>
  leaf ? numberIn(leaf.bytes, path, from) + 1 : 1

/**
 * All numbers of a sender begin at 1 again. Answers how many counters there were. Each is removed in the turn of its
 * recipient's inbox, so that `onReset` is called between the last message before and the first one after.
 */
export async function resetNumbers(
  parts: RoutingParts,
  agent: AgentId,
  onReset: (recipient: AgentId) => Promise<unknown>,
): Promise<number> {
  const { tree, root } = parts
  let reset = 0
  // Lock files of other programs are left: removing one would let two programs into what its holder locked.
  for (const { name, kind } of await tree.list(sequencesPath(root, agent))) {
    if (kind !== 'leaf' || !isAgentId(name)) continue
    await tree.exclusively(turnOf(parts, name), () =>
      besideOthers(parts, agent, name, async () => {
        if ((await tree.remove(sequencePath(root, agent, name))).outcome !== 'removed') return
        reset++
        await onReset(name)
      }),
    )
  }
  return reset
}

const besideOthers = <T>({ tree, root }: RoutingParts, from: AgentId, to: AgentId, work: () => Promise<T>) =>
  tree.besideLock ? tree.besideLock(sequenceLockPath(root, from, to), work) : work()

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

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

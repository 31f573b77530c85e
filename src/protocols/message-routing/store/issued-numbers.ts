/** The sequence numbers that a sender gives out, one counter for each recipient. Spec: Message Routing, "Sequence Numbering". */
import { call } from '../../../kernel/call.ts'
import { corrupt } from '../../../kernel/errors.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { type AgentId, isAgentId, sequenceLockPath, sequencePath, sequencesPath } from '../layout.ts'
import { pause, type RoutingParts, turnOf } from './parts.ts'

/** Another program empties the counter before it writes the next number: an empty one is read again, so often and after so long. */
const [mostLooks, betweenLooksMs] = [50, 5]

/**
 * Issues the next number. It is written before it is used: a sender that is killed leaves a gap, never a number twice. Where
 * another program guards the counter by a lock file, this one takes that lock too.
 */
export async function issueNumber(parts: RoutingParts, from: AgentId, to: AgentId): Promise<number> {
  const { tree, root } = parts
  const path = sequencePath(root, from, to)
  return besideOthers(parts, from, to, async () => {
    for (let looks = 1; ; looks++) {
      let next: number | undefined
      await changeLeaf(tree, path, (leaf) => {
        const isBeingWritten = leaf?.bytes.length === 0 && looks < mostLooks
        next = isBeingWritten ? undefined : leaf ? numberIn(leaf.bytes, path, from) + 1 : 1
        return next === undefined ? undefined : Buffer.from(`${next}\n`)
      })
      if (next !== undefined) return next
      await pause(betweenLooksMs)
    }
  })
}

/**
 * All numbers of a sender begin at 1 again. Answers how many counters there were. Each is removed in the turn of the recipient's
 * inbox, so that no message is sent between the removal and the call of `onReset`.
 */
export async function resetNumbers(
  parts: RoutingParts,
  agent: AgentId,
  onReset: (recipient: AgentId) => Promise<unknown>,
): Promise<number> {
  const { tree, root } = parts
  let reset = 0
  // Lock files of other programs stay: after a removal, two programs could hold the lock at once.
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
  // The next number must be a safe integer too.
  if (/^\d+$/.test(text) && Number.isSafeInteger(number + 1)) return number
  throw corrupt('BAD_SEQUENCE', `The counter ${path} does not hold a number.`, {
    hint: `Write the last number into it, or start over: ${call('mr init', { agent: sender, reset: true })}`,
    details: { path },
  })
}

/** Setting aside what is no message, with its reason beside it, once it has stood still. The others flow on. */
import { childOf } from '../../../kernel/tree-path.ts'
import { setAside } from '../../../messaging/quarantine/quarantine.ts'
import type { Times } from '../../../tree/tree.ts'
import { parseMessage } from '../format.ts'
import { reasonName, rejectedPath } from '../layout.ts'
import { appendEvent } from './log.ts'
import type { CirceRejected } from './outcomes.ts'
import type { CirceParts } from './parts.ts'
import type { Unusable } from './places.ts'

/** Whoever moves the file tells why; what this user may not read stays where it is. */
export async function rejectAll(parts: CirceParts, unusable: readonly Unusable[]): Promise<CirceRejected[]> {
  const rejected: CirceRejected[] = []
  for (const one of unusable) if (!one.isClosed) rejected.push(...(await reject(parts, one)))
  return rejected
}

async function reject(parts: CirceParts, { path, name, problem, agent }: Unusable): Promise<CirceRejected[]> {
  const { tree, root, settings, clock } = parts
  const most = settings.largestMessage
  const now = await tree.now()
  // By when it was written, not by when it was moved: what comes by `mv` is whole.
  const isMeant = (bytes: Uint8Array, { modifiedAt }: Times) =>
    now - modifiedAt >= settings.settleMs &&
    (bytes.length > most || parseMessage(bytes, settings.furtherIntents).outcome === 'malformed')
  const moved = await setAside(tree, path, rejectedPath(root), { isMeant, atMost: most + 1 })
  if (moved.outcome !== 'moved') return []
  await tellReason(parts, moved.name, problem.message)
  await appendEvent(parts, {
    at: clock.now(),
    event: 'rejected',
    agent: agent ?? '',
    file: name,
    detail: `${problem.code}: ${problem.message}`,
  })
  return [{ file: name, path: moved.path, code: problem.code, reason: problem.message }]
}

/** Twice is fine: the first reason stays. */
export async function tellReason({ tree, root }: CirceParts, name: string, reason: string): Promise<void> {
  await tree.create(childOf(rejectedPath(root), reasonName(name)), `${reason}\n`)
}

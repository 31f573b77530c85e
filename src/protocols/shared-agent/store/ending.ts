/**
 * Ends a session, in one step of the document: its locks and signals belong to one generation and end with it. Then waiting
 * processes are woken and leftovers removed, which is repeated when the session is ended again.
 */
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { ring } from '../../../messaging/waiting/waiting.ts'
import { bellFolder, type SessionId, type Sitting, signalsFolder, trafficPath } from '../layout.ts'
import type { Session, Task } from '../record.ts'
import { stepped, withTask } from '../tasks.ts'
import { locksOf } from './locks.ts'
import type { Ended } from './outcomes.ts'
import type { SessionParts } from './parts.ts'
import { noteSignals } from './signals.ts'

/** `stopped`: tasks whose program was running. Their runners see that the session has ended, and stop the program. */
export async function endSession(parts: SessionParts, id: SessionId, by: string): Promise<Omit<Ended, 'session'>> {
  await noteSignals(parts, id)
  let stopped: readonly Task[] = []
  const isEnded = await parts.documents.end(id, by, (session, now) => {
    stopped = session.tasks.filter(({ state, via }) => state === 'in_progress' && via === 'program')
    const failed = stopped.map((task) => stepped(task, 'fail', now, { result: 'session ended' }))
    const text = stopped.length === 0 ? {} : { text: `stopped ${stopped.map((task) => task.id).join(', ')}` }
    return [failed.reduce(withTask, cleared(session)), { did: 'end', ...text }]
  })
  const session = await parts.documents.read(id)
  if (session?.status === 'ended') await clearAway(parts, { id, generation: session.generation })
  return { outcome: isEnded ? 'ended' : 'unchanged', stopped: isEnded ? stopped.map((task) => task.id) : [] }
}

/** Shared Agent Protocol §6: state is cleared on session end, but for what is marked as persistent. */
const cleared = (session: Session): Session => ({
  ...session,
  state: session.state.filter(({ persistent }) => persistent),
  channels: [],
  modes: [],
})

async function clearAway(parts: SessionParts, sitting: Sitting): Promise<void> {
  const { tree } = parts
  await locksOf(parts, sitting).clear()
  const signals = signalsFolder(sitting)
  for (const { name, kind } of await tree.list(signals)) {
    if (kind !== 'folder') continue
    const condition = childOf(signals, name)
    await tree.remove(childOf(condition, 'latch'))
    for (const place of ['line', 'bell']) await removeLeaves(parts, childOf(condition, place))
    await ring(tree, childOf(condition, 'bell'))
  }
  await tree.remove(trafficPath(sitting))
  await ring(tree, bellFolder(sitting.id))
}

async function removeLeaves({ tree }: SessionParts, folder: TreePath): Promise<void> {
  const leaves = (await tree.list(folder)).filter(({ kind }) => kind === 'leaf')
  for (const { name } of leaves) await tree.remove(childOf(folder, name))
}

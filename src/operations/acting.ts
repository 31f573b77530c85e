/** Whoever acts is seen: for commands that end or change what an agent holds. Sending and claiming are noted by each protocol. */
import { AgentDirectory } from '../messaging/agents/directory.ts'
import { unlessFailed } from '../messaging/leaves/tolerant.ts'
import type { StoresPlace } from './stores.ts'

/** A name that has never been seen is not noted, since it may be a slip; and nothing that goes wrong here stops the command. */
export async function seenActing(context: Pick<StoresPlace, 'tree'>, agent: string): Promise<void> {
  const directory = new AgentDirectory(await context.tree())
  if (await unlessFailed(directory.seen(agent))) await unlessFailed(directory.acted(agent, { anyCase: true }))
}

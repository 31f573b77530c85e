/** Whether a message goes to somebody who exists. Sending to a new name is allowed, and a mistyped one is such a name. */
import { nearest } from '../../kernel/nearest.ts'
import { agentId, agentPath } from '../../protocols/message-routing/layout.ts'
import type { Assembly } from './assembly.ts'

/** The agent that may have been meant, when nobody is called `to` yet. For a known one it is a single look. */
export async function someoneMeant({ routing, parts, root }: Assembly, to: string): Promise<string | undefined> {
  const isKnown = await parts.tree.look(agentPath(root, agentId(to)))
  return isKnown ? undefined : nearest(to, await routing.agents())
}

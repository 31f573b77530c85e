/**
 * Whether somebody exists. Sending to a new name is allowed, and so is waiting for a first message; but a mistyped name
 * looks just like a new one, and then everything succeeds and nothing ever arrives.
 */
import { notFound } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { agentId, agentPath } from '../../protocols/message-routing/layout.ts'
import type { Assembly } from './assembly.ts'

/** One look, for an agent that exists. */
const isKnown = async ({ parts, root }: Assembly, agent: string): Promise<boolean> =>
  (await parts.tree.look(agentPath(root, agentId(agent)))) !== undefined

/** The agent that may have been meant, when nobody has this name yet. */
export async function someoneMeant(assembly: Assembly, agent: string): Promise<string | undefined> {
  return (await isKnown(assembly, agent)) ? undefined : nearest(agent, await assembly.routing.agents())
}

/** A sentence for whoever looks into an inbox that is not there; none when it is. */
export async function noticesAboutReader(assembly: Assembly, agent: string): Promise<string[]> {
  if (await isKnown(assembly, agent)) return []
  const meant = nearest(agent, await assembly.routing.agents())
  return [`There is no agent ${agent} yet.${meant === undefined ? '' : ` Did you mean ${meant}?`}`]
}

export async function expectAgent(assembly: Assembly, agent: string): Promise<void> {
  if (await isKnown(assembly, agent)) return
  const known = await assembly.routing.agents()
  const meant = nearest(agent, known)
  throw notFound('NO_SUCH_AGENT', `There is no agent ${agent} under ${assembly.root}.`, {
    hint: meant === undefined ? `Make it: signalbox mr init ${agent}` : `Did you mean ${meant}?`,
    details: { agent, known: known.slice(0, 100) },
  })
}

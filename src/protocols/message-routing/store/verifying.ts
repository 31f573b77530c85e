/**
 * What every file has to pass before it counts as an answer, is answered, or speaks for what was handed out: where
 * messages are signed, it must be signed by whom it names and be for this agent. Where they are not signed, everything
 * passes. Messages that are received pass through `hooks.open`, which asks for more.
 */
import type { Rejection } from '../hooks.ts'
import type { AgentId } from '../layout.ts'
import type { MrMessage } from '../schema.ts'
import type { RoutingParts } from './parts.ts'

/** What speaks against it; `undefined` when nothing does. `message` is as it is on disk, with its payload sealed. */
export async function forgeryIn(
  { hooks }: Pick<RoutingParts, 'hooks'>,
  agent: AgentId,
  message: MrMessage,
): Promise<Rejection | undefined> {
  return hooks.verify?.(agent, message)
}

export const isGenuine = async (
  parts: Pick<RoutingParts, 'hooks'>,
  agent: AgentId,
  message: MrMessage,
): Promise<boolean> => (await forgeryIn(parts, agent, message)) === undefined

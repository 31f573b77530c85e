/**
 * Which way each type usually goes. Roles are read off the names, as the specification's examples have them; what goes
 * another way is noted and delivered all the same. Spec: Message Routing, "Message Types Catalog".
 */
import type { MessageType, MrMessage } from './schema.ts'

type Role = 'agent' | 'coordinator'

const usual: Readonly<Record<MessageType, readonly `${Role} to ${Role}`[]>> = {
  'status-update': ['agent to coordinator'],
  'task-delegation': ['agent to agent', 'coordinator to agent'],
  result: ['agent to agent', 'agent to coordinator'],
  command: ['coordinator to agent'],
  heartbeat: ['agent to coordinator'],
}

const roleOf = (name: string): Role => (/^coordinator(?:[-_]|$)/.test(name) ? 'coordinator' : 'agent')

/** A sentence about an unusual direction, else `undefined`. An acknowledgement goes wherever the message came from. */
export function unusualDirection({ from, to, type, correlation_id }: MrMessage): string | undefined {
  if (type === 'status-update' && typeof correlation_id === 'string') return undefined
  const direction = `${roleOf(from)} to ${roleOf(to)}` as const
  if (!Object.hasOwn(usual, type) || usual[type].includes(direction)) return undefined
  return `A ${type} usually goes from ${usual[type].join(' or ')}; this one goes from ${direction}.`
}

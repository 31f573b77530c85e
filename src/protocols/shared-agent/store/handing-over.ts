/** Hands tasks over: a runner is started for a program; the bridge carries those for agents that are at home elsewhere. */
import { SignalboxError, unavailable } from '../../../kernel/errors.ts'
import { messageIdOf } from '../envelope.ts'
import type { SessionId } from '../layout.ts'
import type { Carrying } from '../ports.ts'
import { isAway, type Task } from '../record.ts'
import { roleOf } from '../roles.ts'
import type { SessionParts } from './parts.ts'

/** Where the tasks of an agent go: to its program, or to the protocol that it is at home in; `undefined`: it finds them here. */
export async function carrierFor(parts: SessionParts, agent: string): Promise<string | undefined> {
  const role = roleOf(await parts.roles(), agent)
  if (role?.program) return 'program'
  const home = (await parts.homeOf(agent)) ?? role?.via
  return home === 'session' ? undefined : home
}

/** Tasks stay recorded if that fails; `#RETRY` and `session work` try again. */
export async function handOver(parts: SessionParts, id: SessionId, tasks: readonly Task[]): Promise<void> {
  const { ports, settings } = parts
  for (const task of tasks) if (task.via === 'program' && settings.startRunners) await ports.startRunner?.(id, task.id)
  const agents = tasks.filter(isAway).map(({ agent }) => agent)
  if (agents.length > 0) await carry(parts, id, { agents, isCarryingOnly: true })
}

/** One pass of the bridge. Answers the ids of the tasks that it has ended. */
export async function carry({ ports }: SessionParts, id: SessionId, wanted: Carrying): Promise<readonly string[]> {
  const hint = 'Say it from the command line.'
  if (!ports.carry) throw unavailable('NO_CARRIER', 'Nothing here carries tasks to other protocols.', { hint })
  const prefix = messageIdOf(id, { id: '' })
  const ended = await ports.carry(id, wanted)
  return ended.flatMap((message) => (message.startsWith(prefix) ? [message.slice(prefix.length)] : []))
}

/** An error of another protocol holds up nothing here: it is asked again later. */
export async function unlessTroubled<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SignalboxError) return undefined
    throw error
  }
}

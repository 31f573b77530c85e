/** What a translator may know of the session in which something is said. All of it is a help; none of it is needed. */
import type { CommandSpec } from '../commands/spec.ts'
import { commands } from '../commands/table.ts'

export interface Surroundings {
  readonly table: readonly CommandSpec[]
  readonly agents: readonly string[]
  readonly keys: readonly string[]
  /** Oldest first. */
  readonly checkpoints: readonly { readonly id: string; readonly name: string }[]
  readonly tasks: readonly { readonly id: string; readonly agent: string; readonly task: string }[]
}

/** The agents of the specification's examples: they can be spoken of in a new session. */
export const usualAgents = ['DevAgent', 'TestAgent'] as const

export const nowhere: Surroundings = { table: commands, agents: [], keys: [], checkpoints: [], tasks: [] }

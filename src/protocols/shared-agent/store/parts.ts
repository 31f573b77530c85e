/** What the parts of the store share. */
import type { Clock } from '../../../kernel/clock.ts'
import type { LoadTokenizer } from '../../../kernel/tokenizer.ts'
import type { Tree } from '../../../tree/tree.ts'
import type { CommandSpec } from '../commands/spec.ts'
import type { SessionPorts } from '../ports.ts'
import type { Roles } from '../roles.ts'
import type { SessionSettings } from '../settings.ts'
import type { Documents } from './document.ts'

export interface SessionParts {
  readonly tree: Tree
  readonly clock: Clock
  readonly settings: SessionSettings
  readonly ports: Partial<SessionPorts>
  readonly documents: Documents
  readonly tokenizer: LoadTokenizer
  /** Roles and added commands, read at the first use. */
  roles(): Promise<Roles>
  /** Notes in the directory of the workspace that this agent acts; refuses a known name in other capitals. */
  acted(agent: string): Promise<void>
  /** The protocol that an agent is at home in, if people have written that in its file. */
  homeOf(agent: string): Promise<string | undefined>
  /** All commands, with those that the workspace has added. `head`: the command of the line; the table may then be shorter. */
  table(head?: string): Promise<readonly CommandSpec[]>
}

export const isOrchestrator = ({ settings }: SessionParts, agent: string): boolean => agent === settings.orchestrator

/** §2.5: natural language is the default for the orchestrator and for users, "agents always use protocol". */
export const speaksInWords = ({ settings }: SessionParts, agent: string): boolean =>
  agent === settings.orchestrator || settings.people.includes(agent)

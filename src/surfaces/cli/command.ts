/** A command is an operation with a name on the command line and a way to show its result to people. */
import type { Operation, Talk } from '../../operations/define.ts'
import type { Conversation } from './conversation.ts'
import type { Screen } from './terminal.ts'

/** A caller that speaks line by line, and is told what happens. */
export interface SpokenTo extends Talk {
  /** False when the caller has gone. */
  tell(event: { readonly outcome: string }): boolean
  close(): void
}

export interface CommandFace<Output = never> {
  readonly operation: Operation
  /** The result as text that ends in a line feed; empty if everything was printed before. */
  readonly show: (output: Output, screen: Screen) => string
  /** What else people should know, for standard error. Programs find the same in the result. */
  readonly aside?: (output: Output, screen: Screen) => string
  /** For an operation that goes on: what happened just now, as text. A program gets all of it at the end. */
  readonly event?: (event: Output, screen: Screen) => string
  /** For an operation that is spoken to while it goes on: how it is. */
  readonly talk?: (conversation: Conversation, stopped: AbortSignal) => SpokenTo
}

export const commandFace = <Output extends { readonly outcome: string }>(
  operation: Operation<Output>,
  show: CommandFace<Output>['show'],
  more: Pick<CommandFace<Output>, 'aside' | 'event' | 'talk'> = {},
): CommandFace => ({ operation, show, ...more })

export interface Command {
  readonly name: string
  load(): Promise<CommandFace>
}

export interface Group {
  readonly name: string
  readonly members: readonly (Command | Group)[]
  /** The member to run when none is named; without one, help is shown. */
  readonly alone?: string
}

/** One sentence about each command and group, by its words after the program; the program's own is at `''`. */
export type Summaries = Readonly<Record<string, string>>

export const isGroup = (member: Command | Group): member is Group => 'members' in member

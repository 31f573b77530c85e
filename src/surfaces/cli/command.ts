/** A command is an operation with a name on the command line and a way to show its result to people. */
import type { Context, Operation } from '../../operations/define.ts'
import type { Conversation } from './conversation.ts'
import type { Screen } from './terminal.ts'

/** Runs a command until it is told to stop. Its answer is that of its operation. */
type Residence = (
  context: Context,
  input: unknown,
  stopped: AbortSignal,
  /** Standard input and output, for those that are spoken to. */
  conversation: Conversation,
) => Promise<{ readonly outcome: string }>

export interface CommandFace<Output = never> {
  readonly operation: Operation
  /** The result as text that ends in a line feed; empty if everything was printed before. */
  readonly show: (output: Output, screen: Screen) => string
  /** What else people should know, for standard error. Programs find the same in the result. */
  readonly aside?: (output: Output, screen: Screen) => string
  /** How to run it if this input asks it to go on until it is stopped. */
  readonly stay?: (input: Readonly<Record<string, unknown>>) => Residence | undefined
}

export const commandFace = <Output extends { readonly outcome: string }>(
  operation: Operation<Output>,
  show: CommandFace<Output>['show'],
  more: Pick<CommandFace<Output>, 'aside' | 'stay'> = {},
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

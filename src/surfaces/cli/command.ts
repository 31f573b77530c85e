/** A command is an operation with a name on the command line and a way to show its result to people. */
import type { Context, Operation } from '../../operations/define.ts'
import type { Screen } from './terminal.ts'

/** Runs a command that goes on until it is told to stop, and gives what its operation would give. */
export type Residence = (
  context: Context,
  input: unknown,
  stopped: AbortSignal,
) => Promise<{ readonly outcome: string }>

export interface CommandFace {
  readonly operation: Operation
  /** The result as text that ends in a line feed; empty when everything was said along the way. */
  show(output: never, screen: Screen): string
  /** What else people should know, for standard error. Programs find it in the result. */
  aside?(output: never, screen: Screen): string
  /** The way to run it when this input asks it to stay. */
  stay?(input: Readonly<Record<string, unknown>>): Residence | undefined
}

export interface MoreFace<Output> {
  readonly aside?: (output: Output, screen: Screen) => string
  readonly stay?: NonNullable<CommandFace['stay']>
}

export const commandFace = <Output extends { readonly outcome: string }>(
  operation: Operation<Output>,
  show: (output: Output, screen: Screen) => string,
  more: MoreFace<Output> = {},
): CommandFace => ({ operation, show, ...more })

export interface Command {
  readonly name: string
  readonly summary: string
  load(): Promise<CommandFace>
}

export interface Group {
  readonly name: string
  readonly summary: string
  readonly members: readonly (Command | Group)[]
  /** The member that is meant when none is named; without one, help is. */
  readonly alone?: string
}

export const isGroup = (member: Command | Group): member is Group => 'members' in member

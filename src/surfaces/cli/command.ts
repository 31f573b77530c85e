/** A command is an operation with a name on the command line and a way to show its result to people. */
import type { Operation } from '../../operations/define.ts'
import type { Screen } from './terminal.ts'

export interface CommandFace {
  readonly operation: Operation
  /** The result as text that ends in a line feed; empty when everything was said along the way. */
  show(output: never, screen: Screen): string
}

export const commandFace = <Output extends { readonly outcome: string }>(
  operation: Operation<Output>,
  show: (output: Output, screen: Screen) => string,
): CommandFace => ({ operation, show })

export interface Command {
  readonly name: string
  readonly summary: string
  load(): Promise<CommandFace>
}

export interface Group {
  readonly name: string
  readonly summary: string
  readonly members: readonly (Command | Group)[]
}

export const isGroup = (member: Command | Group): member is Group => 'members' in member

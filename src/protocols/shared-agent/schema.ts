/** A parsed line of this protocol. */
import type { CommandSpec } from './commands/spec.ts'

export type Modifier = 'brief' | 'standard' | 'detailed' | { readonly limit: number }
export type Priority = 0 | 1 | 2 | 3

export interface Command {
  readonly kind: 'command'
  readonly spec: CommandSpec
  /** By the name of the parameter or tail; those that were left out are absent. */
  readonly given: Readonly<Record<string, string>>
  readonly modifier: Modifier | undefined
}

/** `{{NAME}}: "value"`. Shared Agent Protocol §4. */
export interface Declaration {
  readonly kind: 'declaration'
  readonly name: string
  readonly value: string
}

/** Neither: words to a person or to a translator. */
export interface Plain {
  readonly kind: 'plain'
  readonly text: string
}

export type Line = Command | Declaration | Plain

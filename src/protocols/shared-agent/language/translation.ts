/** What a translator is told about the session, and what it answers. */
import type { CommandSpec } from '../commands/spec.ts'
import { commands } from '../commands/table.ts'

/** All of it is a help to the translator; none of it is needed. */
export interface TranslatorContext {
  readonly table: readonly CommandSpec[]
  readonly agents: readonly string[]
  readonly keys: readonly string[]
  /** Oldest first. */
  readonly checkpoints: readonly { readonly id: string; readonly name: string }[]
  readonly tasks: readonly { readonly id: string; readonly agent: string; readonly task: string }[]
}

/** The agents of the specification's examples: they can be spoken of in a new session. */
export const usualAgents = ['DevAgent', 'TestAgent'] as const

export const nowhere: TranslatorContext = { table: commands, agents: [], keys: [], checkpoints: [], tasks: [] }

/** Why the translator asks back. */
export type Reason =
  /** Nothing in it is a request, no command does this, or it is not certain which. */
  | 'unclear'
  /** The request is clear, and a part of it is not said. */
  | 'missing'
  /** It would destroy something, and was not plainly asked for. */
  | 'destructive'
  /** It has several readings. */
  | 'either'
  /** It has more than one request, and they cannot simply be run one after the other. */
  | 'several'

export type Translation =
  | { readonly outcome: 'command'; readonly command: string }
  /** Several requests, each certain and none destructive, in the order in which they were said. */
  | { readonly outcome: 'commands'; readonly commands: readonly string[] }
  | {
      readonly outcome: 'asked'
      readonly reason: Reason
      /** In words, for the speaker. */
      readonly question: string
      /** What a `yes` runs. */
      readonly command?: string
      /** Why a configured model was of no help. */
      readonly note?: string
    }

export type Asked = Extract<Translation, { outcome: 'asked' }>

/** What reading a stranger's file answers, in every protocol: a message, or what is wrong with it. Reading never throws. */
import { integer } from './field.ts'

/** One thing that is wrong, in words for people and a code for programs. */
export interface Problem {
  /** Stable, upper case: `BAD_PRIORITY`, `MISSING_FIELD`. */
  readonly code: string
  /** `priority`, `payload.issues[2]`; empty for the whole file. */
  readonly field: string
  /** One line, with the place where that is known. */
  readonly message: string
  /** What to do next, in the imperative. */
  readonly hint?: string
}

export type Parsed<Message> =
  /** `problems` did not keep it from being read; defaults stand in. */
  { readonly outcome: 'message'; readonly message: Message; readonly problems: readonly Problem[] } | Malformed

export interface Malformed {
  readonly outcome: 'malformed'
  readonly problems: readonly [Problem, ...Problem[]]
  /** It may only be a file that its writer has not finished yet. */
  readonly isUnfinished?: boolean
}

const mebibyte = 1024 * 1024

/** How large a file may be that is read as a message, in bytes, unless configured. */
export const largestMessage = 16 * mebibyte

/** The setting of each protocol for it. */
export const largestMessageField = integer(
  'A larger file, in bytes, is no message: it is set aside without being read.',
  {
    default: largestMessage,
    least: 64 * 1024,
    most: 512 * mebibyte,
  },
)

/** What is wrong with a file of this size; `undefined` when nothing is. */
export const tooLarge = (size: number, most: number = largestMessage): Problem | undefined =>
  size <= most
    ? undefined
    : {
        code: 'TOO_LARGE',
        field: '',
        message: `It has ${size} bytes, and a message has at most ${most}; it was not read.`,
        hint: 'Put the large part into a file of its own and name its path, or raise `largestMessage` in signalbox.yaml.',
      }

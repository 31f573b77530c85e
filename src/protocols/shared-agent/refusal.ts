/** The error codes of Shared Agent Protocol §7, and an answer that is one of them. */

export const errorCodes = {
  E001: 'Unknown command',
  E002: 'Invalid parameters',
  E003: 'State limit exceeded',
  E004: 'Token limit exceeded',
  E005: 'Permission denied',
} as const

/** Ends a text that was cut. */
export const cutMark = '…'

export type ErrorCode = keyof typeof errorCodes

/** Why a line was refused. */
export class Refusal extends Error {
  readonly code: ErrorCode
  /** A few words joined by underscores, such as the specification's `max_limit_100`. */
  readonly description: string
  /** The place in the line, counted from 0. */
  readonly at: number | undefined

  constructor(code: ErrorCode, description: string, reason: string, at?: number) {
    super(reason)
    this.code = code
    this.description = description
    this.at = at
  }

  /** §7, "Error Response Format". */
  get answer(): string {
    return `#ERROR:${this.code}:${this.description}`
  }
}

/** Words from outside in a description: characters that could end it or break the line are replaced, and it is shortened. */
export const quotedWord = (word: string): string => shortened(word.replace(/[^A-Za-z0-9_.-]+/g, '_')) || 'empty'

const longest = 32

/** Cuts behind a word, or inside it if it is the only one, and marks the cut. */
function shortened(words: string): string {
  if (words.length <= longest) return words
  const end = words.lastIndexOf('_', longest)
  return `${words.slice(0, end > 0 ? end : longest)}${cutMark}`
}

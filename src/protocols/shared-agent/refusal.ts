/** The error codes of Shared Agent Protocol §7, and an answer that is one of them. */

export const errorCodes = {
  E001: 'Unknown command',
  E002: 'Invalid parameters',
  E003: 'State limit exceeded',
  E004: 'Token limit exceeded',
  E005: 'Permission denied',
} as const

/** At the end of what was cut. */
export const cutMark = '…'

export type ErrorCode = keyof typeof errorCodes

/** Why a line was not done. Returned by what only reads a line, thrown by what works on a session. */
export class Refusal extends Error {
  readonly code: ErrorCode
  /** In the manner of the specification's `max_limit_100`: a few words, joined by underscores. */
  readonly description: string
  /** Where in the line, counted from 0, if it is about a place. */
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

/** A stranger's words inside a description: what could end it or break the line is left out, and the rest is short. */
export const quotedWord = (word: string): string => shortened(word.replace(/[^A-Za-z0-9_.-]+/g, '_')) || 'empty'

const longest = 32

/** Cut behind a word, with a mark that says so; inside of one only where there is no other. */
function shortened(words: string): string {
  if (words.length <= longest) return words
  const end = words.lastIndexOf('_', longest)
  return `${words.slice(0, end > 0 ? end : longest)}${cutMark}`
}

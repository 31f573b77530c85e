/** How large a file may be that is read as a message, in every protocol: a setting of each, and what it is unless configured. */
import { integer } from './field.ts'
import type { Problem } from './problem.ts'

const mebibyte = 1024 * 1024

export const largestMessage = 16 * mebibyte

/** The setting of a protocol. */
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

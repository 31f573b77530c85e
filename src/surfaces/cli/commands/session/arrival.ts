/** A message of a session as one line. */
import { printableLine } from '../../../../kernel/printable.ts'
import type { Mail } from '../../../../operations/session/open.ts'

/** Behind a message that a reader was given before and perhaps has not written out. */
export const givenAgain = ' (given again)'

export const arrival = ({ from, channel, kind, about, text, redelivered }: Mail): string => {
  const where = channel ?? (kind === 'DIRECT' ? undefined : [kind, about].filter((one) => one !== undefined).join(' '))
  return printableLine(`${from}${where === undefined ? '' : ` ${where}`}: ${text}${redelivered ? givenAgain : ''}`)
}

/** A message of a session as one line. */
import { printableLine } from '../../../../kernel/printable.ts'
import { type Mail, sessionFolder } from '../../../../operations/session/fields.ts'
import { quotedLine } from '../../message.ts'

/** Over 20 KB it is cut. Once an inbox has handed it out, the log still has it. */
export const shownText = (text: string, session: string): string =>
  quotedLine(text, sessionFolder(session), `signalbox session log --session ${session} --json`)

/** Its text, with a mark if it was handed out before to a reader that perhaps has not printed it. */
export const mailText = ({ text, redelivered }: Mail, session: string): string =>
  `${shownText(text, session)}${redelivered ? ' (given again)' : ''}`

export const arrival = (mail: Mail, session: string): string => {
  const { from, channel, kind, about } = mail
  const where = channel ?? (kind === 'DIRECT' ? undefined : [kind, about].filter((one) => one !== undefined).join(' '))
  return `${printableLine(`${from}${where === undefined ? '' : ` ${where}`}`)}: ${mailText(mail, session)}`
}

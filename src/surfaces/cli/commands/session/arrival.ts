/** What is told in a conversation: a message as one line, and an answer with operations spelled as commands. */
import { printableLine } from '../../../../kernel/printable.ts'
import { mapAdvice } from '../../../../kernel/shape.ts'
import { type Mail, sessionFolder } from '../../../../operations/session/fields.ts'
import type { Answered } from '../../../../operations/session/refusing.ts'
import { answers } from '../../../../operations/session/shapes.ts'
import { quotedLine } from '../../message.ts'
import type { Screen } from '../../terminal.ts'

/** Over 20 KB it is cut. Once an inbox has handed it out, the log still has it. */
export const shownText = (text: string, session: string): string =>
  quotedLine(text, sessionFolder(session), `signalbox session log --session ${session} --json`)

/** Its text, with a mark if another reader was given it before and perhaps did not print it. */
export const mailText = ({ text, redelivered }: Mail, session: string): string =>
  `${shownText(text, session)}${redelivered ? ' (given again)' : ''}`

export const arrival = (mail: Mail, session: string): string => {
  const { from, channel, kind, about } = mail
  const where = channel ?? (kind === 'DIRECT' ? undefined : [kind, about].filter((one) => one !== undefined).join(' '))
  return `${printableLine(`${from}${where === undefined ? '' : ` ${where}`}`)}: ${mailText(mail, session)}`
}

export const spelledAnswer = (said: Answered, { spell }: Screen): Answered =>
  mapAdvice(said, answers[said.outcome], spell) as Answered

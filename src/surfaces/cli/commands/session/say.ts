import { printable } from '../../../../kernel/printable.ts'
import { reasonOf } from '../../../../operations/session/refusing.ts'
import { sessionSay, sessionTranslate } from '../../../../operations/session/say.ts'
import { commandFace } from '../../command.ts'
import { failureText } from '../../failure.ts'

/** The answer as the protocol writes it, and nothing else; beside it why it was refused. */
export const sayFace = commandFace(sessionSay, ({ answer }) => `${printable(answer)}\n`, {
  aside(answered, { paint }) {
    const reason = reasonOf(answered)
    return reason ? failureText(reason, 'signalbox', paint) : ''
  },
})

/** The command alone, so that it can be said as it is; several of them a line each; or the question. */
export const translateFace = commandFace(sessionTranslate, (translation) => {
  if (translation.outcome === 'command') return `${printable(translation.command)}\n`
  if (translation.outcome === 'commands') return translation.commands.map((one) => `${printable(one)}\n`).join('')
  const { question, note } = translation
  return `${printable([question, ...(note === undefined ? [] : [note])].join('\n'))}\n`
})

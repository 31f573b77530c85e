/** `serve-stdio`: a program speaks in a session, a line at a time. */
import { printable } from '../../../../kernel/printable.ts'
import type { Told } from '../../../../operations/session/conversing.ts'
import { reasonOf } from '../../../../operations/session/refusing.ts'
import { sessionServeStdio } from '../../../../operations/session/serve.ts'
import { commandFace } from '../../command.ts'
import { linesOf } from '../../conversation.ts'
import { printJson } from '../../lines.ts'
import { arrival, spelledAnswer } from './arrival.ts'

export const serveFace = commandFace(sessionServeStdio, () => '', {
  talk: (conversation, stopped) => ({
    async *lines() {
      for await (const line of linesOf(conversation.input, stopped)) if (line.trim() !== '') yield line
    },
    onInterrupt() {},
    tell(event) {
      const told = event as Told
      if (told.outcome === 'begun') return true
      if (told.outcome === 'arrived') {
        const { session, ...arrived } = told
        return conversation.print(conversation.json ? printJson(arrived) : `* ${arrival(arrived.message, session)}\n`)
      }
      const said = spelledAnswer(told, conversation.screen)
      if (conversation.json) return conversation.print(printJson(said))
      const isPrinted = conversation.print(`${printable(said.answer)}\n\n`)
      const reason = reasonOf(said)
      if (reason) conversation.notice([reason.message, ...(reason.hint ? [reason.hint] : [])].join(' '))
      return isPrinted
    },
    close() {},
  }),
})

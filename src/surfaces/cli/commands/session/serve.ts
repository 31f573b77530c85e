/** `serve-stdio`: a program speaks in a session, a line at a time. */
import { printable } from '../../../../kernel/printable.ts'
import type { Context } from '../../../../operations/define.ts'
import { type Mail, openSessions, type Sessions, speakerIn } from '../../../../operations/session/fields.ts'
import { answerOrRefusal, reasonOf } from '../../../../operations/session/refusing.ts'
import { type Spoken, sessionServeStdio } from '../../../../operations/session/serve.ts'
import { commandFace } from '../../command.ts'
import { type Conversation, linesOf } from '../../conversation.ts'
import { printJson } from '../../lines.ts'
import { arrival } from './arrival.ts'

export const serveFace = commandFace(sessionServeStdio, () => '', { stay: () => serve })

async function serve(
  context: Context,
  input: unknown,
  stopped: AbortSignal,
  conversation: Conversation,
): Promise<Spoken> {
  const { sessions, session, agent, over } = await beginTalk(context, input, stopped)
  const arriving = tellArrivals(sessions, { session, agent }, over.signal, (mail) =>
    conversation.print(
      conversation.json ? printJson({ outcome: 'arrived', message: mail }) : `* ${arrival(mail, session)}\n`,
    ),
  )
  let lines = 0
  try {
    for await (const line of linesOf(conversation.input, stopped)) {
      if (line.trim() === '') continue
      // A refused or failed line does not end the conversation: the next one may not need what was missing.
      const said = await answerOrRefusal(() => sessions.say(line, { session, agent, signal: over.signal }))
      lines++
      if (!conversation.print(conversation.json ? printJson(said) : `${printable(said.answer)}\n\n`)) break
      const reason = conversation.json ? undefined : reasonOf(said)
      if (reason) context.report.notice([reason.message, ...(reason.hint ? [reason.hint] : [])].join(' '))
    }
  } finally {
    over.abort()
    await arriving
  }
  return { outcome: 'ended', session, lines }
}

/** Who speaks in which session: the one that is named, else the current one, else a new one. `over` ends what is under way. */
export async function beginTalk(context: Context, input: unknown, stopped: AbortSignal) {
  const { session: named } = input as { readonly session?: string }
  const sessions = await openSessions(context)
  const agent = await speakerIn(context)
  const session = named ?? (await sessions.current()) ?? (await sessions.start(undefined, { agent })).session
  const over = new AbortController()
  stopped.addEventListener('abort', () => over.abort())
  return { sessions, session, agent, over }
}

/** Tells messages as they come, each once, until `over`. What could not be told is put back. */
export async function tellArrivals(
  sessions: Sessions,
  { session, agent }: { readonly session: string; readonly agent: string },
  over: AbortSignal,
  tell: (mail: Mail) => boolean,
): Promise<void> {
  const options = { session, waitMs: longest, limit: atOnce, untilHandedOut: true, signal: over }
  while (!over.aborted) {
    const mails = await sessions.inbox(agent, options)
    const left = mails.findIndex((mail) => over.aborted || !tell(mail))
    await sessions.handedOut(agent, left < 0 ? mails : mails.slice(0, left), session)
    if (left < 0) continue
    await sessions.putBack(agent, mails.slice(left), session)
    return
  }
}

/** Few enough to be written out before another reader takes them for lost. */
const atOnce = 100
const longest = 24 * 60 * 60 * 1000

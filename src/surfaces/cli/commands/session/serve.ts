/** `serve-stdio`: a program speaks in a session, a line at a time. */
import { SignalboxError } from '../../../../kernel/errors.ts'
import { printable } from '../../../../kernel/printable.ts'
import type { Context } from '../../../../operations/define.ts'
import { type Mail, openSessions, type Said, type Sessions, speakerIn } from '../../../../operations/session/open.ts'
import { type Spoken, sessionServeStdio } from '../../../../operations/session/serve.ts'
import { commandFace } from '../../command.ts'
import { type Conversation, linesOf } from '../../conversation.ts'
import { failureJson, failureOf, failureText } from '../../failure.ts'
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
    conversation.print(conversation.json ? printJson({ outcome: 'arrived', message: mail }) : `* ${arrival(mail)}\n`),
  )
  let lines = 0
  try {
    for await (const line of linesOf(conversation.input, stopped)) {
      if (line.trim() === '') continue
      const saying = sessions.say(line, { session, agent, signal: over.signal })
      const shown = await shownAnswer(saying, conversation, (said) => `${printable(said.answer)}\n`)
      lines++
      if (!conversation.print(conversation.json ? shown : `${shown}\n`)) break
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

/** What fails is told as any command tells it, and ends no conversation: the next line may need no git, or find it there. */
export async function shownAnswer(
  saying: Promise<Said>,
  { json, screen: { paint } }: Pick<Conversation, 'json' | 'screen'>,
  text: (said: Said) => string,
): Promise<string> {
  try {
    const said = await saying
    return json ? printJson(said) : text(said)
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    const failure = failureOf(error)
    return json ? printJson(failureJson(failure)) : failureText(failure, 'signalbox', paint)
  }
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

/** Few enough to be written out before anybody takes them for lost. */
const atOnce = 100
const longest = 24 * 60 * 60 * 1000

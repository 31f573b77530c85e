/**
 * A caller speaks in a session line by line and gets an answer for each; what comes for it meanwhile is told as it comes. Ends
 * with the caller's last line, or with the signal.
 */
import { unsupported } from '../../kernel/errors.ts'
import type { Context } from '../define.ts'
import { type CommandSpec, type Mail, openSessions, type Sessions, speakerIn } from './fields.ts'
import { type Answered, answerOrRefusal } from './refusing.ts'

export interface Spoken {
  readonly outcome: 'ended'
  readonly session: string
  /** How many lines were answered. */
  readonly lines: number
}

/** What a caller is told while it speaks. */
export type Told =
  | { readonly outcome: 'begun'; readonly session: string; readonly commands: readonly CommandSpec[] }
  | { readonly outcome: 'arrived'; readonly message: Mail; readonly session: string }
  | Answered

export async function* converse(
  context: Context,
  { session: named }: { readonly session?: string },
): AsyncGenerator<Told, Spoken> {
  const { talk, signal } = context
  if (!talk) throw needsTalk()
  const sessions = await openSessions(context)
  const agent = await speakerIn(context)
  const session = named ?? (await sessions.current()) ?? (await sessions.start(undefined, { agent })).session
  const over = new AbortController()
  signal?.addEventListener('abort', () => over.abort())
  yield { outcome: 'begun', session, commands: await sessions.commands() }
  const events = new Events<Told>()
  const arriving = tellArrivals(sessions, { session, agent }, over.signal, (message) =>
    events.tell({ outcome: 'arrived', message, session }),
  )
  let lines = 0
  const answer = async () => {
    let saying = new AbortController()
    talk.onInterrupt(() => saying.abort())
    over.signal.addEventListener('abort', () => saying.abort())
    for await (const line of talk.lines()) {
      if (over.signal.aborted) break
      saying = new AbortController()
      // A refused or failed line does not end the conversation: the next one may not need what was missing.
      const said = await answerOrRefusal(() => sessions.say(line, { session, agent, signal: saying.signal }))
      lines++
      if (!(await events.tell(said))) break
    }
  }
  const ended = answer().finally(async () => {
    over.abort()
    await arriving
    events.end()
  })
  try {
    yield* events
    // Thrown where the store or the input failed.
    await ended
  } finally {
    over.abort()
    events.end()
    await Promise.allSettled([ended])
  }
  return { outcome: 'ended', session, lines }
}

const needsTalk = () =>
  unsupported('NEEDS_STANDARD_INPUT', 'This goes on as long as its caller speaks, line by line.', {
    hint: 'Run it from a command line. A program that has the library says lines by `sessions.say`.',
  })

/** Tells messages as they come, each once, until `over`. What could not be told is put back. */
async function tellArrivals(
  sessions: Sessions,
  { session, agent }: { readonly session: string; readonly agent: string },
  over: AbortSignal,
  tell: (mail: Mail) => Promise<boolean>,
): Promise<void> {
  const options = { session, waitMs: longest, limit: atOnce, untilHandedOut: true, signal: over }
  while (!over.aborted) {
    const mails = await sessions.inbox(agent, options)
    let told = 0
    while (told < mails.length && !over.aborted && (await tell(mails[told]!))) told++
    await sessions.handedOut(agent, mails.slice(0, told), session)
    if (told === mails.length) continue
    await sessions.putBack(agent, mails.slice(told), session)
    return
  }
}

/** Few enough to be written out before another reader takes them for lost. */
const atOnce = 100
const longest = 24 * 60 * 60 * 1000

/** What several loops tell, as one stream. */
class Events<T> implements AsyncIterable<T> {
  readonly #waiting: { readonly event: T; readonly told: (isTold: boolean) => void }[] = []
  #isOver = false
  #wake = () => {}

  /** True once the reader has dealt with it, which is when it asks for the next one; false where it does not any more. */
  tell(event: T): Promise<boolean> {
    if (this.#isOver) return Promise.resolve(false)
    return new Promise((told) => {
      this.#waiting.push({ event, told })
      this.#wake()
    })
  }

  end(): void {
    this.#isOver = true
    for (const { told } of this.#waiting.splice(0)) told(false)
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    while (!this.#isOver) {
      const next = this.#waiting.shift()
      if (next) {
        let isTold = false
        try {
          yield next.event
          isTold = true
        } finally {
          next.told(isTold)
        }
      } else
        await new Promise<void>((wake) => {
          this.#wake = wake
        })
    }
  }
}

/** Sessions of the Shared Agent Protocol in one workspace: what `openWorkspace(…).sessions` offers. */
import { once } from '../../../kernel/once.ts'
import { unlessFailed } from '../../../messaging/leaves/tolerant.ts'
import type { Listening, ListenOptions } from '../../../messaging/waiting/waiting.ts'
import type { Finding } from '../../../tree/tree.ts'
import type { InspectionOptions, Neutral, Surroundings } from '../../contract.ts'
import { type CommandSpec, wordsOf } from '../commands/spec.ts'
import { commands } from '../commands/table.ts'
import type { Translation } from '../language/translation.ts'
import { agentName, bellFolder, type SessionId, sessionId } from '../layout.ts'
import type { SessionPorts } from '../ports.ts'
import { expectCommand, noRoles } from '../roles.ts'
import type { SessionSettings } from '../settings.ts'
import { Documents } from './document.ts'
import type {
  Ended,
  InboxOptions,
  LockView,
  LogLine,
  Mail,
  SayOptions,
  SayOutcome,
  SessionView,
  Started,
  WorkOptions,
} from './outcomes.ts'
import { currentSession, freeName, makeCurrent, readableSessions } from './overview.ts'
import type { SessionParts } from './parts.ts'
import { say } from './speaking.ts'
import { lockOf, logLineOf, mailOf, sayOutcomeOf, sessionViewOf } from './view.ts'
import type { Worked } from './working.ts'

/** Without ports there are no roles, and tokens are estimated. */
export type Opening = Surroundings<SessionSettings> & Partial<SessionPorts>

export class Sessions {
  readonly #parts: SessionParts

  constructor({ tree, clock, settings, ...ports }: Opening) {
    const roles = once(async () => {
      const found = await ports.readRoles?.()
      return found ? (await import('../read-roles.ts')).readRoles(found, ports.carriers) : noRoles
    })
    const directory = once(
      async () => new (await import('../../../messaging/agents/directory.ts')).AgentDirectory(tree),
    )
    this.#parts = {
      tree,
      clock,
      settings,
      ports,
      documents: new Documents(tree),
      tokenizer: once(async () => {
        const exact = await ports.tokenizer?.(settings.tokenizer)
        return exact ?? (await import('../estimating-tokenizer.ts')).estimatingTokenizer
      }),
      roles,
      acted: async (agent) => (await directory()).acted(agent, { home: 'session' }),
      homeOf: async (agent) => (await unlessFailed((await directory()).listing(agent)))?.home?.protocol,
      async table(head) {
        // `session.yaml` cannot change these commands.
        if (commands.some((spec) => wordsOf(spec)[0] === head)) return commands
        const read = await roles()
        if (head !== undefined) expectCommand(read, head)
        return read.commands.length === 0 ? commands : [...commands, ...read.commands]
      },
    }
  }

  async neutral(): Promise<Neutral> {
    return (await import('./neutral.ts')).neutral(this, this.#parts)
  }

  /** Starts a session, one with a new name if none is given, and makes it the current one. */
  async start(name?: string, { agent }: { readonly agent?: string } = {}): Promise<Started> {
    const by = this.#speaker(agent)
    const id = name === undefined ? await freeName(this.#parts) : sessionId(name)
    const isRunning = (await this.#parts.documents.read(id))?.status === 'running'
    if (!isRunning) await this.#parts.documents.change(id, { by }, () => ({ answer: undefined }))
    await makeCurrent(this.#parts, id)
    return { outcome: isRunning ? 'unchanged' : 'started', session: id }
  }

  /** Ends a session: what is temporary in it is cleared, its locks, waits and subscriptions are released, its programs end. */
  async end(name: string, { agent }: { readonly agent?: string } = {}): Promise<Ended> {
    const { endSession } = await import('./ending.ts')
    const id = sessionId(name)
    return { ...(await endSession(this.#parts, id, this.#speaker(agent))), session: id }
  }

  async list(): Promise<readonly SessionView[]> {
    const current = await currentSession(this.#parts)
    const views: SessionView[] = []
    for await (const session of readableSessions(this.#parts)) views.push(sessionViewOf(session, current))
    return views
  }

  /** The session that is meant when none is named. */
  current(): Promise<string | undefined> {
    return currentSession(this.#parts)
  }

  /** Says one line, and answers as the specification writes it. */
  async say(line: string, { session, agent, signal }: SayOptions = {}): Promise<SayOutcome> {
    const by = this.#speaker(agent)
    const id = await this.#meant(session)
    return sayOutcomeOf(id, await say(this.#parts, id, line, { agent: by, signal }))
  }

  /** The command that a sentence means in a session, or the question that it would be asked back with. Nothing is run. */
  async translate(text: string, { session }: { readonly session?: string } = {}): Promise<Translation> {
    const { translateIn } = await import('./language.ts')
    const id = session === undefined ? await currentSession(this.#parts) : sessionId(session)
    return translateIn(this.#parts, id, text)
  }

  /** Takes what was sent to an agent, oldest first, each message once. `untilHandedOut`: for a reader that may be killed. */
  async inbox(
    agent: string,
    { session, waitMs = 0, limit, peek = false, untilHandedOut = false, signal }: InboxOptions = {},
  ): Promise<readonly Mail[]> {
    const reader = agentName(agent)
    const id = await this.#meant(session)
    const { takeUnread, unread } = await import('./channels.ts')
    const look = async () => {
      if (peek) return (await unread(this.#parts, id, reader)).slice(0, limit)
      return takeUnread(this.#parts, id, reader, { most: limit, untilHandedOut, signal })
    }
    const deadline = performance.now() + waitMs
    const listening = waitMs > 0 ? await this.#listen(id, { signal }) : undefined
    try {
      for (;;) {
        const found = await look()
        const left = deadline - performance.now()
        if (found.length > 0 || left <= 0 || signal?.aborted) return found.map((one) => mailOf(one, reader))
        await listening!.next(left)
      }
    } finally {
      listening?.close()
    }
  }

  /** Marks what `inbox` gave as read, after it was written out. */
  async handedOut(agent: string, messages: readonly Mail[], session?: string): Promise<void> {
    const last = messages.at(-1)
    if (last) await (await import('./channels.ts')).handedOut(this.#parts, await this.#meant(session), agent, last.n)
  }

  /** Puts back what `inbox` gave to be handed out, because it did not reach its reader; false when another reader has read on since. */
  async putBack(agent: string, messages: readonly Mail[], session?: string): Promise<boolean> {
    const last = messages.at(-1)
    if (!last) return true
    return (await import('./channels.ts')).giveBack(this.#parts, await this.#meant(session), agent, last.n)
  }

  /** Every change, with who and when, oldest first. */
  async log(session?: string): Promise<readonly LogLine[]> {
    const id = await this.#existing(session)
    if (id === undefined) return []
    await (await import('./signals.ts')).noteSignals(this.#parts, id)
    return (await this.#parts.documents.log(id)).map(logLineOf)
  }

  async locks(session?: string): Promise<readonly LockView[]> {
    const id = await this.#existing(session)
    if (id === undefined) return []
    const found = await this.#parts.documents.read(id)
    if (found?.status !== 'running') return []
    const { locksOf } = await import('./locks.ts')
    return (await locksOf(this.#parts, { id, generation: found.generation }).list()).map(lockOf)
  }

  /** Does the tasks of programs; the bridge carries what is for agents at home elsewhere, and back. `task`: only this one. */
  async work({ session, ...options }: WorkOptions = {}): Promise<readonly Worked[]> {
    const id = await this.#meant(session)
    return (await import('./working.ts')).work(this.#parts, id, options)
  }

  /** Resolves when something was delegated or sent in a session, or after `waitMs`. */
  async news({ session, waitMs, signal }: Omit<WorkOptions, 'task'> & { readonly waitMs: number }): Promise<void> {
    const listening = await this.#listen(await this.#meant(session), { signal })
    try {
      await listening.next(waitMs)
    } finally {
      listening.close()
    }
  }

  /** Every command that can be said here, with those that the workspace has added. */
  commands(): Promise<readonly CommandSpec[]> {
    return this.#parts.table()
  }

  async inspect(options: Partial<InspectionOptions> = {}): Promise<readonly Finding[]> {
    const { inspect } = await import('./inspect.ts')
    return inspect(this.#parts, { repair: false, ...options })
  }

  async #listen(id: SessionId, options: ListenOptions): Promise<Listening> {
    return (await import('../../../messaging/waiting/waiting.ts')).listen(this.#parts.tree, bellFolder(id), options)
  }

  #speaker(agent: string | undefined): string {
    return agentName(agent ?? this.#parts.settings.orchestrator)
  }

  /** For callers that only look: `undefined` where no session is named and there is no current one. */
  async #existing(name: string | undefined): Promise<SessionId | undefined> {
    return name === undefined ? currentSession(this.#parts) : sessionId(name)
  }

  /** The named session, else the current one, else a new one, which becomes the current one. */
  async #meant(name: string | undefined): Promise<SessionId> {
    if (name !== undefined) return sessionId(name)
    const current = await currentSession(this.#parts)
    if (current !== undefined) return current
    await makeCurrent(this.#parts, await freeName(this.#parts))
    // Several processes may find none at once: all use the name that was written last.
    return (await currentSession(this.#parts))!
  }
}

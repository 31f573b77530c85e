/**
 * Reading and changing a session. A change is one compare and replace of its document, with its line of the log inside. Older
 * lines move to pages: a page is made before the document lets go of its lines, and is the same whichever process makes it.
 */
import { inputs } from '../../../kernel/call.ts'
import { corrupt, invalidInput } from '../../../kernel/errors.ts'
import { sameButForCase } from '../../../kernel/same-but-for-case.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import type { Leaf, Tree } from '../../../tree/tree.ts'
import {
  documentPath,
  logFolder,
  pagePath,
  type SessionId,
  type Sitting,
  sessionPath,
  sessionsFolder,
} from '../layout.ts'
import { sessionTransitions } from '../lifecycle.ts'
import { withTold } from '../mailboxes.ts'
import { change, isTold, newSession, parseSession, printSession, type Session, type SessionChange } from '../record.ts'
import { shapedIn } from '../shape.ts'

const pageLength = 32
/** The document keeps up to two pages of lines before the older one moves out. */
const mostLines = 2 * pageLength
/** In bytes. */
const mostRemembered = 256 * 1024
const largestPage = 16 * 1024 * 1024
/** A younger file may change again without its time showing it. */
const tooYoungMs = 50

interface Awaited {
  readonly changedAt: number
  readonly size: number
  readonly agents: ReadonlySet<string>
}

/** A new line of the log. `at` and `by` are those of the change unless given. */
type NewLine = Omit<SessionChange, 'n' | 'at' | 'by'> & Partial<Pick<SessionChange, 'at' | 'by'>>

/** The new session, the line of the log, and what is answered. Without a session or a line, that stays as it is. */
export interface Changed<T> {
  readonly session?: Session
  readonly line?: NewLine | undefined
  readonly answer: T
}

interface Changing {
  /** Who does it. */
  readonly by: string
  /** False: the change does not start a session that has ended. */
  readonly startsIt?: boolean
}

export class Documents {
  readonly #tree: Tree
  /** The document that was read or written last: a speaker reads the same bytes again and again. */
  #known: { readonly bytes: Uint8Array; readonly session: Session } | undefined
  /** For whom tasks waited in a document, and how its file was then. */
  readonly #awaited = new Map<SessionId, Awaited>()

  constructor(tree: Tree) {
    this.#tree = tree
  }

  async read(id: SessionId): Promise<Session | undefined> {
    const leaf = await this.#tree.read(documentPath(id), { fresh: true })
    return leaf && this.#parsed(id, leaf.bytes)
  }

  /** The same for a look at many sessions; `undefined` also where no task waits for the agent, of a file that is as it was. */
  async readFor(id: SessionId, agent: string): Promise<Session | undefined> {
    const file = await this.#tree.look(documentPath(id))
    const before = this.#awaited.get(id)
    const isSame = before && file?.changedAt === before.changedAt && file.size === before.size
    if (isSame && !before.agents.has(agent)) return undefined
    const session = await this.read(id)
    if (isSame || !session || !file) return session
    const { changedAt, size } = file
    const agents = new Set(session.tasks.flatMap((task) => (task.state === 'pending' ? [task.agent] : [])))
    // By the earlier of two clocks: to one that is ahead every time would seem old enough.
    const isOld = Math.min(await this.#tree.now(), Date.now()) - changedAt > tooYoungMs
    if (isOld) this.#awaited.set(id, { changedAt, size, agents })
    else this.#awaited.delete(id)
    return session
  }

  /** One step. `change` is asked again when another process was first; what it throws ends the step. */
  async change<T>(
    id: SessionId,
    { by, startsIt = true }: Changing,
    change: (session: Session, now: number) => Changed<T>,
  ): Promise<T> {
    let answer: T | undefined
    await this.#replace(id, async (before) => {
      const now = await this.#tree.now()
      const found = before ?? (await this.#newOne(id, now))
      const started = found.status === 'running' || !startsIt ? found : start(found, by, now)
      const { session = started, line, answer: answered } = change(started, now)
      answer = answered
      const next = withLine(session, line, by, now)
      // Nothing was to change, and the session was not to be started.
      return next === found ? undefined : next
    })
    return answer as T
  }

  /** Changes a session without a line of the log, such as what an agent has read. False when `note` left it as it is. */
  async mark(id: SessionId, note: (session: Session) => Session | undefined): Promise<boolean> {
    let isNoted = false
    await this.#replace(id, (found) => {
      const next = found && note(found)
      isNoted = next !== undefined
      return next
    })
    return isNoted
  }

  /** Logs something outside of the document, unless `line` answers that it is logged. False: the session has ended by now. */
  async note(
    { id, generation }: Sitting,
    by: string,
    line: (session: Session) => NewLine | undefined,
  ): Promise<boolean> {
    let isRunning = false
    await this.#replace(id, async (found) => {
      isRunning = found?.status === 'running' && found.generation === generation
      const added = found && isRunning ? line(found) : undefined
      return found && added && withLine(found, added, by, await this.#tree.now())
    })
    return isRunning
  }

  /** Ends a running session; false when there is none. `clear` answers what is left of it, and the line of the log. */
  async end(id: SessionId, by: string, clear: (session: Session, now: number) => readonly [Session, NewLine]) {
    let ended = false
    await this.#replace(id, async (found) => {
      ended = found?.status === 'running'
      if (!found || !ended) return undefined
      const now = await this.#tree.now()
      const [left, line] = clear(found, now)
      return withLine({ ...left, status: sessionTransitions.running.end }, line, by, now)
    })
    return ended
  }

  /** Replaces the session by what `next` answers, unless that is `undefined`. */
  async #replace(
    id: SessionId,
    next: (found: Session | undefined) => Session | undefined | Promise<Session | undefined>,
  ): Promise<void> {
    const change = async (before: Leaf | undefined) => {
      const session = await next(before && this.#parsed(id, before.bytes))
      return session && this.#printed(await this.#turnPage(id, session))
    }
    await changeLeaf(this.#tree, documentPath(id), change, { fresh: true })
  }

  /** The changes after number `after`, oldest first. Reads no more pages than it must. */
  async log(id: SessionId, after = 0, upTo = Number.POSITIVE_INFINITY): Promise<SessionChange[]> {
    const session = await this.read(id)
    if (!session) return []
    const inDocument = session.log.filter(({ n }) => n > after && n <= upTo)
    const firstKept = session.log[0]?.n ?? session.changes + 1
    const older: SessionChange[] = []
    const end = Math.min(firstKept - 1, upTo)
    for (let page = Math.floor(after / pageLength); page * pageLength < end; page++) {
      const leaf = await this.#tree.read(pagePath(id, page))
      const lines = linesIn(leaf?.bytes) ?? []
      older.push(...lines.filter(({ n }) => n > after && n <= end))
    }
    return [...older, ...inDocument]
  }

  /** The names of pages that cannot be read. */
  async brokenPages(id: SessionId): Promise<string[]> {
    const broken: string[] = []
    for (const { name, kind } of await this.#tree.list(logFolder(id))) {
      if (kind !== 'leaf' || !/^\d{6}\.json$/.test(name)) continue
      const leaf = await this.#tree.read(childOf(logFolder(id), name))
      if (leaf && linesIn(leaf.bytes) === undefined) broken.push(name)
    }
    return broken
  }

  /** Moves the oldest page of lines out of the document, once there are enough. */
  async #turnPage(id: SessionId, session: Session): Promise<Session> {
    const first = session.log[0]
    if (!first || session.log.length <= mostLines) return session
    const page = Math.floor((first.n - 1) / pageLength)
    const own = session.log.filter(({ n }) => Math.floor((n - 1) / pageLength) === page)
    const text = `${JSON.stringify(own)}\n`
    const made = await this.#tree.create(pagePath(id, page), text)
    if (made.outcome !== 'created') {
      const leaf = await this.#tree.read(pagePath(id, page))
      // Another program wrote this page: the lines stay in the document, and `doctor` reports the page.
      if (!leaf || Buffer.from(leaf.bytes).toString('utf8') !== text) return session
    }
    return { ...session, log: session.log.slice(own.length) }
  }

  #parsed(id: SessionId, bytes: Uint8Array): Session {
    const { bytes: known, session: read } = this.#known ?? {}
    if (known && read?.id === id && Buffer.compare(known, bytes) === 0) return read
    const session = parseSession(bytes, id)
    if ('wrong' in session) {
      const path = documentPath(id)
      throw corrupt('BAD_SESSION', `${this.#tree.place}/${path} is no session: ${session.wrong}.`, {
        hint: `Put a copy of the file back, or move ${sessionPath(id)} away and begin anew.`,
        details: { path, session: id },
      })
    }
    this.#remember(Uint8Array.from(bytes), session)
    return session
  }

  #printed(session: Session): Uint8Array {
    const bytes = Buffer.from(printSession(session))
    this.#remember(bytes, session)
    return bytes
  }

  #remember(bytes: Uint8Array, session: Session): void {
    this.#known = bytes.length <= mostRemembered ? { bytes, session } : undefined
  }

  /** Names that differ by case alone would be one folder on some disks. */
  async #newOne(id: SessionId, now: number): Promise<Session> {
    const names = (await this.#tree.list(sessionsFolder)).map(({ name }) => name)
    const other = sameButForCase(id, names)
    if (other === undefined) return newSession(id, now)
    throw invalidInput('SESSION_NAME_TAKEN', `A session is called ${other}, which differs from ${id} by case alone.`, {
      hint: `Give ${inputs({ session: other })}, or choose another name.`,
      details: { session: id, other },
    })
  }
}

function start(session: Session, by: string, now: number): Session {
  const generation = session.generation + 1
  const started = { ...session, status: sessionTransitions.ended.start, startedAt: now, generation }
  return withLine(started, { did: 'start' }, by, now)
}

function withLine(session: Session, line: NewLine | undefined, by: string, at: number): Session {
  if (!line) return session
  const n = session.changes + 1
  const next = { ...session, changes: n, log: [...session.log, { n, at, by, ...line }] }
  return isTold(line) ? withTold(next, n, line.to ?? []) : next
}

const linesIn = (bytes: Uint8Array | undefined): readonly SessionChange[] | undefined =>
  shapedIn(bytes, [change], largestPage)

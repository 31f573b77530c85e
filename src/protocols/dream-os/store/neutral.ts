/**
 * Dream.OS in neutral words: the inboxes of agents. The messages of a shared mailbox are listed and found, but only `dream mailbox`
 * takes and ends them: they are for the agent that has claimed the mailbox. Dream.OS has no places (missions, workspaces).
 */
import { call } from '../../../kernel/call.ts'
import { isMeant } from '../../../kernel/short-id.ts'
import { type TreePath, treePath } from '../../../kernel/tree-path.ts'
import type { Lease } from '../../../tree/tree.ts'
import type { MessageOutcome, Neutral, Receipt } from '../../contract.ts'
import { neutralOf, type Source } from '../../neutral.ts'
import { lift, type SettledView, textOf } from '../envelope.ts'
import { eventSubject, isEvent } from '../event-format.ts'
import { deliveredTo, folderPath, folders, runtimePath } from '../layout.ts'
import { type MailboxState, mailboxStages } from '../lifecycle.ts'
import { type AgentId, agentId, isAgentId } from '../names.ts'
import { eventTypes, isObject } from '../schema.ts'
import type { Dream } from './dream.ts'
import { isMessage } from './inboxes.ts'
import { mailboxViews } from './mailbox-listing.ts'
import type { DreamView, OutcomeInput } from './outcomes.ts'

const protocol = { name: 'dream', title: 'Dream.OS' }
const mailboxStates = Object.keys(mailboxStages) as MailboxState[]
const watchedFolders = ['inbox', 'outbox', 'working'] as const
/** Without the archive, which only grows. */
const current = folders.filter((folder) => !folder.startsWith('archive/'))
/** A younger file may still be being written. */
const settledAfterMs = 5000

/** Several files can have one id: the receipt says which one was taken. */
interface FileReceipt extends Receipt {
  readonly file?: string
}

export function dreamNeutral(dream: Dream): Neutral & Required<Pick<Neutral, 'duties'>> {
  const { parts, agents, inboxes, sending, claiming, settling, escalations } = dream

  const fileOf = async ({ agent, id, file = id }: FileReceipt): Promise<DreamView> => {
    const view = await inboxes.find(agent, file)
    return isMeant(id, view.id) ? view : inboxes.find(agent, id)
  }
  const settle = async (receipt: FileReceipt, outcome: OutcomeInput) => {
    const { agent, attempt } = receipt
    const { path, file } = await fileOf(receipt)
    const given = attempt === undefined ? outcome : { ...outcome, attempt }
    const { outcome: did, durability } = await settling.done(agent, path, given)
    const message = { ...(await inboxes.find(agent, file)), hasFailed: outcome.error !== undefined }
    return { outcome: did === 'recorded' ? 'settled' : 'unchanged', message, durability } as const
  }

  /** Reads the log of outcomes at the first finished file, and the leases at the first file that an agent holds. */
  async function* withClaims(views: AsyncIterable<DreamView>): AsyncGenerator<SettledView> {
    let failed: ReadonlySet<string> | undefined
    let leases: readonly Lease[] | undefined
    for await (const view of views) {
      const { state, to, id, file } = view
      if (state === 'archive/inbox') {
        failed ??= await dream.logs.failed()
        yield { ...view, claim: { by: to }, hasFailed: failed.has(`${to} ${id}`) }
      } else if (state === 'working') {
        leases ??= await parts.tree.leases()
        yield { ...view, claim: await claiming.claimOf(to as AgentId, file, leases) }
      } else yield view
    }
  }
  async function* every(states: readonly string[] | undefined, archived: boolean): AsyncGenerator<SettledView> {
    const all = archived ? folders : current
    yield* withClaims(inboxes.everywhere(states ? folders.filter((folder) => states.includes(folder)) : all))
    const wanted = mailboxStates.filter((state) => states?.includes(state) ?? (archived || state !== 'packed'))
    if (wanted.length > 0) yield* mailboxViews(dream, wanted)
  }

  async function* meant(id: string): AsyncGenerator<DreamView> {
    for await (const view of inboxes.everywhere(folders)) if (isMeant(id, view.id)) yield view
  }

  const source: Source<SettledView> = {
    protocol,
    tree: parts.tree,
    hasPlaces: false,
    readersDelete: true,
    isAgentName: isAgentId,
    makeInbox: (agent) => parts.tree.makeFolder(folderPath(parts.places, agentId(agent), 'inbox')),
    lift,
    text: async ({ path, message }) => ((await parts.tree.look(treePath(path))) ? textOf(message) : undefined),
    ownCommand({ state, to }) {
      const isInMailbox = mailboxStates.includes(state as MailboxState)
      const [, mailbox] = /^mailbox (\d+)$/.exec(to) ?? []
      return isInMailbox ? call('dream mailbox next', { mailbox: mailbox ?? to, as: 'AGENT' }) : undefined
    },
    seen: () => agents.seen(),
    async *waiting(agent) {
      yield* (await inboxes.list(agent)).waiting
    },
    each: ({ states, archived }) => every(states, archived),
    async *find(id) {
      let isFound = false
      for await (const view of withClaims(meant(id))) {
        isFound = true
        yield view
      }
      if (isFound) return
      for await (const view of mailboxViews(dream, mailboxStates)) if (isMeant(id, view.id)) yield view
    },
    watched: async () => [
      runtimePath(parts.places),
      ...(await agents.withFolders()).flatMap((agent) =>
        watchedFolders.map((folder) => folderPath(parts.places, agent, folder)),
      ),
    ],
    send: async (draft, options) => ({ ...(await sending.sendDraft(draft, options)), notices: [] }),
    async take(agent, { id, waitMs, signal }) {
      const taken = await claiming.take(agent, { id, waitMs, signal })
      if (taken.outcome === 'nothing') return undefined
      const { message, attempt, until, durability } = taken
      const receipt: FileReceipt = { id: message.id, agent, attempt, until: Date.parse(until), file: message.file }
      return { message: { ...message, claim: { by: agent, attempt, until } }, receipt, durability }
    },
    async renew(receipt) {
      const message = await fileOf(receipt)
      await claiming.renew(receipt.agent, message.file, receipt.attempt)
      return { outcome: 'settled', message, durability: 'process' }
    },
    async release(receipt) {
      const { file } = await fileOf(receipt)
      const durability = await claiming.giveBack(receipt.agent, file, receipt.attempt)
      return { outcome: 'settled', message: await inboxes.find(receipt.agent, file), durability }
    },
    done: (receipt, { text }) => settle(receipt, { output: text === undefined ? null : { text } }),
    failed: (receipt, { reason }) => settle(receipt, { error: { message: reason } }),
  }

  const own = {
    inspect: dream.inspect.bind(dream),

    /** From an event that reports the end of the task, or a message that answers it, read or unread. */
    async outcomeOf(id, { from, to }) {
      for (const folder of deliveredTo) {
        for await (const view of inboxes.in(agentId(from), folder)) {
          const outcome = isMessage(view) && view.from === to ? outcomeToldBy(view, id) : undefined
          if (outcome) return folder === 'archive/inbox' ? outcome : { ...outcome, answer: (view as DreamView).id }
        }
      }
      // A sender that has no inbox here, as one from another protocol, was told nothing.
      const { events } = await dream.logs.completed({ agent: to, task: id, limit: 1 })
      return events[0] && outcomeIn(events[0])
    },

    questions: () => escalations.questions(),
    async answer(question, answer) {
      const { failure, ...answered } = await escalations.answer(question, answer)
      return { ...answered, message: lift(failure) }
    },

    /** A file that cannot be read stays in its folder and is skipped. Once corrected there, it is a message like any other. */
    async *quarantined() {
      const { quarantinedAt } = await import('../../../messaging/quarantine/quarantine.ts')
      const now = await parts.tree.now()
      const next = 'Correct it where it lies, or move it away.'
      for (const place of await agents.withFolders()) {
        for (const folder of ['inbox', 'outbox'] as const) {
          for await (const read of inboxes.in(place, folder)) {
            if (isMessage(read)) continue
            const { path, reason } = read.unreadable
            const found = await quarantinedAt(parts.tree, path as TreePath, { place, reason, next })
            if (found && now - Date.parse(found.since) >= settledAfterMs) yield found
          }
        }
      }
    },

    async *holdings() {
      for (const { mailbox, agent, lastSeenAt } of await dream.mailboxes.list({ odd: false })) {
        if (agent === undefined) continue
        const unlessSeenSince = lastSeenAt === undefined ? 0 : Date.parse(lastSeenAt)
        const free = async () => (await dream.mailboxes.release(mailbox, agent, { unlessSeenSince })).outcome
        yield { name: `mailbox ${mailbox}`, by: agent, free }
      }
    },

    async *duties() {
      const outboxes = (await agents.withFolders()).map((agent) => folderPath(parts.places, agent, 'outbox'))
      yield {
        name: 'Dream.OS outboxes',
        watches: [...outboxes, parts.places.mailboxes],
        delivers: true,
        run: async ({ by = 'Supervisor' } = {}) => {
          const { moved, copied, resent, plans } = await dream.router.route(by)
          return { did: moved.length + copied.length + resent.length + plans.length }
        },
      }
    },
  } satisfies Partial<Neutral>

  return { ...neutralOf(source, own), duties: own.duties }
}

/** The outcome of the message `id` that this one reports; `undefined` if it reports none. */
function outcomeToldBy(view: DreamView, id: string): MessageOutcome | undefined {
  const { message } = view
  if (isEvent(message)) {
    const { data, type } = message
    if (eventSubject(message) !== id) return undefined
    if (type === eventTypes.completed) return { state: 'completed', text: wordsIn(data.results, 'text') ?? 'done' }
    return type === eventTypes.failed
      ? { state: 'failed', text: wordsIn(data.error_details, 'message') ?? 'failed' }
      : undefined
  }
  const { kind, replyTo } = lift(view)
  return kind === 'answer' && replyTo === id ? { state: 'completed', text: textOf(message) } : undefined
}

/** What `completed_tasks.json` says about how a task ended. */
const outcomeIn = ({ status, output, error_details }: Readonly<Record<string, unknown>>): MessageOutcome =>
  status === 'COMPLETED'
    ? { state: 'completed', text: wordsIn(output, 'text') ?? 'done' }
    : { state: 'failed', text: wordsIn(error_details, 'message') ?? 'failed' }

function wordsIn(value: unknown, field: string): string | undefined {
  if (value === null || value === undefined) return undefined
  const words = isObject(value) && typeof value[field] === 'string' ? value[field] : value
  return typeof words === 'string' ? words : JSON.stringify(words, null, 2)
}

/**
 * The files of agents as they lie in inboxes and outboxes: read, listed, found. A file that is no message stays where it is and
 * stops no other. Spec: Dream.OS, Agent Runtime Communication.
 */
import { call } from '../../../kernel/call.ts'
import { conflict, corrupt, notFound } from '../../../kernel/errors.ts'
import { inOrder } from '../../../kernel/order.ts'
import { thoseMeant } from '../../../kernel/short-id.ts'
import { isSegment } from '../../../kernel/tree-path.ts'
import { isUnread } from '../../../messaging/leaves/readable.ts'
import { readOrSayWhyIfLeaf } from '../../../messaging/leaves/tolerant.ts'
import { parseMessage } from '../format.ts'
import { deliveredTo, type Folder, isMessageName } from '../layout.ts'
import { type AgentId, agentId } from '../names.ts'
import { problemText } from '../problem.ts'
import { turnOf } from './inbox-index.ts'
import type { DreamView, InboxListed, Unreadable } from './outcomes.ts'
import { messageNames, Part, pathIn } from './parts.ts'
import { viewOf } from './view.ts'

type Found = DreamView | { readonly unreadable: Unreadable }

export const isMessage = (found: Found): found is DreamView => !('unreadable' in found)

export class Inboxes extends Part {
  async list(name: string): Promise<InboxListed> {
    const agent = agentId(name)
    const waiting: DreamView[] = []
    const inHand: DreamView[] = []
    const unreadable: Unreadable[] = []
    for await (const found of this.in(agent, 'inbox')) {
      if (isMessage(found)) waiting.push(found)
      else unreadable.push(found.unreadable)
    }
    for await (const found of this.in(agent, 'working')) if (isMessage(found)) inHand.push(found)
    return { waiting: waiting.sort(asTaken), inHand, unreadable }
  }

  /** One of an agent's files, wherever it lies: by its name, with or without its ending and folder, or by its message's id. */
  async find(name: string, given: string): Promise<DreamView> {
    const agent = agentId(name)
    const found = (await this.#named(agent, given)) ?? theOneOf(given, await this.#taken(agent), agent)
    if (found) return found
    throw notFound('NO_SUCH_FILE', `${agent} has no file ${given.slice(0, 120)}.`, {
      hint: `See what there is: ${call('dream task inbox', { as: agent })}`,
      details: { agent, file: given.slice(0, 400) },
    })
  }

  async #named(agent: AgentId, given: string): Promise<DreamView | undefined> {
    const name = given.slice(given.lastIndexOf('/') + 1)
    // A name without its ending may also be an id: `find` looks for both.
    if (!isMessageName(name) || !isSegment(name)) return undefined
    const found: DreamView[] = []
    let unreadable: Unreadable | undefined
    for (const folder of deliveredTo) {
      // Another process of the agent may have moved it just now.
      const one = await this.read(agent, folder, name, { lenient: folder !== 'inbox', fresh: true })
      if (one && isMessage(one)) found.push(one)
      else unreadable ??= one?.unreadable
    }
    if (found.length === 0 && unreadable) throw unreadableFile(unreadable)
    return theOneOf(given, found, agent)
  }

  async #taken(agent: AgentId): Promise<DreamView[]> {
    const all: DreamView[] = []
    for (const folder of deliveredTo)
      for await (const found of this.in(agent, folder, folder !== 'inbox')) if (isMessage(found)) all.push(found)
    return all
  }

  /** The messages in these folders of all agents, one at a time. Files that are no messages are skipped; `inspect` reports them. */
  async *everywhere(folders: readonly Folder[]): AsyncGenerator<DreamView> {
    for (const agent of await this.dream.agents.withFolders())
      for (const folder of folders) for await (const found of this.in(agent, folder)) if (isMessage(found)) yield found
  }

  /** The files in one folder of an agent, one at a time. */
  async *in(agent: AgentId, folder: Folder, lenient = false): AsyncGenerator<Found> {
    for (const name of await messageNames(this.parts, agent, folder)) {
      const found = await this.read(agent, folder, name, { lenient })
      if (found) yield found
    }
  }

  /** One file; `undefined` when it is gone. `lenient`: reads known deviations, because the agent may have taken it with `--compat`. */
  async read(
    agent: AgentId,
    folder: Folder,
    name: string,
    { lenient = false, fresh = false } = {},
  ): Promise<Found | undefined> {
    const path = pathIn(this.parts, agent, folder, name)
    const { settings } = this.parts
    const compat = lenient || this.parts.compat
    const leaf = await readOrSayWhyIfLeaf(this.parts.tree, path, { most: settings.largest, fresh })
    if (!leaf) return undefined
    if (isUnread(leaf)) return { unreadable: { path, reason: leaf.problem.message } }
    const parsed = parseMessage(leaf.bytes, { compat, most: settings.largest })
    if (parsed.outcome === 'malformed') return { unreadable: { path, reason: problemText(parsed.problems) } }
    return viewOf(parsed.message, { agent, state: folder, path, modifiedAt: leaf.modifiedAt })
  }
}

/**
 * The file that is meant, by its path, its name or its id. Throws where several match: finishing the wrong one would lose it.
 */
export function theOneOf<File extends Pick<DreamView, 'path' | 'file' | 'id'>>(
  given: string,
  all: readonly File[],
  agent: string,
): File | undefined {
  const isPath = ({ path }: File) => path === given || path.endsWith(`/${given}`) || given.endsWith(`/${path}`)
  const name = given.slice(given.lastIndexOf('/') + 1)
  const byPath = all.filter(isPath)
  const byName = all.filter(({ file }) => file === name)
  const byStemOrId = new Set([...all.filter(({ file }) => file === `${name}.json`), ...thoseMeant(given, all)])
  const meant = byPath.length > 0 ? byPath : byName.length > 0 ? byName : [...byStemOrId]
  if (meant.length < 2) return meant[0]
  const candidates = meant.map(({ path }) => path)
  throw conflict(
    'AMBIGUOUS_ID',
    `${given.slice(0, 120)} means several files of ${agent}: ${candidates.slice(0, 10).join(', ')}. Nothing was changed.`,
    { hint: 'Give the path of the one you mean.', details: { id: given.slice(0, 400), candidates } },
  )
}

/** The most urgent first, then the oldest. */
const asTaken = (a: DreamView, b: DreamView): number => inOrder(turnOf(a), turnOf(b))

const unreadableFile = ({ path, reason }: Unreadable) =>
  corrupt('UNREADABLE_MESSAGE', `${path} is no message: ${reason}`, {
    hint: 'Correct the file, or move it away.',
    details: { path },
  })

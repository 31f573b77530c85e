/** Putting files into inboxes, once, and putting them away. */
import { childOf, isSegment, type TreePath } from '../../../kernel/tree-path.ts'
import type { Durability } from '../../../tree/tree.ts'
import { printEvent } from '../event-format.ts'
import { type Folder, folderPath, messageFileName, outgoingPath, routedName, statePath } from '../layout.ts'
import { type AgentId, isAgentId } from '../names.ts'
import type { PlannerEvent } from '../schema.ts'
import type { Agents } from './agents.ts'
import { moveFileSomewhere, moveToInbox } from './moving.ts'
import { attemptIn, type Note, noteIn, noteNameOf, readNote, writeNote } from './notes.ts'
import { type DreamParts, pathIn, unlessOdd } from './parts.ts'

/** Where a file may be that was delivered, in the order in which it gets there. */
export const deliveredTo: readonly Folder[] = ['inbox', 'working', 'archive/inbox']

const attemptsPath = childOf(statePath, 'inbox')

/** How often a file of an inbox was taken; the note goes with its outcome. */
export const attemptsNote = (agent: string, file: string): TreePath => noteIn(attemptsPath, agent, file)
/** The lease on a file of an inbox. */
export const leaseOf = (agent: string, file: string): string => `dream ${agent}/${file}`

/** A file for an inbox. */
export interface Outgoing {
  readonly to: AgentId
  readonly name: string
  readonly text: string | Uint8Array
}

/** An event for one agent. `key` tells it from others of the same sender. */
export function outgoingEvent(to: AgentId, from: string, event: PlannerEvent, key: string): Outgoing {
  // What one target gets is another message than what another one gets.
  const plain = messageFileName(`${noteNameOf(key, to).slice(0, 8)}-${key}`)
  return { to, name: isAgentId(from) ? routedName(plain, from) : plain, text: printEvent({ ...event, target_id: to }) }
}

const stagedPath = ({ to, name }: Outgoing): TreePath => noteIn(outgoingPath, to, name)

export class Deliveries {
  readonly agents: Agents
  readonly #parts: DreamParts

  constructor(parts: DreamParts, agents: Agents) {
    this.#parts = parts
    this.agents = agents
  }

  /**
   * Unless the target has, or had, a file of this name. Where two could do this at once for one name, each takes the same turn.
   * Listings also show a file that somebody is moving in this moment.
   */
  async deliverOnce({ to, name, text }: Outgoing): Promise<{ path: TreePath; durability: Durability; isNew: boolean }> {
    const { tree, places } = this.#parts
    for (const folder of deliveredTo) {
      const entries = (await unlessOdd(() => tree.list(folderPath(places, to, folder)))) ?? []
      const path = pathIn(this.#parts, to, folder, name)
      if (entries.some((entry) => entry.name === name)) return { path, durability: 'process', isNew: false }
    }
    const path = pathIn(this.#parts, to, 'inbox', name)
    const created = await tree.create(path, text)
    const isNew = created.outcome === 'created'
    return { path, durability: isNew ? created.durability : 'process', isNew }
  }

  /**
   * Exactly once, wherever a process is killed and whatever the target does with its files. Only in the turn of the note that
   * says what is sent: the messages are written down, the note says so, and then each is carried by a move.
   */
  async sendAll(note: TreePath, says: Note, messages: readonly Outgoing[]): Promise<TreePath[]> {
    if (messages.length === 0) return []
    if (says.staged !== true) {
      for (const message of messages) await this.#parts.tree.create(stagedPath(message), message.text)
      await writeNote(this.#parts.tree, note, { ...says, staged: true })
    }
    const paths: TreePath[] = []
    // What is not there any more was carried already.
    for (const one of messages) paths.push(await moveToInbox(this.#parts, stagedPath(one), one.to, one.name))
    return paths
  }

  /** How often a file was taken. */
  async attemptsOf(agent: string, file: string): Promise<number> {
    return attemptIn(await readNote(this.#parts.tree, attemptsNote(agent, file)))
  }

  /** Whether a file of an inbox waits or is in hand. */
  async isOpen(agent: AgentId, file: string): Promise<boolean> {
    if (!isSegment(file)) return false
    for (const folder of ['working', 'inbox'] as const) {
      if (await this.#parts.tree.look(pathIn(this.#parts, agent, folder, file))) return true
    }
    return false
  }

  /** Into the archive, from the agent's hands or straight from its inbox. Repeating it changes nothing. */
  async putAway(agent: AgentId, file: string): Promise<void> {
    const { tree } = this.#parts
    if (!isSegment(file)) return
    const step = { agent, name: file, transition: 'finish' } as const
    const { moved } = await moveFileSomewhere(this.#parts, { ...step, from: 'working' })
    if (moved.outcome === 'gone' && !(await tree.look(pathIn(this.#parts, agent, 'archive/inbox', file)))) {
      await moveFileSomewhere(this.#parts, { ...step, from: 'inbox' })
    }
    await tree.remove(attemptsNote(agent, file))
  }
}

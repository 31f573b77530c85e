/**
 * What left an inbox is kept for a while: people list it, and move it back.
 * See docs/decisions/0019-once-and-only-once.md.
 */
import { notFound } from '../../../kernel/errors.ts'
import { isSegment } from '../../../kernel/tree-path.ts'
import { parseMessage } from '../format.ts'
import { type AgentId, type Folder, folderPath, stemOf } from '../layout.ts'
import { foldersWith } from '../lifecycle.ts'
import type { Delivery } from './delivery.ts'
import { forgeryIn, isGenuine } from './genuine.ts'
import { moveMessage, pathsOf } from './moving.ts'
import type { Kept, Recovered } from './outcomes.ts'
import { expectInOrder, isMessageEntry, messageNames, pathIn, type RoutingParts, turnOf } from './parts.ts'
import { messageIn } from './reading.ts'
import type { ReceivedNumbers } from './received.ts'
import { viewOf } from './view.ts'

type KeptFolder = Exclude<Folder, 'inbox'>

export class KeptMessages {
  readonly #parts: RoutingParts
  readonly #delivery: Delivery
  readonly #numbers: ReceivedNumbers

  constructor(parts: RoutingParts, delivery: Delivery, numbers: ReceivedNumbers) {
    this.#parts = parts
    this.#delivery = delivery
    this.#numbers = numbers
  }

  /** The one that left the inbox last comes first. */
  async list(agent: AgentId, folder: KeptFolder): Promise<Kept[]> {
    const { tree, root } = this.#parts
    const entries = (await tree.list(folderPath(root, agent, folder), { times: true })).filter(isMessageEntry)
    const kept: Kept[] = []
    for (const { name, size, changedAt } of entries) {
      const path = pathIn(this.#parts, agent, folder, name)
      const leaf = await tree.read(path)
      if (!leaf) continue
      const parsed = parseMessage(leaf.bytes)
      const forgery = parsed.outcome === 'message' ? await forgeryIn(this.#parts, agent, parsed.message) : undefined
      const problems = forgery?.issues ?? []
      const message = parsed.outcome === 'message' ? viewOf(parsed.message, folder, path, { problems }) : undefined
      kept.push({ id: stemOf(name), message, path, movedAt: changedAt, size })
    }
    return kept.sort((a, b) => b.movedAt - a.movedAt || (a.id < b.id ? -1 : 1))
  }

  /**
   * Moves a message back into the inbox, where it counts as new: the next to be evicted is another one. The inbox keeps
   * to its limit also here.
   */
  async recover(agent: AgentId, id: string): Promise<Recovered> {
    const name = `${id}.json`
    if (!isSegment(name)) throw nothingToRecover(agent, id)
    return this.#parts.tree.exclusively(turnOf(this.#parts, agent), async () => {
      const { tree, settings, hooks } = this.#parts
      const target = pathIn(this.#parts, agent, 'inbox', name)
      for (const from of foldersWith('recover')) {
        const step = { agent, name, from, transition: 'recover' } as const
        const [path] = pathsOf(this.#parts, step)
        const leaf = await tree.read(path)
        if (!leaf) continue
        if (await tree.look(target)) break
        await expectInOrder(this.#parts, agent, ['inbox', '.received.json'])
        const names = await messageNames(this.#parts, agent, 'inbox')
        await this.#delivery.evictions.makeRoom(agent, names, settings.inboxLimit - 1)
        const message = await messageIn(this.#parts, leaf.bytes, { agent, fileName: name })
        // Only for a genuine message: a forgery with the id of another would let a copy of that one be handed out again.
        if (message && (await isGenuine(this.#parts, agent, message))) {
          // Before the move: once it is in the inbox, a reader may have it.
          await hooks.recover?.(agent, message)
          await this.#numbers.expectAgain(agent, message)
        }
        const moved = await moveMessage(this.#parts, step, { touched: true })
        if (moved.outcome === 'moved') {
          return { outcome: 'recovered', from, path: target, durability: moved.durability }
        }
      }
      if (await tree.look(target)) return { outcome: 'unchanged', from: 'inbox', path: target, durability: 'process' }
      throw nothingToRecover(agent, id)
    })
  }
}

const nothingToRecover = (agent: string, id: string) =>
  notFound('NO_SUCH_MESSAGE', `${agent} has no message ${id.slice(0, 80)} in taken/ or evicted/.`, {
    hint: `See what there is: signalbox mr taken ${agent}, signalbox mr evicted ${agent}`,
    details: { agent, id: id.slice(0, 400) },
  })

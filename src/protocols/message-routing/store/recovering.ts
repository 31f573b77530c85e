/** Lists messages that left an inbox, and moves them back. See docs/decisions/0019-once-and-only-once.md. */
import { conflict, corrupt, denied, SignalboxError } from '../../../kernel/errors.ts'
import { nameOf, type TreePath } from '../../../kernel/tree-path.ts'
import { unlessFailed } from '../../../messaging/leaves/tolerant.ts'
import { nameBefore } from '../../../messaging/quarantine/quarantine.ts'
import type { Leaf } from '../../../tree/tree.ts'
import { largestRead } from '../format.ts'
import { judgeFile, sentencesOf } from '../judge.ts'
import { type AgentId, agentId, type Folder, fileNameOf, folderPath, type KeptFolder, stemOf } from '../layout.ts'
import { foldersWith } from '../lifecycle.ts'
import type { Evictions } from './evictions.ts'
import { moveMessage, pathsOf } from './moving.ts'
import type { Kept, MrView, Recovered, RecoverOptions } from './outcomes.ts'
import { expectInOrder, isMessageEntry, messageNames, pathIn, type RoutingParts, turnOf } from './parts.ts'
import {
  type Closed,
  isClosed,
  isGenuine,
  leafAt,
  messageIn,
  noSuchMessage,
  openFile,
  readMessage,
  unreadableAs,
} from './reading.ts'
import { expectNumberAgain } from './received-numbers.ts'
import { viewOf } from './view.ts'

export class Recovering {
  readonly #parts: RoutingParts
  readonly #evictions: Evictions

  constructor(parts: RoutingParts, evictions: Evictions) {
    this.#parts = parts
    this.#evictions = evictions
  }

  /** The message that left the inbox last comes first. */
  async list(name: string, folder: KeptFolder): Promise<Kept[]> {
    const agent = agentId(name)
    const { tree, root, hooks } = this.#parts
    const entries = (await tree.list(folderPath(root, agent, folder), { times: true })).filter(isMessageEntry)
    const kept: Kept[] = []
    for (const { name, size, changedAt } of entries) {
      const leaf = await openFile(this.#parts, agent, folder, name)
      if (!leaf) continue
      const path = pathIn(this.#parts, agent, folder, name)
      const entry = { id: stemOf(name), path, movedAt: changedAt, size }
      if (isClosed(leaf)) {
        kept.push({ ...entry, message: undefined, problem: unreadableAs(leaf).reason })
        continue
      }
      const message = await messageIn(this.#parts, leaf.bytes, { agent, fileName: name })
      const problems = (message && (await hooks.verify?.(agent, message)))?.issues ?? []
      kept.push({ ...entry, message: message && viewOf(message, folder, path, { problems }) })
    }
    return kept.sort((a, b) => b.movedAt - a.movedAt || (a.id < b.id ? -1 : 1))
  }

  /**
   * Moves a message back into the inbox, from `taken/`, else `evicted/`, else `rejected/`, so that it is handed out again. Its time
   * is set to now, so that it is not evicted next. The limit of the inbox holds here too. A rejected file goes back only if it is a
   * message now, as it is or with `compat`.
   */
  async recover(owner: string, id: string, { from: only }: RecoverOptions = {}): Promise<Recovered> {
    const agent = agentId(owner)
    return this.#parts.tree.exclusively(turnOf(this.#parts, agent), async () => {
      const { tree, settings, hooks } = this.#parts
      for (const from of foldersWith('recover')) {
        if (only !== undefined && from !== only) continue
        for (const name of await this.#named(agent, from, id)) {
          // A second message with an id in use has a spare name, and goes back under its own.
          const step = { agent, name, from, transition: 'recover', as: nameBefore(name) } as const
          const [path, target] = pathsOf(this.#parts, step)
          const leaf = await openFile(this.#parts, agent, from, name)
          if (!leaf) continue
          if (isClosed(leaf)) throw notReadable(leaf)
          const needsCompat = from === 'rejected' && (await this.#expectMessage(agent, step.as, path, leaf))
          if (await tree.look(target)) {
            await this.#expectSame(target, leaf)
            return { outcome: 'unchanged', from: 'inbox', path: target, durability: 'process', needsCompat }
          }
          await expectInOrder(this.#parts, agent, ['inbox', '.received.json'])
          const names = await messageNames(this.#parts, agent, 'inbox')
          await this.#evictions.makeRoom(agent, names, settings.inboxLimit - 1)
          const message = await messageIn(this.#parts, leaf.bytes, { agent, fileName: name })
          // Only for a genuine message: a forgery with another message's id would let a copy of that message be handed out.
          if (message && (await isGenuine(this.#parts, agent, message))) {
            // Before the move: once it is in the inbox, a reader may take it.
            await hooks.recover?.(agent, message)
            await expectNumberAgain(this.#parts, agent, message)
          }
          const moved = await moveMessage(this.#parts, step, { touched: true, atMost: largestRead + 1 })
          if (moved.outcome === 'moved') {
            return { outcome: 'recovered', from, path: target, durability: moved.durability, needsCompat }
          }
        }
      }
      const [waiting] = await this.#named(agent, 'inbox', id)
      if (waiting === undefined) throw nothingToRecover(agent, id)
      const path = pathIn(this.#parts, agent, 'inbox', waiting)
      return { outcome: 'unchanged', from: 'inbox', path, durability: 'process', needsCompat: false }
    })
  }

  /**
   * Moves messages back into the inbox that `receive` or `awaitReply` gave, and that did not reach their reader. Unlike `recover`,
   * it works on a full disk: it makes no room and moves each file as it is. `onlyIf` is asked when the file has been won, for a
   * caller whose claim another process may have ended. Answers the paths that are still in `taken/`.
   */
  async putBack(
    owner: string,
    messages: readonly Pick<MrView, 'path' | 'state'>[],
    { onlyIf }: { readonly onlyIf?: () => Promise<boolean> } = {},
  ): Promise<string[]> {
    const agent = agentId(owner)
    const left: string[] = []
    for (const { path, state } of messages) {
      if (state !== 'taken') continue
      const name = nameOf(path as TreePath)
      const step = { agent, name, from: 'taken', transition: 'putBack', as: nameBefore(name) } as const
      try {
        const message = await readMessage(this.#parts, agent, 'taken', name)
        // First, so that the message is not refused as a copy when it is taken again. If this fails, it stays in `taken/`.
        if (message && (await isGenuine(this.#parts, agent, message))) await this.#parts.hooks.recover?.(agent, message)
        const change = onlyIf && unchangedIf(onlyIf)
        const moved = await moveMessage(this.#parts, step, change ? { change } : {})
        if (moved.outcome !== 'moved') left.push(path)
        // If this fails, the number counts as seen, which is harmless.
        else if (message) await unlessFailed(expectNumberAgain(this.#parts, agent, message))
      } catch (error) {
        if (!(error instanceof SignalboxError)) throw error
        left.push(path)
      }
    }
    return left
  }

  /** The files of a message in a folder: named after its id, or the one that another program gave it, or a spare name of either. */
  async #named(agent: AgentId, folder: Folder, id: string): Promise<string[]> {
    const names = await messageNames(this.#parts, agent, folder)
    if (names.includes(fileNameOf(id))) return [fileNameOf(id)]
    const { idOfStem } = await this.#parts.foreign.load()
    return names.filter((name) => {
      const stem = stemOf(nameBefore(name))
      return stem === id || idOfStem(stem) === id
    })
  }

  /** Throws when the file would be rejected again. True when it is a message only with `compat`. */
  async #expectMessage(agent: AgentId, fileName: string, path: TreePath, { bytes, size }: Leaf): Promise<boolean> {
    const { convert } = await this.#parts.foreign.load()
    const where = { agent, fileName, size }
    const strict = judgeFile(bytes, where)
    const judged = strict.outcome === 'message' ? strict : judgeFile(bytes, { ...where, convert })
    if (judged.outcome !== 'message') throw stillNoMessage(agent, path, sentencesOf(strict.problems))
    const forgery = await this.#parts.hooks.verify?.(agent, judged.message)
    if (forgery) throw stillNoMessage(agent, path, forgery.issues)
    return strict.outcome !== 'message'
  }

  /** Throws when another message waits in the inbox under the same name. */
  async #expectSame(target: TreePath, leaf: Leaf): Promise<void> {
    const waiting = await leafAt(this.#parts, target)
    if (!waiting || Buffer.compare(waiting.bytes, leaf.bytes) === 0) return
    throw conflict('NAME_IN_USE', `Another message waits as ${target}.`, {
      hint: 'Receive that one first, then recover this one.',
      details: { path: target },
    })
  }
}

const unchangedIf = (isWanted: () => Promise<boolean>) => async (bytes: Uint8Array) => {
  // An engine may read the next file into the same memory.
  const copy = Uint8Array.from(bytes)
  return (await isWanted()) ? copy : undefined
}

const nothingToRecover = (agent: string, id: string) => {
  const message = `${agent} has no message ${id.slice(0, 80)} in taken/, evicted/ or rejected/.`
  return noSuchMessage(agent, id, message, ', or evicted, or rejected.')
}

const notReadable = ({ path, reason, hint }: Closed) => denied('PERMISSION_DENIED', reason, { hint, details: { path } })

const stillNoMessage = (agent: string, path: TreePath, issues: readonly string[]) =>
  corrupt('STILL_NO_MESSAGE', `${path} would be rejected again: ${issues.slice(0, 20).join('; ').slice(0, 2000)}.`, {
    hint: 'Correct that file, then recover it again.',
    details: { agent, path, issues: issues.slice(0, 20) },
  })

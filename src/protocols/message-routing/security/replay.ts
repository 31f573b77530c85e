/**
 * Which messages have been handed out, so that a copy in the inbox is recognised: after a restart, with every cache deleted, and
 * when `taken/` has been cleared.
 *
 * A message is recognised by the digest of all its fields, so another message with the same id is no copy. The digests are appended
 * to one file for each recipient, sender and day, the day being that of the message's timestamp. When no digest was appended to a
 * day for the length of the window, the day becomes a floor: the file is emptied and renamed, and messages of that day or an
 * earlier one are refused as too old. A message that only waited long is not affected, since a floor comes from messages that were
 * handed out. All times are the tree's; a day in the future, from a sender whose clock is ahead, becomes no floor before it is
 * past.
 * See docs/decisions/0022-replayed-messages.md.
 *
 *   .signalbox/state/delivery/message-routing/{recipient}/{sender}/2026-01-31.seen
 *   .signalbox/state/delivery/message-routing/{recipient}/{sender}/2025-12-24.floor
 */
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { stateOf } from '../../../tree/home.ts'
import type { Tree } from '../../../tree/tree.ts'
import { type Rejection, rejected } from '../hooks.ts'
import { senderFolder } from '../layout.ts'
import type { MrMessage } from '../schema.ts'
import { messageDigest } from './signing.ts'

export const seenHome = childOf(stateOf('delivery'), 'message-routing')

const day = /^(\d{4}-\d{2}-\d{2})\.(seen|floor)$/
const permits = 'permits'

export class Replays {
  readonly #tree: Tree
  /** For how long a digest is kept after the last message of its day was handed out. */
  readonly #windowMs: number
  readonly #days = new Map<TreePath, Day>()
  readonly #swept = new Map<TreePath, number>()

  constructor(tree: Tree, { windowMs }: { readonly windowMs: number }) {
    this.#tree = tree
    this.#windowMs = windowMs
  }

  /** Admits a message once: `undefined` for the first call, a rejection for all later ones, in any process. `now`: of the tree. */
  async admit(agent: string, message: MrMessage, now: number): Promise<Rejection | undefined> {
    const folder = folderOf(agent, message.from)
    if (this.#sweepIsDue(folder, now)) await this.#sweep(folder, now)
    const digest = messageDigest(message)
    const refusal = await this.#refusal(folder, message, async (day) => !(await day.claim(digest)))
    return refusal && (await this.#usePermit(folder, digest)) ? undefined : refusal
  }

  /** The same without remembering anything, for a reader that only looks. */
  async look(agent: string, message: MrMessage): Promise<Rejection | undefined> {
    const folder = folderOf(agent, message.from)
    const digest = messageDigest(message)
    const refusal = await this.#refusal(folder, message, (day) => day.has(digest))
    return refusal && (await this.#permitsFor(folder, digest)) > 0 ? undefined : refusal
  }

  async #refusal(folder: TreePath, message: MrMessage, isCopy: (day: Day) => Promise<boolean>) {
    const date = dateOf(message.timestamp)
    const floor = await this.#floor(folder)
    if (floor !== undefined && date <= floor) return tooOld(message, floor)
    return (await isCopy(this.#dayAt(folder, date))) ? replayed(message) : undefined
  }

  /** The message goes back into the inbox: it may be handed out again, once. */
  async permit(agent: string, message: MrMessage): Promise<void> {
    await this.#tree.append(childOf(folderOf(agent, message.from), permits), `+${messageDigest(message)}`)
  }

  #dayAt(folder: TreePath, date: string): Day {
    const path = childOf(folder, `${date}.seen`)
    const known = this.#days.get(path) ?? new Day(this.#tree, path)
    this.#days.set(path, known)
    return known
  }

  /** The latest day whose digests are gone. */
  async #floor(folder: TreePath): Promise<string | undefined> {
    const names = (await this.#tree.list(folder)).map(({ name }) => day.exec(name))
    return names
      .flatMap((found) => (found?.[2] === 'floor' && isDay(found[1]!) ? [found[1]!] : []))
      .sort()
      .at(-1)
  }

  #sweepIsDue(folder: TreePath, now: number): boolean {
    const before = this.#swept.get(folder)
    if (before !== undefined && Math.abs(now - before) < this.#windowMs / 24) return false
    this.#swept.set(folder, now)
    return true
  }

  /** Oldest first, up to the first day that is still in use: a floor holds for all days before it. */
  async #sweep(folder: TreePath, now: number): Promise<void> {
    const floors: string[] = []
    const oldest = now - this.#windowMs
    for (const { name, modifiedAt } of await this.#tree.list(folder, { times: true })) {
      const [, date, kind] = day.exec(name) ?? []
      if (date === undefined) continue
      if (kind === 'seen') {
        if (modifiedAt > oldest || Date.parse(date) > oldest) break
        // A digest that another process appends in this instant is lost too, but its message is refused as too old anyway.
        const empty = new Uint8Array()
        await this.#tree.move(childOf(folder, name), childOf(folder, `${date}.floor`), { change: () => empty })
        this.#days.delete(childOf(folder, name))
      }
      floors.push(date)
    }
    for (const date of floors.slice(0, -1)) await this.#tree.remove(childOf(folder, `${date}.floor`))
  }

  async #usePermit(folder: TreePath, digest: string): Promise<boolean> {
    if ((await this.#permitsFor(folder, digest)) <= 0) return false
    await this.#tree.append(childOf(folder, permits), `-${digest}`)
    return true
  }

  async #permitsFor(folder: TreePath, digest: string): Promise<number> {
    const leaf = await this.#tree.read(childOf(folder, permits))
    if (!leaf) return 0
    const lines = Buffer.from(leaf.bytes).toString('latin1').split('\n')
    return lines.reduce((sum, line) => sum + (line === `+${digest}` ? 1 : line === `-${digest}` ? -1 : 0), 0)
  }
}

/** The digests of one day. */
class Day {
  readonly #tree: Tree
  readonly #path: TreePath
  /** Digest → the mark of the call that appended it first. */
  readonly #first = new Map<string, string>()
  /** Of the file when the map was made. */
  #size = 0
  #calls = 0
  readonly #mark = process.getBuiltinModule('node:crypto').randomBytes(6).toString('base64url')

  constructor(tree: Tree, path: TreePath) {
    this.#tree = tree
    this.#path = path
  }

  async has(digest: string): Promise<boolean> {
    await this.#refresh()
    return this.#first.has(digest)
  }

  /** All processes see the lines in the same order, so the first line with a digest wins. Looking first saves a line for each copy. */
  async claim(digest: string): Promise<boolean> {
    if (await this.has(digest)) return false
    const mark = `${this.#mark}${(this.#calls++).toString(36)}`
    const line = `${digest} ${mark}`
    const before = this.#size
    await this.#tree.append(this.#path, line)
    const size = (await this.#tree.look(this.#path))?.size
    if (size === before + line.length + 1) {
      // No other process has added a line.
      this.#first.set(digest, mark)
      this.#size = size
    } else await this.#refresh()
    return this.#first.get(digest) === mark
  }

  async #refresh(): Promise<void> {
    const size = (await this.#tree.look(this.#path))?.size ?? 0
    if (size === this.#size) return
    const leaf = await this.#tree.read(this.#path)
    if (!leaf) return
    this.#first.clear()
    for (const line of Buffer.from(leaf.bytes).toString('latin1').split('\n')) {
      const [digest, mark] = line.split(' ')
      if (digest && mark && !this.#first.has(digest)) this.#first.set(digest, mark)
    }
    this.#size = leaf.size
  }
}

const folderOf = (agent: string, from: string): TreePath => childOf(childOf(seenHome, agent), senderFolder(from))

/** False for dates such as 2025-13-40: another program may have made such a floor, which would refuse every earlier message. */
const isDay = (date: string): boolean => !Number.isNaN(Date.parse(`${date}T00:00:00Z`))

/** The day in UTC. A text that is no time counts as the first day, the strictest. */
function dateOf(timestamp: string): string {
  const at = Date.parse(timestamp)
  return Number.isNaN(at) || at < 0 || at > latest ? '1970-01-01' : new Date(at).toISOString().slice(0, 10)
}
const latest = Date.UTC(9999, 11, 31)

const replayed = ({ from, msg_id }: MrMessage): Rejection =>
  rejected('REPLAYED', `The message ${msg_id} from ${from} was handed out before; this is a copy of it`)

const tooOld = ({ from, msg_id, timestamp }: MrMessage, floor: string): Rejection =>
  rejected(
    'TOO_OLD',
    `The message ${msg_id} from ${from} is of ${timestamp}; what was handed out up to ${floor} is no longer known, so it may be a copy`,
  )

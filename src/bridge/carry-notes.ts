/**
 * What the bridge has carried, written down before it is done, so that any other bridge can go on after a crash:
 *
 *   .signalbox/state/bridge/notes/KEY.json      one for each time that a message was carried; stays
 *   .signalbox/state/bridge/open/KEY            an empty leaf for each note whose message is still away
 *   .signalbox/state/bridge/handles/HASH.json   the newest note about a message, by the handle of the original and of the copy
 *
 * The notes are the truth about what is whose copy: what a message says of its own origin is only text.
 */
import { sha256 } from '../formats/digest.ts'
import { parseJson } from '../formats/json.ts'
import { SignalboxError } from '../kernel/errors.ts'
import { childOf, isSegment, type TreePath } from '../kernel/tree-path.ts'
import { changeLeaf } from '../messaging/leaves/change.ts'
import { listIfFolder, readIfLeaf } from '../messaging/leaves/tolerant.ts'
import { stateOf } from '../tree/home.ts'
import type { Tree } from '../tree/tree.ts'

export const bridgeFolder = stateOf('bridge')
const notesFolder = childOf(bridgeFolder, 'notes')
const openFolder = childOf(bridgeFolder, 'open')
const handlesFolder = childOf(bridgeFolder, 'handles')
export const textsFolder = childOf(bridgeFolder, 'texts')

/** In bytes. */
const longestNote = 16 * 1024

export interface CarryNote {
  readonly key: string
  /** The handle of what is carried. */
  readonly original: string
  /** Of what the original says: another one under the same handle is another message. */
  readonly digest: string
  /** The recipient, by its name in the directory. */
  readonly to: string
  readonly hops: number
  /**
   * `away`: the original is claimed, and a copy of it waits or is worked on. `late`: the deadline has passed, and the sender was
   * told; an answer that still comes is sent after it. `over`: nothing is left to do.
   */
  readonly state: 'away' | 'late' | 'over'
  /** The claim on the original. */
  readonly receipt?: {
    readonly id: string
    readonly agent: string
    readonly place?: string
    readonly attempt?: number
    readonly until?: number
  }
  /** The handle of the copy. */
  readonly copy?: string
  /** Where the copy was put, and when: one that lies elsewhere was moved by an agent. */
  readonly copyPath?: string
  readonly sentAt?: number
  /** Of the progress that the sender was told last. */
  readonly progress?: string
}

export class CarryNotes {
  readonly #tree: Tree

  constructor(tree: Tree) {
    this.#tree = tree
  }

  /** The newest note about a message, as original or as copy. */
  async of(handle: string): Promise<CarryNote | undefined> {
    const leaf = await readIfLeaf(this.#tree, pointerPath(handle), { atMost: longestNote })
    const { key } = leaf ? (json(leaf.bytes) as { key?: unknown }) : {}
    return typeof key === 'string' ? this.read(key) : undefined
  }

  async read(key: string): Promise<CarryNote | undefined> {
    if (!/^[0-9a-f]{40}\.\d{1,6}$/.test(key)) return undefined
    const leaf = await readIfLeaf(this.#tree, notePath(key), { atMost: longestNote })
    return leaf && noteIn(key, leaf.bytes)
  }

  /**
   * The note by which a message is carried now: the one that is there while its copy is away, else a new one. A message that
   * waits again after its note was over, as a retried one does, is carried again under the next number.
   */
  async begin(about: Omit<CarryNote, 'key' | 'state'>): Promise<CarryNote> {
    // Of a message to all, each recipient has a copy under one handle.
    const stem = sha256(`${about.original}\n${about.digest}\n${about.to}`).slice(0, 40)
    for (let n = 1; ; n++) {
      const key = `${stem}.${n}`
      const fresh: CarryNote = { ...about, key, state: 'away' }
      const { outcome } = await this.#tree.create(notePath(key), bytesOf(fresh))
      const note = outcome === 'created' ? fresh : await this.read(key)
      if (note?.state === 'over') continue
      await this.#tree.create(childOf(openFolder, key), '')
      await this.#point(about.original, key)
      return note ?? fresh
    }
  }

  /** Changes a note that is not over. Answers what is noted now. */
  async change(key: string, with_: Partial<Omit<CarryNote, 'key' | 'original'>>): Promise<CarryNote> {
    let now: CarryNote | undefined
    await changeLeaf(this.#tree, notePath(key), (before) => {
      const note = before && noteIn(key, before.bytes)
      now = note && note.state !== 'over' ? { ...note, ...with_ } : note
      return note && now && now !== note ? bytesOf(now) : undefined
    })
    if (!now) throw new Error(`The note ${key} of the bridge is gone.`)
    if (now.copy !== undefined && with_.copy !== undefined) await this.#point(now.copy, key)
    if (now.state === 'over') await this.#tree.remove(childOf(openFolder, key))
    return now
  }

  /** What was ever carried: the handles of each original and its copy. */
  async *pairs(): AsyncGenerator<readonly [original: string, copy: string]> {
    for (const { name } of await listIfFolder(this.#tree, notesFolder)) {
      const note = await this.read(name.slice(0, -'.json'.length))
      if (note?.copy !== undefined) yield [note.original, note.copy]
    }
  }

  /** Those whose messages are away. */
  async *open(): AsyncGenerator<CarryNote> {
    for (const { name } of await listIfFolder(this.#tree, openFolder)) {
      const note = isSegment(name) ? await this.read(name) : undefined
      if (note && note.state !== 'over') yield note
      // Killed between noting that it is over and removing the mark; or a stranger's leaf.
      else if (note) await this.#tree.remove(childOf(openFolder, name))
    }
  }

  async #point(handle: string, key: string): Promise<void> {
    const path = pointerPath(handle)
    await changeLeaf(this.#tree, path, (before) => {
      const { key: known } = before ? (json(before.bytes) as { key?: unknown }) : {}
      return known === key || (typeof known === 'string' && isNewer(known, key))
        ? undefined
        : Buffer.from(`${JSON.stringify({ handle, key })}\n`)
    })
  }
}

/** Of two notes about the same text. */
function isNewer(known: string, key: string): boolean {
  const [stem, n] = known.split('.')
  const [otherStem, other] = key.split('.')
  return stem === otherStem && Number(n) > Number(other)
}

const notePath = (key: string): TreePath => childOf(notesFolder, `${key}.json`)
const pointerPath = (handle: string): TreePath => childOf(handlesFolder, `${sha256(handle).slice(0, 40)}.json`)
const bytesOf = ({ key: _, ...note }: CarryNote): Buffer => Buffer.from(`${JSON.stringify(note)}\n`)

/** Anybody may have written there: what is no JSON object says nothing. */
function json(bytes: Uint8Array): object {
  try {
    const value = parseJson(bytes)
    return typeof value === 'object' && value !== null ? value : {}
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    return {}
  }
}

function noteIn(key: string, bytes: Uint8Array): CarryNote | undefined {
  const { original, digest, to, hops, state, receipt, copy, copyPath, sentAt, progress } = json(bytes) as Record<
    string,
    unknown
  >
  const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 4096
  if (!isText(original) || !isText(digest) || !isText(to) || !Number.isSafeInteger(hops)) return undefined
  if (state !== 'away' && state !== 'late' && state !== 'over') return undefined
  return {
    key,
    original,
    digest,
    to,
    hops: hops as number,
    state,
    ...(isReceipt(receipt) ? { receipt } : {}),
    ...(isText(copy) ? { copy } : {}),
    ...(isText(copyPath) ? { copyPath } : {}),
    ...(Number.isSafeInteger(sentAt) ? { sentAt: sentAt as number } : {}),
    ...(isText(progress) ? { progress } : {}),
  }
}

function isReceipt(value: unknown): value is NonNullable<CarryNote['receipt']> {
  const { id, agent, place, attempt, until } = (value ?? {}) as Record<string, unknown>
  const isNumber = (one: unknown) => one === undefined || Number.isSafeInteger(one)
  return (
    typeof id === 'string' &&
    typeof agent === 'string' &&
    (place === undefined || typeof place === 'string') &&
    isNumber(attempt) &&
    isNumber(until)
  )
}

/**
 * That the text of a message has left this program for its reader: printed, flushed or returned. Everything else on the way of a
 * message follows from its protocol's own files; only this is noted.
 *
 *   .signalbox/state/shown/{digest of the handle}~{attempt}~{…}.json   {"handle", "by", "through"}; when it came there it was shown
 *   .signalbox/state/shown/handing/{digest of the reader}~{…}.json     {"receipt", "times"}: taken, and not shown yet; with the
 *                                                                      fields of the other it becomes that one
 *
 * A claim that has an end comes back by itself when its process is killed before the text was shown. One that has none is given to
 * the same reader again.
 */
import { sha256 } from '../formats/digest.ts'
import { lastAnswer } from '../kernel/last-answer.ts'
import { childOf, type TreePath } from '../kernel/tree-path.ts'
import { changeLeaf } from '../messaging/leaves/change.ts'
import { prune } from '../messaging/leaves/keep.ts'
import { listIfFolder, readIfLeaf } from '../messaging/leaves/tolerant.ts'
import { stateOf } from '../tree/home.ts'
import type { Tree } from '../tree/tree.ts'

export interface Shown {
  readonly reader: string
  /** The surface: `cli`, `library`. */
  readonly through: string
  /** By the tree's time, in milliseconds. */
  readonly at: number
}

const folder = stateOf('shown')
/** In bytes. */
const longestNote = 2048
const kept = { keepMs: 30 * 24 * 3600 * 1000, keepBytes: 64 << 20 }
/** One in so many notes clears old ones away: about half of what is kept, since each time all notes are looked at. */
const pruneEvery = 8000

export async function noteShown(
  tree: Tree,
  handle: string,
  { reader, through }: Omit<Shown, 'at'>,
  attempt = 1,
): Promise<void> {
  const path = noteOf(handle, reader, attempt)
  const { outcome } = await tree.create(path, `${JSON.stringify({ handle, by: reader, through })}\n`)
  if (outcome === 'created') await pruneNowAndThen(tree)
}

const noteOf = (handle: string, reader: string, attempt: number): TreePath =>
  childOf(folder, `${digestOf(handle)}~${attempt}~${digestOfReader(reader).slice(0, 8)}.json`)

async function pruneNowAndThen(tree: Tree): Promise<void> {
  if (Math.random() * pruneEvery < 1) await prune(tree, folder, kept)
}

/** To whom it was shown, the first time first. Notes that another program wrote, and that do not parse, are skipped. */
export async function shownOf(tree: Tree, handle: string): Promise<Shown[]> {
  const shown: Shown[] = []
  for (const { name, kind } of await listIfFolder(tree, folder)) {
    if (kind !== 'leaf' || !name.startsWith(`${digestOf(handle)}~`)) continue
    const leaf = await readIfLeaf(tree, childOf(folder, name), { atMost: longestNote })
    const note = leaf && noteIn(leaf.bytes, handle)
    if (note) shown.push({ ...note, at: leaf.changedAt })
  }
  return shown.sort((a, b) => a.at - b.at)
}

function noteIn(bytes: Uint8Array, of: string): Omit<Shown, 'at'> | undefined {
  try {
    const { handle, by, through } = JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, unknown>
    return handle === of && typeof by === 'string' && typeof through === 'string' ? { reader: by, through } : undefined
  } catch {
    // Not JSON, or null.
    return undefined
  }
}

const digestOf = (text: string): string => sha256(text).slice(0, 24)
const digestOfReader = lastAnswer(digestOf)

const handingFolder = childOf(folder, 'handing')
/** A process that has not shown what it took after so long counts as killed or held. */
const longestHandingMs = 5000

const handingPrefix = (reader: string): string => `${digestOf(reader.toLowerCase())}~`
const handingNote = (reader: string, receipt: string): TreePath =>
  childOf(handingFolder, `${handingPrefix(reader)}${digestOf(receipt)}.json`)

/** This process has taken a message and is about to show it. `shown`: then the note can become that of `noteShown`. */
export async function beginHanding(
  tree: Tree,
  reader: string,
  receipt: string,
  shown: { readonly handle?: string; readonly through?: string | undefined } = {},
): Promise<void> {
  const note = { receipt, times: 1, by: reader, ...shown }
  await tree.create(handingNote(reader, receipt), `${JSON.stringify(note)}\n`)
}

/** Both `noteShown` and `endHanding`, in one step. False: there is no such note, or one says already that it was shown. */
export async function endByShowing(tree: Tree, reader: string, receipt: string, handle: string, attempt: number) {
  const { outcome } = await tree.move(handingNote(reader, receipt), noteOf(handle, reader, attempt))
  if (outcome === 'moved') await pruneNowAndThen(tree)
  return outcome === 'moved'
}

/** The message was shown, or is no longer the reader's. */
export async function endHanding(tree: Tree, reader: string, receipt: string): Promise<void> {
  await tree.remove(handingNote(reader, receipt))
}

/** The receipts of what was taken for a reader and never shown. Each is answered to one process, which has to show it now. */
export async function* neverShown(tree: Tree, reader: string): AsyncGenerator<string> {
  for (const { name, kind } of await listIfFolder(tree, handingFolder)) {
    if (kind !== 'leaf' || !name.startsWith(handingPrefix(reader))) continue
    const path = childOf(handingFolder, name)
    const leaf = await readIfLeaf(tree, path, { atMost: longestNote })
    const seen = leaf && handingIn(leaf.bytes)
    if (!seen || Math.abs((await tree.now()) - leaf.modifiedAt) < longestHandingMs) continue
    const { outcome } = await changeLeaf(tree, path, (now) => {
      const noted = now && handingIn(now.bytes)
      const isUnchanged = noted?.receipt === seen.receipt && noted.times === seen.times
      const { receipt, times } = seen
      return isUnchanged ? Buffer.from(`${JSON.stringify({ receipt, times: times + 1 })}\n`) : undefined
    })
    if (outcome === 'replaced') yield seen.receipt
  }
}

function handingIn(bytes: Uint8Array): { readonly receipt: string; readonly times: number } | undefined {
  try {
    const { receipt, times } = JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, unknown>
    const isOurs = typeof receipt === 'string' && /^.+@[1-9]\d{0,8}$/.test(receipt) && Number.isSafeInteger(times)
    return isOurs ? { receipt, times: times as number } : undefined
  } catch {
    // Not JSON, or null.
    return undefined
  }
}

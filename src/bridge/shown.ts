/**
 * That the text of a message has left this program for its reader: printed, flushed or returned. Everything else on the way of a
 * message follows from its protocol's own files; only this is noted.
 *
 *   .signalbox/state/shown/{digest of the handle}~{attempt}.json   {"handle", "by", "through"}; its time is when it was shown
 */
import { sha256 } from '../formats/digest.ts'
import { childOf } from '../kernel/tree-path.ts'
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
/** One in so many notes clears old ones away. */
const pruneEvery = 500

export async function noteShown(
  tree: Tree,
  handle: string,
  { reader, through }: Omit<Shown, 'at'>,
  attempt = 1,
): Promise<void> {
  const path = childOf(folder, `${digestOf(handle)}~${attempt}~${digestOf(reader).slice(0, 8)}.json`)
  const { outcome } = await tree.create(path, `${JSON.stringify({ handle, by: reader, through })}\n`)
  if (outcome === 'created' && Math.random() * pruneEvery < 1) await prune(tree, folder, kept)
}

/** To whom it was shown, the first time first. Notes that another program wrote, and that do not parse, are skipped. */
export async function shownOf(tree: Tree, handle: string): Promise<Shown[]> {
  const shown: Shown[] = []
  for (const { name, kind } of await listIfFolder(tree, folder)) {
    if (kind !== 'leaf' || !name.startsWith(`${digestOf(handle)}~`)) continue
    const leaf = await readIfLeaf(tree, childOf(folder, name), { atMost: longestNote })
    const note = leaf && noteIn(leaf.bytes, handle)
    if (note) shown.push({ ...note, at: leaf.modifiedAt })
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

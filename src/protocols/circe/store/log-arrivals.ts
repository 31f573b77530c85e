/**
 * Messages that another program put straight into the log. Looked for only when the folder has changed, and only by commands
 * that tell how tasks stand: it means going through all names.
 */
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { lookIfThere, readIfLeaf, unlessOdd } from '../../../messaging/leaves/tolerant.ts'
import { nameBefore } from '../../../messaging/quarantine/quarantine.ts'
import { eventsIn } from '../events.ts'
import { loggedPath, logsPath } from '../layout.ts'
import { logBytes } from './log.ts'
import { readHeads } from './message-index.ts'
import type { CirceParts } from './parts.ts'
import { type Listed, namesAt } from './places.ts'

/** Two changes of a folder within a few milliseconds can have the same time. */
const tooRecentMs = 2000

interface Known {
  /** When the folder had changed last. */
  readonly modifiedAt: number
  /** What is no message, or is about no task. */
  readonly others: readonly string[]
}

export interface LogArrivals {
  readonly found: readonly Listed[]
  /** To be called when they have been taken into account. */
  remember(): Promise<void>
}

const nothing: LogArrivals = { found: [], remember: async () => {} }

export async function logArrivals(parts: CirceParts): Promise<LogArrivals> {
  const { tree, root } = parts
  const folder = await lookIfThere(tree, logsPath(root))
  if (!folder) return nothing
  const known = await readKnown(parts)
  const isRecent = (await tree.now()) - folder.modifiedAt < tooRecentMs
  if (!isRecent && known.modifiedAt === folder.modifiedAt) return nothing
  const told = new Set(known.others)
  for (const { file, event } of eventsIn(await logBytes(parts))) {
    // What was set aside may have been corrected and put there since.
    if (file !== undefined && event !== 'rejected') told.add(file)
  }
  const found: Listed[] = []
  const others: string[] = []
  const unknown = (await namesAt(parts, { place: 'logged' })).filter(
    // A second file under a spare name is a copy of a message that counts already.
    (name) => !told.has(name) && !told.has(nameBefore(name)),
  )
  for await (const read of readHeads(parts, { place: 'logged' }, unknown)) {
    const isMessage = !('problem' in read)
    if (isMessage) found.push({ place: 'logged', writtenAt: 0, ...read })
    if (!isMessage || read.message.task === undefined) others.push(read.name)
  }
  const remember = async () => {
    const now: Known = { modifiedAt: isRecent ? 0 : folder.modifiedAt, others: [...known.others, ...others] }
    await unlessOdd(changeLeaf(tree, loggedPath, () => Buffer.from(JSON.stringify(now))))
  }
  return { found, remember }
}

async function readKnown({ tree }: CirceParts): Promise<Known> {
  const leaf = await readIfLeaf(tree, loggedPath)
  try {
    const { modifiedAt, others } = JSON.parse(Buffer.from(leaf?.bytes ?? []).toString('utf8')) as Known
    if (typeof modifiedAt === 'number' && Array.isArray(others)) return { modifiedAt, others }
  } catch {
    // Not there, or not ours: everything is looked at again.
  }
  return { modifiedAt: 0, others: [] }
}

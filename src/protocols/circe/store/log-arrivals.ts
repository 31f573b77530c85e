/**
 * Messages that another program put straight into the log. Searching goes through all names of the folder, so it is done only when
 * the folder has changed, and only by commands that show or change tasks.
 */
import { list, number, object, readJson, text } from '../../../formats/plain-data.ts'
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

/** `modifiedAt`: of the folder, when it was last searched. `others`: files that are no messages, or are about no task. */
const saved = object({ modifiedAt: number, others: list(text) })

/** `undefined`: the folder has not changed since the last search. `remember` is called when the messages have counted. */
export async function logArrivals(
  parts: CirceParts,
): Promise<{ readonly found: readonly Listed[]; remember(): Promise<void> } | undefined> {
  const { tree, root } = parts
  const folder = await lookIfThere(tree, logsPath(root))
  if (!folder) return undefined
  const leaf = await readIfLeaf(tree, loggedPath)
  const known = (leaf && readJson(saved, leaf.bytes)) ?? { modifiedAt: 0, others: [] }
  const isRecent = (await tree.now()) - folder.modifiedAt < tooRecentMs
  if (!isRecent && known.modifiedAt === folder.modifiedAt) return undefined
  const told = new Set(known.others)
  for (const { file, event } of eventsIn(await logBytes(parts))) {
    // A person may have corrected a rejected file and put it there since.
    if (file !== undefined && event !== 'rejected') told.add(file)
  }
  const found: Listed[] = []
  const others: string[] = []
  const unknown = (await namesAt(parts, { place: 'logged' })).filter(
    // A file with a spare name is a copy of a message that has counted.
    (name) => !told.has(name) && !told.has(nameBefore(name)),
  )
  for await (const read of readHeads(parts, { place: 'logged' }, unknown)) {
    const isMessage = !('problem' in read)
    if (isMessage) found.push({ place: 'logged', writtenAt: 0, ...read })
    if (!isMessage || read.message.task === undefined) others.push(read.name)
  }
  const remember = async () => {
    const now = { modifiedAt: isRecent ? 0 : folder.modifiedAt, others: [...known.others, ...others] }
    await unlessOdd(changeLeaf(tree, loggedPath, () => Buffer.from(JSON.stringify(now))))
  }
  return { found, remember }
}

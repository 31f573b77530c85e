/** What is out of order in a mission, for `doctor`. Looks at every message and changes nothing. */
import { SignalboxError } from '../../../kernel/errors.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import type { Entry, Finding } from '../../../tree/tree.ts'
import { failureOf } from '../format.ts'
import { isMessageName } from '../layout.ts'
import { type QueueName, queueNames } from '../schema.ts'
import { entriesIn, oddInMission } from './odd-entries.ts'
import type { MissionFiles } from './parts.ts'

export async function inspectMission(files: MissionFiles): Promise<Finding[]> {
  const { place, settings, tree } = files
  const findings: Finding[] = await oddInMission(files)
  const tell = (code: string, path: string, message: string, remedy: string) => {
    const hint = `${remedy}: acmq reconcile ${place.address}`
    findings.push({ code, severity: 'warning', path, message, hint, repaired: false })
  }
  const places = new Map<string, string>()
  for (const queue of queueNames) {
    for (const entry of await entriesIn(tree, files.queues[queue])) {
      if (!isMessageName(entry.name)) continue
      const path = files.at(queue, entry.name)
      const read = await readOrReason(files, queue, entry)
      if (typeof read === 'string') {
        const isNews = queue !== 'failed' || entry.kind !== 'leaf' || !(await hasReport(files, path))
        if (isNews) tell('UNREADABLE_MESSAGE', path, read, 'Correct the file, or set it aside')
      }
      if (!read || typeof read === 'string') continue
      const { id, status } = read.message.record
      // Between the two steps of a claim, folder and status differ for an instant.
      if (status !== queue && (await tree.now()) - read.changedAt >= settings.quarantineAfterMs) {
        const message = `Its status says ${JSON.stringify(status)}, but it is in ${queue}.`
        tell('STATUS_FOLDER_MISMATCH', path, message, 'Bring them into agreement')
      }
      const other = places.get(id)
      if (other !== undefined) {
        tell('MESSAGE_IN_TWO_PLACES', path, `Message ${id} is also in ${other}.`, 'Set aside the copy that is less far')
      }
      places.set(id, path)
    }
  }
  return findings
}

/** A message, or why it cannot be read. `undefined` when it has just moved on. */
async function readOrReason(files: MissionFiles, queue: QueueName, { name, kind }: Entry) {
  if (kind !== 'leaf') return `Not an ordinary file (${kind}).`
  try {
    const read = await files.readHeader(queue, name)
    return read?.outcome === 'malformed' ? read.problems[0].message : read
  } catch (error) {
    // Not ours to read.
    if (error instanceof SignalboxError) return error.message
    throw error
  }
}

/** Set aside with the reason: it waits for a person, and is no news. */
async function hasReport({ tree }: MissionFiles, path: TreePath): Promise<boolean> {
  const size = (await tree.look(path))?.size ?? 0
  const leaf = size > largestReported ? undefined : await tree.read(path)
  return leaf === undefined || failureOf(leaf.bytes) !== undefined
}

/** Larger files get no report: `Reconciliation` does not rewrite them. */
export const largestReported = 16 * 1024 * 1024

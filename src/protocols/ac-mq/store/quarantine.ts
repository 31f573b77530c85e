/**
 * Why a file in `failed/` was set aside, for the person who finds it there. It stands at the end of the file; of a file that is
 * too large to be read it stands in one beside it. Either way the file stays as unreadable as it was, until somebody mends it.
 */
import type { Problem } from '../../../kernel/problem.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import { isUnread, readOrSayWhy } from '../../../messaging/leaves/readable.ts'
import { failureOf, withFailure } from '../format.ts'
import type { MissionFiles } from './parts.ts'

/** True when nothing more is to be told: it is gone, or the reason is there. */
export async function hasReason(files: MissionFiles, name: string): Promise<boolean> {
  const leaf = await read(files, name)
  if (leaf === 'too large') return (await files.tree.look(beside(files, name))) !== undefined
  return leaf === undefined || failureOf(leaf) !== undefined
}

export async function reportReason(files: MissionFiles, name: string, problem: Problem): Promise<void> {
  const { tree, clock } = files
  const { message: reason, hint: detail } = problem
  const leaf = await read(files, name)
  if (leaf === undefined) return
  const failure = { agent: 'signalbox', at: clock.now(), reason, ...(detail ? { detail } : {}) }
  if (leaf === 'too large') {
    await tree.create(beside(files, name), withFailure(new Uint8Array(), failure))
    return
  }
  if (failureOf(leaf) !== undefined) return
  // Line by line at the end, so that a program that still writes to the file does not lose a line.
  const report = withFailure(leaf, failure).subarray(leaf.length).toString('utf8')
  for (const line of report.split('\n').slice(0, -1))
    await tree.append(files.at('failed', name), line.replaceAll('\r', ''))
}

async function read(files: MissionFiles, name: string): Promise<Uint8Array | 'too large' | undefined> {
  const leaf = await readOrSayWhy(files.tree, files.at('failed', name), { most: files.settings.largestMessage })
  if (!leaf || !isUnread(leaf)) return leaf?.bytes
  return leaf.outcome === 'closed' ? undefined : 'too large'
}

/** Not named like a message. File names hold 255 bytes at most. */
const beside = ({ queues }: MissionFiles, name: string) => childOf(queues.failed, `${name.slice(0, 200)}.reason.txt`)

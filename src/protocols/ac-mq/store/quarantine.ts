/**
 * The reason why a file was set aside in `failed/`, for the person who finds it there. It is appended to the file, or written to a
 * file beside it if the file is too large to be read.
 */
import type { Problem } from '../../../kernel/problem.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import { isUnread, readOrSayWhy } from '../../../messaging/leaves/readable.ts'
import { failureOf, withFailure } from '../format.ts'
import type { MissionFiles } from './parts.ts'

/** True when the file has its reason, or is gone. */
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
  // Appended line by line, so that no line is lost that another program still writes to the file.
  const report = withFailure(leaf, failure).subarray(leaf.length).toString('utf8')
  for (const line of report.split('\n').slice(0, -1))
    await tree.append(files.at('failed', name), line.replaceAll('\r', ''))
}

async function read(files: MissionFiles, name: string): Promise<Uint8Array | 'too large' | undefined> {
  const leaf = await readOrSayWhy(files.tree, files.at('failed', name), { most: files.settings.largestMessage })
  if (!leaf || !isUnread(leaf)) return leaf?.bytes
  return leaf.outcome === 'closed' ? undefined : 'too large'
}

/** Not named like a message. A file name has at most 255 bytes. */
const beside = ({ queues }: MissionFiles, name: string) => childOf(queues.failed, `${name.slice(0, 200)}.reason.txt`)

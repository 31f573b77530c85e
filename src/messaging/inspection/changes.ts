/** The one finding about a journal: changes that killed processes left, and notes that are none of ours. */

import { printDuration } from '../../formats/duration.ts'
import { call } from '../../kernel/call.ts'
import type { SignalboxError } from '../../kernel/errors.ts'
import type { TreePath } from '../../kernel/tree-path.ts'
import { type Finding, finding, type Tree } from '../../tree/tree.ts'
import { removeIfLeaf } from '../leaves/tolerant.ts'
import { strangeNote } from './findings.ts'

/** A change takes milliseconds. A note that is older than this was left by a process that was killed. */
const longestChange = 60_000

/** What this needs of a `Journal`. */
interface Changes {
  notes(): Promise<readonly { readonly path: TreePath; readonly subject: string | undefined }[]>
  finishAll(): Promise<readonly { readonly subject: string; readonly error: SignalboxError }[]>
}

/** With `repair`, what can be finished is finished first, and strange notes are removed. */
export async function unfinishedChanges(tree: Tree, journal: Changes, repair: boolean): Promise<Finding[]> {
  const before = repair ? (await journal.notes()).filter(({ subject }) => subject !== undefined) : []
  const stuck = repair ? await journal.finishAll() : []
  const findings: Finding[] = []
  const left = new Set<TreePath>()
  for (const { path, subject } of await journal.notes()) {
    left.add(path)
    if (subject === undefined) {
      const isRemoved = repair && (await removeIfLeaf(tree, path))?.outcome === 'removed'
      findings.push(strangeNote(path, isRemoved))
    } else findings.push(await unfinished(tree, path, stuck.find((one) => one.subject === subject)?.error))
  }
  for (const { path } of before) {
    if (left.has(path)) continue
    const message = 'A process was killed in the middle of a change, which is finished now.'
    findings.push(finding('warning', 'UNFINISHED_CHANGE', path, message, 'Nothing more is to be done.', true))
  }
  return findings
}

async function unfinished(tree: Tree, path: TreePath, error: SignalboxError | undefined): Promise<Finding> {
  if (error) {
    const message = `A change that a killed process left cannot be finished: ${error.message}`
    return finding('error', 'STUCK_CHANGE', path, message, error.hint ?? 'Put that right; the next command goes on.')
  }
  const age = (await tree.now()) - ((await tree.look(path))?.changedAt ?? Number.POSITIVE_INFINITY)
  if (age < longestChange) {
    const message = 'A process was killed here, or is at work right now.'
    return finding('note', 'UNFINISHED_CHANGE', path, message, 'The next command finishes it.')
  }
  const since = printDuration(Math.floor(age / 1000) * 1000)
  const message = `A process was killed ${since} ago, and its change was not finished yet.`
  const hint = `Run ${call('doctor', { fix: true })}: it finishes the change, or says what is in the way.`
  return finding('error', 'UNFINISHED_CHANGE', path, message, hint)
}

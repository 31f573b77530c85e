/** The journal of CIRCE: changes of a task with all its messages, or of one message without a task. */
import { SignalboxError } from '../../../kernel/errors.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { expectKind } from '../../../messaging/inspection/expected.ts'
import { type Committed, Journal } from '../../../messaging/journal/journal.ts'
import type { CirceEvent } from '../events.ts'
import {
  agentsPath,
  eventsPath,
  handedPath,
  inboxPath,
  logsPath,
  newPath,
  taskFiles,
  taskPath,
  tasksPath,
  unfinishedPath,
  workspacePath,
} from '../layout.ts'
import { isFileName, isTaskId } from '../names.ts'
import { type CirceStep, stepsInNote, taskOf } from '../steps.ts'
import { folderOf } from './agents.ts'
import type { CirceParts, Subject } from './parts.ts'
import { CirceSteps } from './performing.ts'

/** Whether to wait for another process that has the turn, at most `turnMs`. */
export interface Patience {
  readonly isPatient?: boolean
}

export type Changes = Journal<CirceStep, Subject>

export const changesOf = (parts: CirceParts): Changes =>
  new Journal<CirceStep, Subject>(parts.tree, new CirceSteps(parts), {
    folder: unfinishedPath,
    isSubject,
    turnOf: (subject) => `circe ${parts.root} ${subject}`,
    stepsIn: stepsInNote,
  })

/** Impatient for work besides: only a command that was asked to change this subject waits for another process. */
export const turn = <T>(
  { changes, settings }: CirceParts,
  subject: Subject,
  work: () => Promise<T>,
  { isPatient = true }: Patience = {},
): Promise<T> => changes.turn(subject, work, { waitMs: isPatient ? settings.turnMs : 0 })

/** Only in the turn of the subject. The events become lines of the log when all steps are done. */
export async function commit(
  parts: CirceParts,
  subject: Subject,
  steps: readonly CirceStep[],
  events: readonly CirceEvent[] = [],
): Promise<Committed> {
  await expectPlaces(parts, steps)
  return parts.changes.commit(subject, [...steps, ...events.map((event) => ({ do: 'tell', event }) as const)])
}

/** Answers the error of some work, so that the caller can go on with the next subject. */
export async function apart(work: () => Promise<unknown>): Promise<SignalboxError | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof SignalboxError) return error
    throw error
  }
}

function isSubject(name: string): name is Subject {
  if (name.startsWith('task.')) return isTaskId(name.slice(5))
  return name.startsWith('file.') && isFileName(name.slice(5))
}

/** Checks that files and folders are of the right kind before the first step: otherwise the change could not be finished. */
async function expectPlaces(parts: CirceParts, steps: readonly CirceStep[]): Promise<void> {
  const { tree, root } = parts
  const folders = new Set<TreePath>([logsPath(root)])
  const leaves = new Set<TreePath>([eventsPath(root)])
  for (const step of steps) {
    if (step.do === 'own' || step.do === 'write') {
      folders.add(tasksPath(root))
      for (const file of taskFiles) leaves.add(taskPath(root, taskOf(step)!, file))
    }
    if (step.do === 'claim' || step.do === 'start' || step.do === 'hand') {
      const folder = await folderOf(parts, step.agent)
      folders.add(childOf(agentsPath(root), folder)).add(inboxPath(root, folder))
      if (step.do === 'start') folders.add(workspacePath(root, folder))
      if (step.do === 'hand') {
        folders.add(handedPath(step.agent))
        leaves.add(childOf(handedPath(step.agent), step.file))
      }
    }
    if (step.do === 'back' || step.do === 'return') folders.add(newPath(root))
  }
  await expectKind(tree, 'folder', folders)
  await expectKind(tree, 'leaf', leaves)
}

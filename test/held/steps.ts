/** Which of the engine's calls count as steps, and how a step is shown to people. */
import { FilePlace } from '../../src/engines/file-system/disk.ts'
import { isChange, type StepName } from '../support/stepping-disk.ts'

/** All calls, or only those whose effect others can see. Nobody else sees a draft before it is in its place. */
export type Steps = 'all' | 'changes'

const unseen: readonly StepName[] = ['open', 'makeDirectory', 'flush', 'flushData', 'flushLater', 'flushDataLater']
/** Writes at a position go to a file that is already in its place, or are notes. Others go to drafts. */
const isSeen = (step: StepName, values: readonly unknown[]): boolean =>
  step === 'write' ? typeof values[4] === 'number' : !unseen.includes(step)

/** Not counted: closing a file, and reading `/proc`. */
export function isCounted(which: Steps, step: StepName, values: readonly unknown[]): boolean {
  if (which === 'changes') return isChange(step, values) && isSeen(step, values)
  if (step === 'close' || step === 'readLink') return false
  const [place] = values
  return !(place instanceof FilePlace && place.folder.prefix === '' && place.name.startsWith('/proc/'))
}

export function sayStep(root: string, step: StepName, values: readonly unknown[]): string {
  const places = values.flatMap((value) => (value instanceof FilePlace ? [shown(root, value)] : []))
  return [step, ...places].join(' ')
}

/** Folders are known by descriptor, so show only the name then. */
const shown = (root: string, { path, name }: FilePlace): string =>
  path.startsWith(root) ? path.slice(root.length + 1) : name

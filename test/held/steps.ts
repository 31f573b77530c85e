/** Which of the engine's calls are steps to be held before, and how a step is told to people. */
import { Place } from '../../src/engines/file-system/disk.ts'
import { isChange, type StepName } from '../support/stepping-disk.ts'

/** All of them, or only those that change something others can see: a draft is nobody else's until it is put in its place. */
export type Steps = 'all' | 'changes'

const unseen: readonly StepName[] = ['open', 'makeDirectory', 'flush', 'flushData', 'flushLater', 'flushDataLater']
/** What is written at a place of a file is written into one that is there already, or is a note about what comes next. */
const isSeen = (step: StepName, values: readonly unknown[]): boolean =>
  step === 'write' ? typeof values[4] === 'number' : !unseen.includes(step)

/** Closing a file changes nothing for anybody, and what the system tells in `/proc` is not the world. */
export function isCounted(which: Steps, step: StepName, values: readonly unknown[]): boolean {
  if (which === 'changes') return isChange(step, values) && isSeen(step, values)
  if (step === 'close' || step === 'readLink') return false
  const [place] = values
  return !(place instanceof Place && place.folder.prefix === '' && place.name.startsWith('/proc/'))
}

export function sayStep(root: string, step: StepName, values: readonly unknown[]): string {
  const places = values.flatMap((value) => (value instanceof Place ? [shown(root, value)] : []))
  return [step, ...places].join(' ')
}

/** Folders are held by descriptor: the name must do. */
const shown = (root: string, { path, name }: Place): string =>
  path.startsWith(root) ? path.slice(root.length + 1) : name

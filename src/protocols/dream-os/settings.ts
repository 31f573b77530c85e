/** What can be configured about Dream.OS, with the values used when nothing is said. */
import { defaultsOf, duration, type Fields, type InputOf, insideRoot, rootFolder, text } from '../../kernel/field.ts'
import { largestMessageField } from '../../kernel/problem.ts'
import { type TreePath, treePath, treeRoot } from '../../kernel/tree-path.ts'
import type { Places } from './layout.ts'
import { agentId } from './names.ts'

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

const folderOrRoot =
  /^(?:\.\/?|(?:\.\/)?(?!\.signalbox(?:\/|$))(?!\.\.?(?:\/|$))[\w.+@:-]+(?:\/(?!\.\.?(?:\/|$))[\w.+@:-]+)*\/?)$/

/** Its section of `signalbox.yaml`. */
export const section = {
  root: text('The folder of Dream.OS; `.` is the workspace itself.', {
    default: '.',
    longest: 512,
    pattern: folderOrRoot,
    expected: 'a folder below the root, or `.`',
  }),
  mailboxes: rootFolder('Where the shared mailboxes are, below that folder.', '_agent_coordination/shared_mailboxes'),
  taskList: rootFolder('The list of tasks, below that folder.', 'runtime/task_list.json'),
  executor: text('Who is told of every task that is done, besides whoever asked.', {
    default: 'TaskExecutorAgent',
    longest: 64,
    pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    expected: 'the name of an agent, such as TaskExecutorAgent',
  }),
  takeOver: duration('A mailbox whose agent was not seen for so long is taken over.', {
    default: 5 * minute,
    least: second,
  }),
  lease: duration('How long a message of a mailbox is in hand before it is given again.', {
    default: 10 * minute,
    least: second,
    most: day,
  }),
  taskLease: duration('How long a task from an inbox is in hand before it is given again.', {
    default: hour,
    least: second,
    most: day,
  }),
  lockWait: duration('How long to wait for the lock of a mailbox.', { default: 30 * second, least: 0 }),
  lockAge: duration('A lock without a name is broken when it is so old.', { default: 30 * second, least: second }),
  resendFor: duration('How long what was sent to a mailbox is sent again when another program overwrote it.', {
    default: hour,
    least: minute,
    most: day,
  }),
  packAfter: duration('Processed messages so old leave their mailbox.', {
    default: 7 * day,
    least: 0,
    needsUnit: true,
  }),
  rememberFor: duration('How long their ids are remembered after that.', {
    default: 30 * day,
    least: day,
    needsUnit: true,
  }),
  settle: duration('How long a response that is no JSON may still be being written.', {
    default: 2 * second,
    least: 0,
  }),
  escalateAfter: duration('A failed task that nobody has looked at for so long waits for a person.', {
    default: 5 * minute,
    least: 0,
  }),
  largestMessage: largestMessageField,
} as const satisfies Fields

export type DreamSettings = Readonly<ReturnType<typeof settingsFrom>>

export function settingsFrom(set: InputOf<typeof section>) {
  const root = /^\.\/?$/.test(set.root) ? treeRoot : insideRoot(set.root)
  const within = (path: string): TreePath => treePath(root === '' ? insideRoot(path) : `${root}/${insideRoot(path)}`)
  return {
    places: { root, mailboxes: within(set.mailboxes), taskList: within(set.taskList) } satisfies Places,
    executor: agentId(set.executor),
    takeOverMs: set.takeOver,
    leaseMs: set.lease,
    taskLeaseMs: set.taskLease,
    lockWaitMs: set.lockWait,
    lockAgeMs: set.lockAge,
    resendMs: set.resendFor,
    packAfterMs: set.packAfter,
    rememberMs: set.rememberFor,
    settleMs: set.settle,
    escalateAfterMs: set.escalateAfter,
    /** The largest mailbox, list or message that is read, in bytes. */
    largest: set.largestMessage,
  }
}

export const defaultSettings: DreamSettings = settingsFrom(defaultsOf(section))

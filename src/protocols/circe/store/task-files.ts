/**
 * Reads and writes the three files of a task, and adds what its messages say to its state. `.owner` is created exclusively: the
 * agent that creates it owns the task.
 */
import { digestOf } from '../../../formats/digest.ts'
import { call } from '../../../kernel/call.ts'
import { corrupt, SignalboxError } from '../../../kernel/errors.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { isUnread, readOrSayWhy } from '../../../messaging/leaves/readable.ts'
import { isOddEntry, listIfFolder, readIfLeaf } from '../../../messaging/leaves/tolerant.ts'
import type { Tree } from '../../../tree/tree.ts'
import { withCheck } from '../effects.ts'
import { type TaskFile, taskFileFrom, taskFiles, taskPath, tasksPath } from '../layout.ts'
import { type AgentId, isTaskId, type TaskId } from '../names.ts'
import { roleThatSets } from '../settings.ts'
import { printTaskFile, type ReadTask, readTask, settableChecks, type Task, type TaskTexts } from '../task.ts'
import { type Ledger, readLedger, taskByLog } from './ledgers.ts'
import { eventsOf } from './log.ts'
import { keepBeside } from './moving.ts'
import type { CirceParts, Reading } from './parts.ts'

/** Far more than the fields need; a larger file is not read. */
const largestTaskFile = 64 * 1024

export interface TaskOnTree extends ReadTask {
  readonly texts: TaskTexts
  /** When the last of the files was written. */
  readonly writtenAt: number | undefined
}

export async function readTaskFiles({ tree, root }: CirceParts, task: TaskId): Promise<TaskOnTree> {
  const texts: Record<TaskFile, string | undefined> = { status: undefined, owner: undefined, checks: undefined }
  const unread: ReadTask['problems'][number][] = []
  let writtenAt: number | undefined
  for (const file of taskFiles) {
    const read = await readOne(tree, taskPath(root, task, file))
    if (!read) continue
    if (isUnread(read)) {
      unread.push({ ...read.problem, file })
      continue
    }
    texts[file] = Buffer.from(read.bytes).toString('utf8')
    writtenAt = Math.max(writtenAt ?? 0, read.modifiedAt)
  }
  const read = readTask(task, texts)
  return { ...read, problems: [...unread, ...read.problems], texts, writtenAt }
}

/** A folder, link or pipe in the place of a file is a problem of this task alone. */
async function readOne(tree: Tree, path: TreePath): ReturnType<typeof readOrSayWhy> {
  try {
    return await readOrSayWhy(tree, path, { most: largestTaskFile })
  } catch (error) {
    if (!isOddEntry(error)) throw error
    return { outcome: 'closed', problem: { code: error.code, field: '', message: error.message } }
  }
}

/** The tasks that have files. Definitions of tasks in the same folder are left alone. */
export async function tasksOnTree({ tree, root }: CirceParts): Promise<TaskId[]> {
  const tasks = new Set<TaskId>()
  for (const { name, kind } of await listIfFolder(tree, tasksPath(root))) {
    const task = kind === 'leaf' ? taskFileFrom(name)?.task : undefined
    if (task !== undefined && isTaskId(task)) tasks.add(task)
  }
  return [...tasks]
}

/** The tasks that have an `.owner`. */
export async function ownedTasks({ tree, root }: Reading): Promise<ReadonlySet<string>> {
  const entries = await listIfFolder(tree, tasksPath(root))
  return new Set(entries.flatMap(({ name }) => (name.endsWith('.owner') ? [name.slice(0, -'.owner'.length)] : [])))
}

/** Writes the state of the task into `.status` and `.checks`. A repeat is fine. */
export async function writeTaskFiles(parts: CirceParts, task: Task): Promise<void> {
  for (const file of ['status', 'checks'] as const) {
    await writeTaskFile(parts, taskPath(parts.root, task.id, file), (before) => printTaskFile(file, task, before))
  }
}

async function writeTaskFile(parts: CirceParts, path: TreePath, print: (before: string | undefined) => string) {
  const write = () =>
    changeLeaf(parts.tree, path, (leaf) => Buffer.from(print(leaf && Buffer.from(leaf.bytes).toString('utf8'))))
  try {
    await write()
  } catch (error) {
    if (!(error instanceof SignalboxError) || error.kind !== 'Corrupt' || error.code === 'NOT_A_LEAF') throw error
    // Another program made it unreadable since it was read; the change must not wait for a person.
    await keepBeside(parts, path)
    await write()
  }
}

const digestOfFile = (bytes: Uint8Array): string => digestOf(Buffer.from(bytes).toString('latin1'))

/** The digest of the beginning of a file; `undefined` where there is none, or none that can be moved. */
export async function digestAt({ tree, root }: CirceParts, task: TaskId, file: TaskFile): Promise<string | undefined> {
  const path = taskPath(root, task, file)
  const leaf = await readIfLeaf(tree, path, { atMost: largestTaskFile + 1 })
  return leaf && digestOfFile(leaf.bytes)
}

/** A repeat is fine: a file that took its place has another digest. */
export async function keepBadFile(parts: CirceParts, task: TaskId, file: TaskFile, digest: string): Promise<void> {
  const change = (bytes: Uint8Array) => (digestOfFile(bytes) === digest ? bytes : undefined)
  await keepBeside(parts, taskPath(parts.root, task, file), { change, atMost: largestTaskFile + 1 })
}

/** `before`: the text of a former owner's `.owner`, which this claim replaces; without it there must be no `.owner`. */
export async function writeOwner(
  { tree, root }: CirceParts,
  { id, owner, claimedAt }: Pick<Task, 'id' | 'owner' | 'claimedAt'>,
  before: string | undefined,
): Promise<'written' | 'lost'> {
  const path = taskPath(root, id, 'owner')
  const text = printTaskFile('owner', { owner, claimedAt } as Task, before)
  if (before === undefined && (await tree.create(path, text)).outcome === 'created') return 'written'
  const leaf = await tree.read(path)
  const there = leaf && Buffer.from(leaf.bytes).toString('utf8')
  if (there === text) return 'written'
  if (!leaf || there !== before) return 'lost'
  return (await tree.replace(path, Buffer.from(text), leaf.revision)).outcome === 'replaced' ? 'written' : 'lost'
}

/** Undoes what `writeOwner` wrote, and nothing else. */
export async function unwriteOwner(
  parts: CirceParts,
  task: Pick<Task, 'id' | 'owner' | 'claimedAt'>,
  before: string | undefined,
): Promise<void> {
  const { tree, root } = parts
  const path = taskPath(root, task.id, 'owner')
  const text = printTaskFile('owner', task as Task, before)
  const leaf = await tree.read(path)
  if (!leaf || Buffer.from(leaf.bytes).toString('utf8') !== text) return
  if (before === undefined) await tree.remove(path, { onlyIf: (bytes) => Buffer.from(bytes).toString('utf8') === text })
  else await tree.replace(path, Buffer.from(before), leaf.revision)
}

/** Removes `.owner` if it is still this claim of this agent: another program may have claimed the task since. */
export async function removeOwner(
  { tree, root }: CirceParts,
  task: TaskId,
  owner: AgentId,
  claimedAt: number | undefined,
): Promise<void> {
  const isTheirs = (bytes: Uint8Array) => {
    const texts = { status: undefined, owner: Buffer.from(bytes).toString('utf8'), checks: undefined }
    const { task: now } = readTask(task, texts)
    return now.owner === owner && now.claimedAt === claimedAt
  }
  await tree.remove(taskPath(root, task, 'owner'), { onlyIf: isTheirs })
}

export interface TaskState extends TaskOnTree, Ledger {}

export async function readState(parts: CirceParts, id: TaskId): Promise<TaskState> {
  const read = await readTaskFiles(parts, id)
  const ledger = await readLedger(parts, id)
  return { ...read, ...ledger, task: read.problems.length > 0 ? read.task : await withoutUnsigned(parts, read.task) }
}

export const readSoundState = async (parts: CirceParts, id: TaskId): Promise<TaskState> =>
  sound(parts, await readState(parts, id))

/** Throws for a task whose files have mistakes, which a person or `doctor --fix` must correct first. */
export function sound<Read extends TaskOnTree>({ root }: CirceParts, read: Read): Read {
  const [problem] = read.problems
  if (!problem) return read
  const { id } = read.task
  const path = taskPath(root, id, problem.file)
  throw corrupt('BAD_TASK_FILE', `${path}: ${problem.message}`, {
    hint: `Correct it, or let it be made again from the messages: ${call('doctor', { fix: true })}`,
    details: { path, task: id },
  })
}

/** Where only one role may set a check, the log must say that an agent with that role did: the file alone is not enough. */
async function withoutUnsigned(parts: CirceParts, task: Task): Promise<Task> {
  const bound = settableChecks.filter((name) => task.checks[name] && roleThatSets(parts.settings, name) !== undefined)
  const told = bound.length === 0 ? undefined : await taskByLog(parts, task.id, await eventsOf(parts, task.id))
  const unsigned = told ? bound.filter((name) => !told.checks[name]) : []
  return { ...task, checks: unsigned.reduce((set, name) => withCheck(set, name, false), task.checks) }
}

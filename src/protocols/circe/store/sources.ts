/**
 * From where an overview takes what it tells of tasks: read one by one, or for many from a few listings and one pass through
 * the log. Looks only.
 */
import { childOf } from '../../../kernel/tree-path.ts'
import { type CirceEvent, eventsIn } from '../events.ts'
import type { Head } from '../head.ts'
import { ledgersPath, logsPath } from '../layout.ts'
import { isFileName, type TaskId } from '../names.ts'
import { emptyBook, replay } from '../replay.ts'
import { readTask, type TaskTexts } from '../task.ts'
import { type Ledger, readLedger } from './book.ts'
import { logBytes } from './log.ts'
import { type CirceParts, unlessOdd } from './parts.ts'
import { findMessage, type Listed } from './places.ts'
import { readTaskFiles, type TaskOnTree, tasksOnTree } from './task-files.ts'

export interface Sources {
  ledgerOf(task: TaskId): Promise<Ledger>
  filesOf(task: TaskId): Promise<TaskOnTree>
  /** Whether the log has a message of this name. */
  isLogged(name: string): Promise<boolean>
  /** The tree's time. */
  now(): Promise<number>
}

/** For fewer messages than this, asking for each is quicker. */
const many = 50

export const sourcesFor = (parts: CirceParts, found: readonly Listed[]): Promise<Sources> =>
  found.length < many ? Promise.resolve(oneByOne(parts)) : allAtOnce(parts, found)

export const oneByOne = (parts: CirceParts): Sources => ({
  ledgerOf: (task) => readLedger(parts, task),
  filesOf: (task) => readTaskFiles(parts, task),
  now: () => parts.tree.now(),
  isLogged: async (name) => (await unlessOdd(() => parts.tree.look(childOf(logsPath(parts.root), name)))) !== undefined,
})

const noTexts: TaskTexts = { status: undefined, owner: undefined, checks: undefined }

async function allAtOnce(parts: CirceParts, found: readonly Listed[]): Promise<Sources> {
  const { tree, root, settings } = parts
  const namesIn = async (folder: ReturnType<typeof logsPath>) =>
    new Set(((await unlessOdd(() => tree.list(folder))) ?? []).map(({ name }) => name))
  const [ledgers, logged, withFiles] = [
    await namesIn(ledgersPath),
    await namesIn(logsPath(root)),
    new Set<string>(await tasksOnTree(parts)),
  ]
  const now = await tree.now()
  const heads = new Map<string, Head>(found.map(({ name, message }) => [name, message]))
  const events = new Map<string, CirceEvent[]>()
  for (const event of eventsIn(await logBytes(parts))) {
    const { task } = event
    if (task === undefined || ledgers.has(task)) continue
    const known = events.get(task)
    if (known) known.push(event)
    else events.set(task, [event])
  }
  const fromLog = async (task: TaskId): Promise<Ledger> => {
    const told = events.get(task)
    if (!told) return { book: emptyBook, applied: new Set() }
    for (const { file } of told) {
      if (file === undefined || heads.has(file) || !isFileName(file)) continue
      const message = (await findMessage(parts, file))?.message
      if (message) heads.set(file, message)
    }
    const { book, applied } = replay(task, told, heads, settings)
    return { book, applied: new Set(applied) }
  }
  return {
    ledgerOf: (task) => (ledgers.has(task) ? readLedger(parts, task) : fromLog(task)),
    filesOf: async (task) =>
      withFiles.has(task)
        ? readTaskFiles(parts, task)
        : { ...readTask(task, noTexts), texts: noTexts, writtenAt: undefined },
    isLogged: async (name) => logged.has(name),
    now: async () => now,
  }
}

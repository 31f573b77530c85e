/**
 * Appending: each line is a key of its own, so that appenders never wait for each other and nothing is rewritten.
 * The first line makes the leaf a log: the bytes it had until then become the log's start.
 */
import { invalidInput } from '../../kernel/errors.ts'
import { parentOf, type TreePath } from '../../kernel/tree-path.ts'
import { expectOneLine, notALeaf } from '../../tree/for-engines.ts'
import type { Appended, Guard } from '../../tree/tree.ts'
import type { ConditionalWrite } from './commit.ts'
import { largestInEtcd } from './large-bodies.ts'
import { askForLeaf, isSeen, type NotSeen, type Seen } from './leaves.ts'
import { get, isAbsent, isPresent, isUnchanged } from './transaction.ts'
import { printValue } from './value.ts'
import { durability, fenced, type Writer } from './writer.ts'

const lineFeed = 10

export async function appendLine(writer: Writer, path: TreePath, line: string, guard: Guard): Promise<Appended> {
  checkLine(line)
  const { keys } = writer.parts
  // Most lines go to a leaf that is a log already, so try that without reading it.
  let seen: Seen | NotSeen | 'log' = 'log'
  for (;;) {
    const fence = await writer.fence(guard)
    if (fence === 'fenced') return fenced
    if (seen !== 'log' && !isSeen(seen) && seen.folderChangedAt !== undefined) throw notALeaf(path)
    const now = await writer.now()
    const before: Seen | NotSeen | 'log' = seen
    const committed = await writer.commit([parentOf(path)], now, (by) => {
      const change =
        before === 'log' ? toLog(writer, path, line, by, now) : makingLog(writer, path, line, by, now, before)
      return {
        ...change,
        compare: [...fence.compare, ...change.compare],
        otherwise: [get(keys.logStart(path)), ...fence.otherwise],
      }
    })
    if (committed.done) return { outcome: 'appended', durability }
    const [start = [], holder] = committed.found
    if (holder?.length === 0) return fenced
    await writer.makeMissing(committed)
    seen = start.length > 0 ? 'log' : await askForLeaf(writer.parts, path)
  }
}

type LogChange = Omit<ConditionalWrite, 'otherwise'>

function toLog(writer: Writer, path: TreePath, line: string, by: string, now: number): LogChange {
  const { keys, requests } = writer.parts
  return {
    compare: [isPresent(keys.logStart(path))],
    writes: [
      { key: keys.line(path, requests.revision, by), value: Buffer.from(`${line}\n`).toString('base64') },
      writer.leafWrite(path, { modifiedAt: now, changedAt: now, by, isLog: true }, nothing),
    ],
  }
}

function makingLog(
  writer: Writer,
  path: TreePath,
  line: string,
  by: string,
  now: number,
  before: Seen | NotSeen,
): LogChange {
  const { keys, labels } = writer.parts
  const held = isSeen(before) ? before.bytes() : nothing
  const isCut = held.length > 0 && held.at(-1) !== lineFeed
  const elsewhere = isSeen(before) ? before.about.elsewhere : undefined
  const start = printValue(
    { modifiedAt: now, changedAt: now, by, ...(elsewhere ? { elsewhere } : {}) },
    elsewhere ? nothing : held,
  )
  const log = toLog(writer, path, `${isCut ? '\n' : ''}${line}`, by, now)
  return {
    compare: isSeen(before)
      ? [isUnchanged(keys.leaf(path), before.revision), isAbsent(keys.logStart(path))]
      : [isAbsent(keys.leaf(path)), isAbsent(keys.folder(path))],
    // A log has no label: later appends do not read the leaf, so they could not keep the label up to date.
    writes: [
      { key: keys.logStart(path), value: start },
      ...log.writes,
      ...(isSeen(before) ? labels.writes(path, before.about, {}) : []),
    ],
  }
}

const nothing = new Uint8Array()

function checkLine(line: string): void {
  expectOneLine(line)
  const size = Buffer.byteLength(line)
  if (size <= largestInEtcd) return
  throw invalidInput('LINE_TOO_LONG', `A line of ${size} bytes is too long for etcd (${largestInEtcd} at most).`, {
    hint: 'Write it to a leaf of its own, and append its path.',
  })
}

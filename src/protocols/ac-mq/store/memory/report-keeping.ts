/** Keeps a report in its mission, in one file or in numbered parts. Nothing that is not ours is ever overwritten. */
import { conflict } from '../../../../kernel/errors.ts'
import { estimateTokens } from '../../../../kernel/token-estimate.ts'
import { childOf, isSegment, nameOf, parentOf, type TreePath } from '../../../../kernel/tree-path.ts'
import type { Tree } from '../../../../tree/tree.ts'
import { isAsWritten, saysGenerated } from '../../memory/generated.ts'
import { partNumber, partPath, printMain, printPart } from '../../memory/report-log.ts'
import { writeDocument } from '../moving.ts'
import type { MissionFiles } from '../parts.ts'
import type { LogEntry } from './report-messages.ts'

export const keep = (files: MissionFiles, path: TreePath, text: string): Promise<void> =>
  inTurn(files, path, () => put(files, path, text))

/** A second writer waits: otherwise it could overwrite parts that the first one has just written. */
const inTurn = <T>({ tree }: MissionFiles, path: TreePath, work: () => Promise<T>): Promise<T> =>
  tree.exclusively(`ac-mq report ${path}`, work)

async function put({ tree }: MissionFiles, path: TreePath, text: string): Promise<void> {
  if (!(await writeDocument(tree, path, text, isOurs))) throw notOurs(path)
}

interface LongReport {
  readonly path: TreePath
  readonly title: string
  readonly front: string
  readonly entries: AsyncIterable<LogEntry>
}

export const keepInParts = (files: MissionFiles, report: LongReport) =>
  inTurn(files, report.path, () => putInParts(files, report))

/** The first part is written last: a reader who finds it finds all others. */
async function putInParts(files: MissionFiles, { path, title, front, entries }: LongReport) {
  const { tree, settings } = files
  const before = await partsAt(tree, path)
  for (const one of [path, ...before.values()]) await expectOurs(tree, one)
  let parts = 1
  let log: string[] = []
  let first: readonly string[] = log
  let left = settings.busDocumentBytes - Buffer.byteLength(front)
  let tokens = estimateTokens(front)
  const finishPart = async () => {
    if (parts === 1) first = log
    else await put(files, partPath(path, parts), printPart(title, log, path, parts))
  }
  for await (const { text } of entries) {
    const bytes = Buffer.byteLength(text)
    if (bytes > left && log.length > 0) {
      await finishPart()
      parts++
      log = []
      left = settings.busDocumentBytes
    }
    log.push(text)
    left -= bytes
    tokens += estimateTokens(text)
  }
  await finishPart()
  const main = printMain(front, first, path, parts)
  await put(files, path, main)
  for (const [n, old] of before) if (n > parts) await tree.remove(old, { onlyIf: isOurs })
  return { main, tokens, parts }
}

async function partsAt(tree: Tree, path: TreePath): Promise<ReadonlyMap<number, TreePath>> {
  const folder = parentOf(path)
  const found = new Map<number, TreePath>()
  for (const { name, kind } of await tree.list(folder)) {
    const n = kind === 'leaf' && isSegment(name) ? partNumber(name, nameOf(path)) : undefined
    if (n !== undefined) found.set(n, childOf(folder, name))
  }
  return found
}

async function expectOurs(tree: Tree, path: TreePath): Promise<void> {
  const leaf = await tree.read(path)
  if (leaf && !isOurs(leaf.bytes)) throw notOurs(path)
}

function isOurs(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes).toString('utf8')
  return saysGenerated(text) && isAsWritten(text)
}

const notOurs = (path: TreePath) =>
  conflict('NOT_OUR_FILE', `${path} is there already, and is not a report as it was written.`, {
    hint: 'Choose another name, or move that file away.',
    details: { path },
  })

/** The moves of messages between places. All are made here, and the lifecycle says where they lead. */
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { listIfFolder, readIfLeaf, unlessOdd } from '../../../messaging/leaves/tolerant.ts'
import { nameBefore, setAside, spareName } from '../../../messaging/quarantine/quarantine.ts'
import type { Moved, MoveOptions } from '../../../tree/tree.ts'
import { copiesPath, copyPath, inboxPath, keptWorkspacePath, logsPath, rejectedPath, stagedPath } from '../layout.ts'
import { nextPlace, type Transition } from '../lifecycle.ts'
import { type AgentId, type FileName, fileNameOf, isAgentId, type TaskId } from '../names.ts'
import { folderOf } from './agents.ts'
import { type CirceParts, sameBytes } from './parts.ts'
import { folderAt, isGiven, loggedBytes, pathAt, readMessage, type Spot } from './places.ts'

/** Which message makes which transition. `to`: the agent whose folder it goes to. */
export interface MessageMove {
  readonly spot: Spot
  readonly name: FileName
  readonly transition: Exclude<Transition, 'settle' | 'reject' | 'putBack'>
  readonly to?: AgentId
}

/** Under its own name, and only if no file has that name there. */
export async function moveMessage(parts: CirceParts, step: MessageMove, options: MoveOptions = {}): Promise<Moved> {
  return parts.tree.move(...(await pathsOf(parts, step)), options)
}

/**
 * Moves the messages to `NEW_MESSAGES/` that killed senders had staged under a key. A problem with one of them does not stop the
 * rest: its sender gets the error when it sends again, and `doctor` reports it.
 */
export async function publishStaged(parts: CirceParts): Promise<void> {
  if ((await listIfFolder(parts.tree, stagedPath)).length === 0) return
  const { sendingOnce } = await import('./once.ts')
  const { isAboutOneMessage } = await import('../../../messaging/sending-once/sending-once.ts')
  for await (const staged of sendingOnce(parts.tree).unmoved()) {
    try {
      await publish(parts, staged)
    } catch (error) {
      if (!isAboutOneMessage(error)) throw error
    }
  }
}

/**
 * Moves a staged message to the first free name. That is the one that its sender noted, unless another program has used it since.
 * `undefined`: another process has moved it, or it is no message.
 */
export async function publish(parts: CirceParts, staged: TreePath): Promise<FileName | undefined> {
  const read = await readMessage(parts, staged)
  if (!read || 'problem' in read) return undefined
  for (let nth = 1; ; nth++) {
    const name = fileNameOf(read.message, nth)
    if (await isGiven(parts, name, read.message.task)) continue
    const { outcome } = await parts.tree.move(staged, pathAt(parts, { place: 'new' }, name))
    if (outcome !== 'taken') return outcome === 'moved' ? name : undefined
  }
}

/** From where a move leads, and where to. */
export async function pathsOf(
  parts: CirceParts,
  { spot, name, transition, to }: MessageMove,
): Promise<[TreePath, TreePath]> {
  const place = nextPlace(spot.place, transition) as Spot['place']
  const agent = to ?? spot.agent
  const folder = agent === undefined || place === 'new' ? undefined : await folderOf(parts, agent)
  const target: Spot = { place, ...(agent === undefined ? {} : { agent }), ...(folder === undefined ? {} : { folder }) }
  return [pathAt(parts, spot, name), pathAt(parts, target, name)]
}

/**
 * Moves a message into the log, where it stays for good. If the log has it already, the file here is removed. If the log has it
 * with another text, a file of a workspace is kept under its task, and any other file in the log under a spare name.
 */
export async function settleMessage(
  parts: CirceParts,
  spot: Spot,
  name: FileName,
  { task, path = pathAt(parts, spot, name) }: { readonly task?: TaskId | undefined; readonly path?: TreePath } = {},
): Promise<void> {
  const { tree, root } = parts
  nextPlace(spot.place, 'settle')
  const target = childOf(logsPath(root), name)
  for (;;) {
    const logged = await loggedBytes(tree, root, name)
    if (logged) {
      const removed = await tree.remove(path, { onlyIf: (bytes) => sameBytes(bytes, logged) })
      if (removed.outcome !== 'kept') return
      const isDraft = spot.place === 'workspace' && task !== undefined
      await setAside(tree, path, isDraft ? keptWorkspacePath(root, task, spot.agent!) : logsPath(root))
      return
    }
    const moved = await tree.move(path, target)
    if (moved.outcome !== 'taken') return
    const there = await tree.look(target)
    // Another process has logged it, or what had its name is gone: look again.
    if (!there || there.kind === 'leaf') continue
    await setAside(tree, path, logsPath(root))
    return
  }
}

/** Copies a message into the log when it is acknowledged; it stays where it is. A repeat is fine. */
export async function copyToLog(parts: CirceParts, spot: Spot, name: FileName): Promise<void> {
  const { tree, root } = parts
  const leaf = await tree.read(pathAt(parts, spot, name))
  if (!leaf) return
  for (let n = 1; ; n++) {
    const path = childOf(logsPath(root), n === 1 ? name : spareName(name, n))
    if ((await tree.create(path, leaf.bytes)).outcome === 'created') return
    const there = await readIfLeaf(tree, path)
    // The agent may have changed its file in the workspace: the log keeps the message as it was received.
    if (there && (spot.place === 'workspace' || sameBytes(there.bytes, leaf.bytes))) return
  }
}

/** Copies a logged message back to `NEW_MESSAGES/`. Nothing is ever taken out of the log. */
export async function copyFromLog({ tree, root }: CirceParts, name: FileName): Promise<void> {
  const bytes = await loggedBytes(tree, root, name)
  if (bytes) await tree.create(childOf(folderAt({ root }, { place: 'new' }), name), bytes)
}

/** The name of the copy for the log, among those for agents. No agent can have it. */
export const copyForLog = '+log'

/**
 * Moves the prepared copies of a message to the agents, one move each, so that no agent gets a second copy. A copy for an agent
 * that has the message already is removed. A copy whose inbox is not a folder stays, and `doctor` reports it.
 */
export async function deliverCopies(parts: CirceParts, name: FileName): Promise<void> {
  for (const whose of await copiesOf(parts, name)) await unlessOdd(deliverCopy(parts, name, whose))
}

/** The agents whose copies of a message have not been moved yet. */
export async function copiesOf({ tree }: CirceParts, name: FileName): Promise<string[]> {
  const entries = await listIfFolder(tree, copiesPath(name))
  return entries.flatMap(({ name: file, kind }) => {
    const whose = file.replace(/\.md$/, '')
    return kind === 'leaf' && whose !== file && (whose === copyForLog || isAgentId(whose)) ? [whose] : []
  })
}

async function deliverCopy(parts: CirceParts, name: FileName, whose: string): Promise<void> {
  const { tree, root } = parts
  const copy = copyPath(name, whose)
  const folder = whose === copyForLog ? logsPath(root) : inboxPath(root, await folderOf(parts, whose as AgentId))
  for (let n = 1; ; n++) {
    const target = childOf(folder, n === 1 ? name : spareName(name, n))
    if ((await tree.move(copy, target)).outcome !== 'taken') return
    const there = await readIfLeaf(tree, target)
    const removed = await tree.remove(copy, {
      onlyIf: (bytes) => there !== undefined && sameBytes(bytes, there.bytes),
    })
    // Another file has its name there: the copy gets a spare name.
    if (removed.outcome !== 'kept') return
  }
}

/** Moves a rejected file back under a name that no message has, if it is a message now. */
export async function putBackMessage(
  parts: CirceParts,
  name: string,
  isMessage: (bytes: Uint8Array) => boolean,
): Promise<{ readonly outcome: 'moved' | 'gone' | 'kept'; readonly name: FileName }> {
  const { tree, root } = parts
  const place = nextPlace('rejected', 'putBack') as Spot['place']
  for (let n = 1; ; n++) {
    const own = nameBefore(name) as FileName
    const as = (n === 1 ? own : spareName(own, n)) as FileName
    if (await isGiven(parts, as, undefined)) continue
    const change = (bytes: Uint8Array) => (isMessage(bytes) ? bytes : undefined)
    const { outcome } = await tree.move(childOf(rejectedPath(root), name), pathAt(parts, { place }, as), { change })
    if (outcome === 'moved' || outcome === 'kept') return { outcome, name: as }
    if (outcome !== 'taken') return { outcome: 'gone', name: as }
  }
}

/** Renames a file of `TASKS/` that cannot be read, so that it is kept beside the new one. */
export async function keepBeside({ tree }: CirceParts, path: TreePath, options: MoveOptions = {}): Promise<void> {
  for (let n = 1; ; n++) {
    const kept = `${path}.bad${n === 1 ? '' : `-${n}`}` as TreePath
    if ((await tree.move(path, kept, options)).outcome !== 'taken') return
  }
}

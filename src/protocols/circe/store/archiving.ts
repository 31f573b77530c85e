/** Moves the files of a task when it is completed, and when it is given back. Both may be repeated. */
import { childOf, isSegment, type TreePath } from '../../../kernel/tree-path.ts'
import { listIfFolder, lookIfThere, removeIfLeaf } from '../../../messaging/leaves/tolerant.ts'
import { setAside } from '../../../messaging/quarantine/quarantine.ts'
import { takesTask } from '../intents.ts'
import { handedPath, keptWorkspacePath, workspacePath } from '../layout.ts'
import { type AgentId, type FileName, isFileName, isSameAgent, type TaskId } from '../names.ts'
import type { CirceMessage } from '../schema.ts'
import { type KnownAgent, knownAgents } from './agents.ts'
import { readLedger } from './ledgers.ts'
import { copyFromLog, moveMessage, settleMessage } from './moving.ts'
import { type CirceParts, sameBytes } from './parts.ts'
import {
  isFound,
  loggedBytes,
  lookAround,
  type PlacedMessage,
  pathAt,
  readAt,
  readMessage,
  type Spot,
  spotsOf,
} from './places.ts'
import { tasksOnTree } from './task-files.ts'

/** Agents may add files meanwhile, so the folders are gone through again. */
const mostRounds = 5
/** Deeper folders of a workspace are left alone. */
const deepest = 8

/**
 * Moves all messages of a task into the log, and its files in workspaces too.
 * Spec: CIRCE, "Message Locations", and "Message Flow Example", step 6.
 */
export async function archiveTask(parts: CirceParts, task: TaskId): Promise<void> {
  for (let round = 1; round <= mostRounds; round++) {
    let count = 0
    const { agents, found } = await lookAround(parts)
    const { counted } = await readLedger(parts, task)
    for (const one of found) {
      // Messages that came after the task was completed, such as new work, are not counted yet and stay.
      if (one.message.task !== task || !counted.has(one.name)) continue
      // The mark first: if this process is killed, the next one still finds the message, and removes the mark again.
      const { agent } = one
      if (agent !== undefined) await removeIfLeaf(parts.tree, childOf(handedPath(agent), one.name))
      await settleMessage(parts, one, one.name, { task })
      count++
    }
    const known = new Set([...(await tasksOnTree(parts)), ...found.map(({ message }) => message.task ?? '')])
    const longer = [...known].filter((other) => other !== task && hasTask(other, task))
    for (const agent of agents) count += await archiveWorkspace(parts, task, agent, longer)
    if (count === 0) return
  }
}

/** `longer`: other tasks whose name contains this one, as `FEAT-02-b` contains `FEAT-02`. */
async function archiveWorkspace(
  parts: CirceParts,
  task: TaskId,
  { agent, folder }: KnownAgent,
  longer: readonly string[],
): Promise<number> {
  const { tree, root } = parts
  const kept = keptWorkspacePath(root, task, agent)
  let count = 0
  const walk = async (from: TreePath, to: TreePath, depth: number, isOfTask: boolean): Promise<void> => {
    for (const { name, kind } of await listIfFolder(tree, from)) {
      if (!isSegment(name) || name.startsWith('.')) continue
      const path = childOf(from, name)
      if (kind === 'folder' && depth < deepest) {
        const isOwn = !isOfTask && depth === 0 && name === task
        // `WORKSPACE/{task}/` itself is left out of the path in the log.
        await walk(path, isOwn ? to : childOf(to, name), depth + 1, isOfTask || isOwn)
      }
      if (kind !== 'leaf' || !(isOfTask || (await isAbout(parts, path, name, task, longer)))) continue
      const received = isFileName(name) && (await isReceivedHere(parts, path, name, agent))
      if (received) await settleMessage(parts, { place: 'workspace', agent, folder }, name as FileName, { task, path })
      else await setAside(tree, path, to)
      count++
    }
  }
  await walk(workspacePath(root, folder), kept, 0, false)
  return count
}

/** True for a name that contains the task as a whole word: `FEAT-021.md` does not contain `FEAT-02`. */
export function hasTask(name: string, task: string): boolean {
  const isPart = (character: string | undefined) => character !== undefined && /[A-Za-z0-9]/.test(character)
  for (let at = name.indexOf(task); at >= 0; at = name.indexOf(task, at + 1)) {
    if (!isPart(name[at - 1]) && !isPart(name[at + task.length])) return true
  }
  return false
}

async function messageAt(parts: CirceParts, path: TreePath): Promise<CirceMessage | undefined> {
  const read = await readMessage(parts, path)
  return read && 'message' in read ? read.message : undefined
}

/** A message names its task in its header; of any other file the name decides. */
async function isAbout(
  parts: CirceParts,
  path: TreePath,
  name: string,
  task: TaskId,
  longer: readonly string[],
): Promise<boolean> {
  const told = isFileName(name) ? (await messageAt(parts, path))?.task : undefined
  if (told !== undefined) return told === task
  return hasTask(name, task) && !longer.some((other) => hasTask(name, other))
}

/** A message that was sent to this agent. One from the agent itself that is not in the log is a draft. */
async function isReceivedHere(parts: CirceParts, path: TreePath, name: FileName, agent: AgentId): Promise<boolean> {
  const message = await messageAt(parts, path)
  if (message === undefined || !isSameAgent(message.from, agent)) return message !== undefined
  return (await loggedBytes(parts.tree, parts.root, name)) !== undefined
}

/** Moves the work of a task back to `NEW_MESSAGES/`. If its owner has handled or changed the message, the logged one is copied. */
export async function bringBack(parts: CirceParts, task: TaskId, owner: AgentId): Promise<void> {
  const { found } = await lookAround(parts)
  const work = found.filter(({ message }) => message.task === task && takesTask(message.intent))
  for (const one of work) {
    if (one.agent === owner) await returnMessage(parts, one, one.name)
  }
  if (work.length > 0) return
  const last = await lastLoggedWork(parts, task)
  if (last === undefined) return
  // A disk error may have hidden the owner's file from `lookAround`: a copy from the log would be a second message.
  const theirs = spotsOf(await knownAgents(parts)).filter(({ agent }) => agent === owner)
  for (const spot of theirs)
    if (await lookIfThere(parts.tree, pathAt(parts, spot, last))) return returnMessage(parts, spot, last)
  await copyFromLog(parts, last)
}

/** Moves one message of an agent back to `NEW_MESSAGES/`. A repeat is fine. */
export async function returnMessage(parts: CirceParts, spot: Spot, name: FileName): Promise<void> {
  const { tree, root } = parts
  const found = await readAt(parts, spot, name)
  if (!isFound(found)) return
  await removeIfLeaf(tree, childOf(handedPath(spot.agent!), name))
  const logged = await loggedBytes(tree, root, name)
  if (logged && !sameBytes(logged, found.message.bytes)) {
    await copyFromLog(parts, name)
    await settleMessage(parts, spot, name, { task: found.message.task })
    return
  }
  await moveMessage(parts, { spot, name, transition: 'release' })
}

async function lastLoggedWork(parts: CirceParts, task: TaskId): Promise<FileName | undefined> {
  let last: PlacedMessage | undefined
  for (const name of (await readLedger(parts, task)).counted) {
    const read = isFileName(name) ? await readAt(parts, { place: 'logged' }, name) : undefined
    if (!isFound(read) || !takesTask(read.message.intent)) continue
    if (!last || read.message.time >= last.message.time) last = read
  }
  return last?.name
}

/** Removes the marks of messages that an agent no longer has. The marks are listed first, so that no new one is removed. */
export async function sweepHanded(parts: CirceParts, { agent, folder }: KnownAgent): Promise<void> {
  const { tree } = parts
  for (const { name, kind } of await listIfFolder(tree, handedPath(agent))) {
    if (kind !== 'leaf' || !isSegment(name)) continue
    const places = ['inbox', 'workspace'] as const
    const there = isFileName(name)
      ? await Promise.all(places.map((place) => tree.look(pathAt(parts, { place, agent, folder }, name))))
      : []
    if (there.every((entry) => entry === undefined)) await tree.remove(childOf(handedPath(agent), name))
  }
}

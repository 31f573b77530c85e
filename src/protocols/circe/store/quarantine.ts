/**
 * A file that is no message is moved to `LOGS/rejected/`, with its reason beside it, once its writer has stopped writing. A person
 * corrects it there and puts it back.
 */
import { call } from '../../../kernel/call.ts'
import { notFound } from '../../../kernel/errors.ts'
import { childOf, nameOf, type TreePath } from '../../../kernel/tree-path.ts'
import { listIfFolder, readIfLeaf, removeIfLeaf } from '../../../messaging/leaves/tolerant.ts'
import {
  isMessageNow,
  type Quarantined,
  quarantinedAt,
  setAside,
  stillNoMessage,
} from '../../../messaging/quarantine/quarantine.ts'
import type { Times } from '../../../tree/tree.ts'
import { parseMessage } from '../format.ts'
import { reasonName, rejectedPath } from '../layout.ts'
import { isFileName } from '../names.ts'
import { appendEvent } from './log.ts'
import { putBackMessage } from './moving.ts'
import type { CirceRejected } from './outcomes.ts'
import type { CirceParts } from './parts.ts'
import { findMessage, type PlacedMessage, readMessage, type Unusable } from './places.ts'

/** In bytes. */
const longestReason = 4096

export async function* quarantinedIn(parts: CirceParts): AsyncGenerator<Quarantined> {
  const { tree, root } = parts
  for (const { name, kind } of await listIfFolder(tree, rejectedPath(root))) {
    if (kind !== 'leaf' || !isFileName(name)) continue
    const path = childOf(rejectedPath(root), name)
    const reason = (await problemAt(parts, path)) === undefined ? isMessageNow : await reasonOf(parts, path)
    const next = 'Correct it, then approve it, which puts it back.'
    const found = await quarantinedAt(tree, path, { reason, next })
    if (found) yield found
  }
}

/** The reason that lies beside the file, or else what is wrong with the file now. */
async function reasonOf(parts: CirceParts, path: TreePath): Promise<string> {
  const told = await readIfLeaf(parts.tree, reasonName(path) as TreePath, { atMost: longestReason })
  const reason = told && Buffer.from(told.bytes).toString('utf8').trim()
  return reason || (await problemAt(parts, path)) || 'The reason was not written down.'
}

/** Why a file is no message; `undefined` for a message, and for a file that is gone. */
export async function problemAt(parts: CirceParts, path: TreePath): Promise<string | undefined> {
  const read = await readMessage(parts, path)
  return read && 'problem' in read ? read.problem.message : undefined
}

export async function putBack(parts: CirceParts, { path }: Pick<Quarantined, 'path'>): Promise<PlacedMessage> {
  const { tree, settings } = parts
  const wrong = await problemAt(parts, path)
  if (wrong !== undefined) throw stillNoMessage(path, wrong)
  const isMessage = (bytes: Uint8Array) => parseMessage(bytes, settings.furtherIntents).outcome === 'message'
  const moved = await putBackMessage(parts, nameOf(path), isMessage)
  if (moved.outcome === 'kept') throw stillNoMessage(path, 'Somebody has changed it in this moment.')
  if (moved.outcome === 'gone') throw gone(path)
  await removeIfLeaf(tree, reasonName(path) as TreePath)
  // Its recipient may have claimed it by now.
  const found = await findMessage(parts, moved.name)
  if (!found) throw gone(path)
  return found
}

const gone = (path: TreePath) =>
  notFound('NO_SUCH_MESSAGE', `${path} is not there any more.`, {
    hint: `See what waits: ${call('human list')}`,
    details: { path },
  })

/** The process that moves a file also writes the reason. A file that this user may not read stays where it is. */
export async function rejectAll(parts: CirceParts, unusable: readonly Unusable[]): Promise<CirceRejected[]> {
  const rejected: CirceRejected[] = []
  for (const one of unusable) if (!one.isClosed) rejected.push(...(await reject(parts, one)))
  return rejected
}

async function reject(parts: CirceParts, { path, name, problem, agent }: Unusable): Promise<CirceRejected[]> {
  const { tree, root, settings, clock } = parts
  const most = settings.largestMessage
  const now = await tree.now()
  // By the time of the last write, not of the last move: a file that came by `mv` is whole.
  const isMeant = (bytes: Uint8Array, { modifiedAt }: Times) =>
    now - modifiedAt >= settings.settleMs &&
    (bytes.length > most || parseMessage(bytes, settings.furtherIntents).outcome === 'malformed')
  const moved = await setAside(tree, path, rejectedPath(root), { isMeant, atMost: most + 1 })
  if (moved.outcome !== 'moved') return []
  await tellReason(parts, moved.name, problem.message)
  await appendEvent(parts, {
    at: clock.now(),
    event: 'rejected',
    agent: agent ?? '',
    file: name,
    detail: `${problem.code}: ${problem.message}`,
  })
  return [{ file: name, path: moved.path, code: problem.code, reason: problem.message }]
}

/** A repeat is fine: the first reason stays. */
export async function tellReason({ tree, root }: CirceParts, name: string, reason: string): Promise<void> {
  await tree.create(childOf(rejectedPath(root), reasonName(name)), `${reason}\n`)
}

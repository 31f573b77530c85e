/**
 * The lock file of a mailbox, by which other programs and we take turns: `mailbox_N.json.lock`, created exclusively. Taken only
 * within the turn of the mailbox (`Tree.exclusively`), so that a lock with our own name in it was left by a dead process.
 * See docs/decisions/0035-mailboxes-with-two-locks.md.
 */
import { printableLine } from '../../../kernel/printable.ts'
import { readIfLeaf } from '../../../messaging/leaves/tolerant.ts'
import type { Leaf } from '../../../tree/tree.ts'
import { brokenLockPath, lockPath } from '../layout.ts'
import { hashedName } from '../names.ts'
import { isObject } from '../schema.ts'
import { isoOf } from '../times.ts'
import { eventId, type Logs } from './governance.ts'
import { moveLockAway } from './moving.ts'
import type { DreamParts } from './parts.ts'

type Locked =
  /** `broken`: whose lock was left there and had to be broken. */
  | { readonly outcome: 'locked'; readonly content: string; readonly broken?: string }
  /** `holder`, for people: who, and since when. */
  | { readonly outcome: 'busy'; readonly holder: string }

const ours = 'signalbox'
const longestName = 4096

/** Takes the lock file, or says whose it is; does not wait. Only within `Tree.exclusively` of the mailbox. */
export async function takeLock(parts: DreamParts, logs: Logs, mailbox: number, by: string): Promise<Locked> {
  const { tree, clock, places } = parts
  const path = lockPath(places, mailbox)
  const content = `${ours} ${process.pid} ${by} ${isoOf(clock.now())}\n`
  let broken: string | undefined
  for (let attempt = 0; attempt < 5; attempt++) {
    if ((await tree.create(path, content)).outcome === 'created')
      return { outcome: 'locked', content, ...(broken === undefined ? {} : { broken }) }
    const leaf = await tree.read(path, { atMost: longestName })
    if (!leaf) continue
    const now = await tree.now()
    const judge = (bytes: Uint8Array, at: number) => judgeLock(bytes, now - at, parts.settings.lockAgeMs)
    const judged = judge(leaf.bytes, leaf.modifiedAt)
    if (judged.outcome === 'held') return { outcome: 'busy', holder: judged.holder }
    await tellBroken(parts, logs, mailbox)
    // Judged again in the move: the lock that is there by then may be a newer one.
    const moved = await moveLockAway(parts, mailbox, (bytes, at) => judge(bytes, at).outcome === 'left')
    if (moved.outcome !== 'moved') continue
    const { holder, reason } = judged
    await logs.governance.append({
      ...logs.line('LOCK_BROKEN', by, { lock: path, holder, reason }),
      event_id: idOf(leaf),
    })
    await tree.remove(brokenLockPath(mailbox))
    broken = holder
  }
  return { outcome: 'busy', holder: 'others, who take it again and again' }
}

/** Logs a lock that a killed process had broken: it was moved aside and stays there until it is logged. */
export async function tellBroken(parts: DreamParts, logs: Logs, mailbox: number): Promise<void> {
  const { tree, places, settings } = parts
  const path = brokenLockPath(mailbox)
  const leaf = await readIfLeaf(tree, path, { atMost: longestName })
  if (!leaf) return
  const judged = judgeLock(leaf.bytes, (await tree.now()) - leaf.modifiedAt, settings.lockAgeMs)
  const reason = judged.outcome === 'left' ? judged.reason : 'Its holder was dead.'
  const line = logs.line('LOCK_BROKEN', ours, { lock: lockPath(places, mailbox), holder: judged.holder, reason })
  await logs.appendOnce({ ...line, event_id: idOf(leaf) })
  await tree.remove(path)
}

/** The same id for the same lock, so that it is logged once. */
const idOf = ({ bytes, modifiedAt }: Pick<Leaf, 'bytes' | 'modifiedAt'>): string =>
  eventId(modifiedAt, hashedName(Buffer.from(bytes).toString('latin1'), `${modifiedAt}`))

/** Removes our own lock only: another program may have broken it and created its own. */
export async function freeLock({ tree, places }: DreamParts, mailbox: number, content: string): Promise<void> {
  const own = Buffer.from(content)
  await tree.remove(lockPath(places, mailbox), { onlyIf: (bytes) => own.equals(bytes), atMost: longestName })
}

type Judged =
  | { readonly outcome: 'held'; readonly holder: string }
  | { readonly outcome: 'left'; readonly holder: string; readonly reason: string }

export function judgeLock(bytes: Uint8Array, ageMs: number, lockAgeMs: number): Judged {
  const text = Buffer.from(bytes).toString('utf8').trim()
  const age = `${Math.max(0, Math.round(ageMs / 1000))} s old`
  if (text === '') {
    const holder = `a program that left no name (${age})`
    return ageMs < lockAgeMs ? { outcome: 'held', holder } : { outcome: 'left', holder, reason: `It is ${age}.` }
  }
  const holder = printableLine(text.slice(0, 120))
  if (text.startsWith(`${ours} `)) return { outcome: 'left', holder, reason: 'Its holder is dead.' }
  const pid = pidIn(text)
  if (pid === undefined || isAlive(pid)) return { outcome: 'held', holder }
  return { outcome: 'left', holder, reason: `Process ${pid} is dead.` }
}

/** `4711`, `pid: 4711` or `{"pid": 4711}`: how programs name themselves in a lock. */
function pidIn(text: string): number | undefined {
  const [, digits] = /^(?:pid\s*[:=]?\s*)?(\d{1,9})$/i.exec(text) ?? []
  if (digits !== undefined) return Number(digits)
  try {
    const value: unknown = JSON.parse(text)
    const pid = isObject(value) ? value.pid : undefined
    return typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined // Not JSON: it names no process.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: a process of another user. Only one that is not there is dead.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

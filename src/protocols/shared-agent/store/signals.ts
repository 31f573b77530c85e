/**
 * `#WAIT` and `#SIGNAL`. Shared Agent Protocol §12. A signal is latched: a leaf, which a later wait finds. A waiter has a leaf
 * too; the signal moves it to where the waiter listens, which releases, wakes and counts the waiter in one step.
 */
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { listen, Waiters, waiterBeat, waiterLease } from '../../../messaging/waiting/waiting.ts'
import type { Tree } from '../../../tree/tree.ts'
import { conditionFolder, type SessionId, type Sitting, signalsFolder } from '../layout.ts'
import { Refusal } from '../refusal.ts'
import { type Of, shapedIn } from '../shape.ts'
import { waitForLock } from './locks.ts'
import type { SessionParts } from './parts.ts'
import { type CommandAnswer, type Handlers, isRunning, nothing, type Speech, sittingOf, told } from './speech.ts'

const second = 1000
/** How long a waiter that sees the latch waits for the signal to release and count it. */
const releaseMs = 250
/** A waiter looks at the latch after this many beats. Between, its beat tells whether its leaf was taken, and the bell wakes it. */
const beatsBetweenLooks = 5
/** In bytes; a line is no longer. */
const longestLatch = 128 * 1024
const lockPrefix = 'lock='

export const signalHandlers: Handlers = {
  async WAIT(speech) {
    const { parts, given } = speech
    const { condition = '', timeout } = given
    const waitMs = timeout === undefined ? parts.settings.waitMs : Number(timeout) * second
    if (condition === lockPrefix) throw new Refusal('E002', 'missing_resource', '<resource> is missing behind lock=.')
    if (condition.startsWith(lockPrefix)) return waitForLock(speech, condition.slice(lockPrefix.length), waitMs)
    return waitForSignal(speech, condition, waitMs)
  },

  async SIGNAL(speech) {
    const { parts, agent, given } = speech
    const sitting = sittingOf(speech)
    const { condition = '', value = 'true' } = given
    const { tree } = parts
    const { latch: path, line, bell } = placesOf(speech, condition)
    const latch = { condition, value, by: agent, at: await tree.now() }
    if (value === 'false') {
      await noteSignal(parts, sitting, latch)
      await tree.remove(path)
      return told('signaled:0')
    }
    // Waiters are woken before the log is written. The latch has all that its line needs, so that a killed process
    // leaves no signal without one.
    const text = JSON.stringify(latch)
    let before: Latch | undefined
    if ((await tree.create(path, text)).outcome !== 'created') {
      await changeLeaf(tree, path, (leaf) => {
        before = parseLatch(leaf?.bytes)
        return Buffer.from(text)
      })
    }
    const waiters = new Waiters(tree, line)
    const called: string[] = []
    for (const { name } of await waiters.living()) if (await waiters.call(name, bell)) called.push(name)
    if (before) await noteSignal(parts, sitting, before)
    await noteSignal(parts, sitting, latch)
    for (const name of called) await tree.remove(childOf(bell, name))
    return told(`signaled:${called.length}`)
  },
}

/** The content of a latch: the signal, and what its line of the log needs. */
const latchShape = { condition: 'text', value: 'text', by: 'text', at: 'time' } as const
type Latch = Of<typeof latchShape>

const parseLatch = (bytes: Uint8Array | undefined): Latch | undefined => shapedIn(bytes, latchShape, longestLatch)

/** Logs a signal, unless the log has its line or only lines that are newer. */
async function noteSignal({ documents }: SessionParts, sitting: Sitting, { condition, value, by, at }: Latch) {
  await documents.note(sitting, by, ({ log }) => {
    const isTold = log.some((one) => one.did === 'SIGNAL' && one.about === condition && one.by === by && one.at === at)
    const isOld = log[0] !== undefined && log[0].at > at
    return isTold || isOld ? undefined : { did: 'SIGNAL', about: condition, text: value, at }
  })
}

/** Logs the signals of killed processes that did not log them. */
export async function noteSignals(parts: SessionParts, id: SessionId): Promise<void> {
  const { tree, documents } = parts
  const session = await documents.read(id)
  if (session?.status !== 'running') return
  const sitting = { id, generation: session.generation }
  const folder = signalsFolder(sitting)
  for (const { name, kind } of await tree.list(folder)) {
    if (kind !== 'folder') continue
    const leaf = await tree.read(childOf(childOf(folder, name), 'latch'), { atMost: longestLatch })
    const latch = parseLatch(leaf?.bytes)
    if (latch) await noteSignal(parts, sitting, latch)
  }
}

function placesOf(speech: Speech, condition: string) {
  const folder = conditionFolder(sittingOf(speech), condition)
  const below = (name: string): TreePath => childOf(folder, name)
  return { latch: below('latch'), line: below('line'), bell: below('bell') }
}

async function waitForSignal(speech: Speech, condition: string, waitMs: number): Promise<CommandAnswer> {
  const { parts, agent, signal } = speech
  const { tree } = parts
  const { latch, line, bell } = placesOf(speech, condition)
  if (await isLatched(tree, latch)) return told('ready')
  if (waitMs === 0) return nothing('timeout')
  const deadline = performance.now() + waitMs
  const listening = await listen(tree, bell, { signal, looksByItself: true })
  const place = await new Waiters(tree, line).join('w', JSON.stringify({ owner: agent }))
  let isThere = true
  try {
    let aliveAt = performance.now()
    // A signal may have come before this waiter was in the line.
    let isDue = true
    for (let beats = 0; ; ) {
      const now = performance.now()
      if (isDue) isThere = await place.isThere()
      else if (now - aliveAt >= waiterBeat) {
        isThere = await place.beat()
        // The signalling process may have been killed before it came to this waiter.
        isDue = ++beats % beatsBetweenLooks === 0
      }
      if (isThere && isDue && (await isLatched(tree, latch))) {
        // The signal is about to take the leaf away and to count it, unless this waiter came just too late.
        const until = performance.now() + releaseMs
        for (let left = releaseMs; left > 0 && (await place.isThere()); left = until - performance.now())
          await listening.next(left)
        return told('ready')
      }
      if (!isThere) {
        // Within its lease it cannot be taken for dead: it was released.
        if (performance.now() - aliveAt < waiterLease) return await afterRelease(speech, latch)
        // The signalling process may have taken this waiter for dead.
        if (await isLatched(tree, latch)) return told('ready')
        await place.hold()
        isThere = true
        aliveAt = performance.now()
      }
      if (now - aliveAt >= waiterBeat) aliveAt = now
      if (performance.now() >= deadline || signal?.aborted) {
        isThere = await place.leave()
        // If the leaf is gone, the signal has released and counted this waiter just now.
        return isThere ? nothing('timeout') : await afterRelease(speech, latch)
      }
      isDue = (await listening.next(Math.min(deadline, aliveAt + waiterBeat) - performance.now())) === 'rung'
    }
  } finally {
    listening.close()
    if (isThere) await place.leave()
  }
}

/** The end of a session also releases waiters, without a signal. After a signal, its latch may have been taken back by now. */
async function afterRelease(speech: Speech, latch: TreePath): Promise<CommandAnswer> {
  const isReady = (await isLatched(speech.parts.tree, latch)) || (await isRunning(speech))
  return isReady ? told('ready') : nothing('timeout')
}

const isLatched = async (tree: Tree, latch: TreePath): Promise<boolean> =>
  (await tree.read(latch, { atMost: 1, fresh: true })) !== undefined

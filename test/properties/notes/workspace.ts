/** A workspace with messages, a directory beside it that nobody may touch, and everything a user can do in between. */
import fs from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { openFileTree } from '../../../src/engines/file-system/index.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { SignalboxError } from '../../../src/kernel/errors.ts'
import { treePath } from '../../../src/kernel/tree-path.ts'
import { acmq } from '../../../src/protocols/ac-mq/index.ts'
import { MetricsJournal } from '../../../src/protocols/message-routing/metrics/journal.ts'
import { emptySnapshot } from '../../../src/protocols/message-routing/metrics/snapshot.ts'
import { KeyRing } from '../../../src/protocols/message-routing/security/keys.ts'
import { RateLimits } from '../../../src/protocols/message-routing/security/rate-limits.ts'
import { Replays } from '../../../src/protocols/message-routing/security/replay.ts'
import type { Finding, Tree } from '../../../src/tree/tree.ts'
import { heartbeat, mrOn } from '../../support/message-routing.ts'
import { type Crafted, craft } from './crafted.ts'

/** So short that nothing is waited for, and long enough that a wait would be noticed. */
const patience = { unknownHolderMs: 1, giveUpMs: 20_000 }
const longestStep = 10_000

const within = ['llm', 'state', '.signalbox/state'].map(treePath)

/** What nobody may touch, byte by byte and time by time. */
function seen(base: string): unknown {
  const beside = fs.readdirSync(base, { encoding: 'utf8' }).sort()
  return beside.filter((name) => name !== 'root').map((name) => seenAt(join(base, name)))
}

function seenAt(path: string): unknown {
  const stats = fs.lstatSync(path)
  const { ino, mode, uid, nlink, size, mtimeMs, ctimeMs } = stats
  const inside = stats.isDirectory() ? fs.readdirSync(path).sort() : []
  const bytes = stats.isFile() ? fs.readFileSync(path, 'latin1') : ''
  return {
    path,
    ino,
    mode,
    uid,
    nlink,
    size,
    mtimeMs,
    ctimeMs,
    bytes,
    inside: inside.map((name) => seenAt(join(path, name))),
  }
}

/** Everything is tried; an error is one for people, and of a kind that tells of files. */
async function tried<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
  const startedAt = performance.now()
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw new Error(`${what}: ${error}`, { cause: error })
    expect(['Corrupt', 'Denied', 'Conflict', 'NotFound'], `${what}: ${error.code} ${error.message}`).toContain(
      error.kind,
    )
    return undefined
  } finally {
    expect(performance.now() - startedAt, `${what} took too long`).toBeLessThan(longestStep)
  }
}

/** What happens in a workspace into which these things were put. Answers what `doctor` told of it at first. */
export async function live(base: string, things: readonly Crafted[]): Promise<readonly Finding[]> {
  const [root, beside] = [join(base, 'root'), join(base, 'outside')]
  fs.mkdirSync(join(beside, 'folder'), { recursive: true })
  fs.writeFileSync(join(beside, 'victim'), 'the bytes of the victim', { mode: 0o640 })
  fs.writeFileSync(join(beside, 'folder', 'deep'), 'deep')
  await prepare(root)
  fs.symlinkSync(beside, join(root, 'way-out'))
  fs.writeFileSync(join(root, '.signalbox/policy.yaml'), 'hold: ["never said"]\n')
  const before = seen(base)
  for (const thing of things) craft(root, thing, beside)
  const told = await everything(root)
  expect(seen(base), 'outside the root').toEqual(before)
  return told
}

async function prepare(root: string): Promise<void> {
  const tree = await openFileTree({ root })
  const { mission } = await (await acmqOn(tree)).create('alpha', { objective: 'Hold' })
  await mission.send({ from: 'claude', to: 'gemini', body: 'The first\n', id: 'first-message' })
  await mrOn(tree).mr.send(heartbeat('coder-2', { from: 'lead' }))
  await tree.close()
}

const acmqOn = (tree: Tree) => acmq.open({ tree, clock: systemClock, settings: { ...acmq.defaults, rememberFrom: 1 } })

async function everything(root: string): Promise<readonly Finding[]> {
  // Looking changes nothing, so it comes first: it has the most to look at.
  const looking = await tried('open to look', () => openFileTree({ root, patience, recover: false }))
  const told = (await tried('doctor', () => looking!.inspect({ within }))) ?? []
  await looking?.close()
  const tree = await tried('open', () => openFileTree({ root, patience }))
  expect(tree, 'no command fails because of what lies there').toBeDefined()
  try {
    await acmqLives(tree!)
    await routingLives(tree!)
    await tried('doctor again', () => tree!.inspect({ within }))
    await tried('doctor --fix', () => tree!.inspect({ repair: true, within }))
    await tried('doctor --fix --assume-gone', () => tree!.inspect({ repair: true, assumeGone: true, within }))
  } finally {
    await tree!.close()
  }
  return told
}

/** What was there before flows, and so does what comes after. */
async function acmqLives(tree: Tree): Promise<void> {
  const mission = await (await acmqOn(tree)).open('alpha')
  await mission.send({ from: 'claude', to: 'gemini', body: 'The second\n', id: 'second-message' })
  const claimed: string[] = []
  for (let i = 0; i < 6; i++) {
    const taken = await tried('claim', () => mission.claim({ agent: 'gemini' }))
    if (taken?.outcome !== 'claimed') break
    claimed.push(taken.message.id)
    await mission.complete(taken.message.id, { agent: 'gemini', attempt: 1 }, { text: 'Done' })
  }
  expect(claimed).toEqual(expect.arrayContaining(['first-message', 'second-message']))
  await tried('list', () => mission.list('pending'))
  await tried('status', () => mission.status())
  await tried('supervise', () => mission.supervise())
  await tried('reconcile', () => mission.reconcile())
  await tried('inspect', () => mission.inspect())
  expect(await mission.archive({ olderThanMs: 0 })).toMatchObject({ outcome: 'archived' })
}

async function routingLives(tree: Tree): Promise<void> {
  const { mr } = mrOn(tree)
  const { message } = await mr.send(heartbeat('coder-2', { from: 'lead' }))
  const received = await mr.receive('coder-2')
  expect(received.messages.map(({ id }) => id)).toContain(message.id)
  await tried('send to the one whose state was made up', () => mr.send(heartbeat('coder-1', { from: 'lead' })))
  await tried('send by it', () => mr.send(heartbeat('lead', { from: 'coder-1' })))
  await tried('receive by it', () => mr.receive('coder-1'))
  await tried('unacked', () => mr.unacked('coder-1'))
  await tried('ack', () => mr.ack('coder-1', 'msg_0000000b'))
  await tried('inspect', () => mr.inspect({ repair: true }))
  const now = Date.now()
  const rates = new RateLimits(tree, { perMinute: 60 })
  expect((await tried('rate', () => rates.takeForSending('lead', now)))?.outcome).toBe('taken')
  await tried('rate', () => rates.takeForReceiving('coder-1', 'lead', now))
  const metrics = new MetricsJournal(tree)
  await tried('metrics', () => metrics.append(emptySnapshot, now))
  await tried('metrics', () => metrics.read())
  const replays = new Replays(tree, { windowMs: 86_400_000 })
  const replayed = { ...JSON.parse(JSON.stringify(message)), msg_id: message.id, timestamp: '2026-01-01T00:00:00Z' }
  await tried('replay', () => replays.admit('coder-1', { ...replayed, from: 'lead' }, now))
  const ring = new KeyRing({ tree, clock: systemClock, isOwnerOnly: true })
  await tried('keys', () => ring.list())
  await tried('trusted keys', () => ring.trustedKeys('lead'))
  await tried('signing key', () => ring.signingKey('lead'))
}

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
import { sessionsOn } from '../../support/session.ts'
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
  const told = await everything(
    root,
    things.some(({ path }) => isOfMemory.test(path)),
  )
  expect(seen(base), 'outside the root').toEqual(before)
  return told
}

/** Only then the memory of the mission is tried, too. */
const isOfMemory = /^\.signalbox\/(?:state\/(?:aliases|merging)|cache\/(?:memory|embeddings))/

const context: Readonly<Record<string, string>> = {
  'a.md': 'The slow orders query scans the orders table.\n',
  'b.md': 'An index on the orders table makes the slow orders query fast.\n',
  'c.md': 'The orders query of the orders table was slow.\n',
}

async function prepare(root: string): Promise<void> {
  const tree = await openFileTree({ root })
  const { mission } = await (await acmqOn(tree)).create('alpha', { objective: 'Hold' })
  await mission.sending.send({ from: 'claude', to: 'gemini', body: 'The first\n', id: 'first-message' })
  for (const [name, text] of Object.entries(context))
    await tree.create(treePath(`llm/missions/alpha/context/${name}`), text)
  await mrOn(tree).mr.sending.send(heartbeat('coder-2', { from: 'lead' }))
  await tree.close()
}

const acmqOn = (tree: Tree) => acmq.open({ tree, clock: systemClock, settings: { ...acmq.defaults, rememberFrom: 1 } })

async function everything(root: string, withMemory: boolean): Promise<readonly Finding[]> {
  // Looking changes nothing, so it comes first: it has the most to look at.
  const looking = await tried('open to look', () => openFileTree({ root, patience, recover: false }))
  const told = (await tried('doctor', () => looking!.inspect({ within }))) ?? []
  await looking?.close()
  const tree = await tried('open', () => openFileTree({ root, patience }))
  expect(tree, 'no command fails because of what lies there').toBeDefined()
  try {
    await acmqLives(tree!)
    if (withMemory) await memoryLives(tree!)
    await routingLives(tree!)
    await sessionsLive(tree!)
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
  await mission.sending.send({ from: 'claude', to: 'gemini', body: 'The second\n', id: 'second-message' })
  const claimed: string[] = []
  for (let i = 0; i < 6; i++) {
    const taken = await tried('claim', () => mission.claims.next({ agent: 'gemini' }))
    if (taken?.outcome !== 'claimed') break
    claimed.push(taken.message.id)
    await mission.settling.complete(taken.message.id, { agent: 'gemini', attempt: 1 }, { text: 'Done' })
  }
  expect(claimed).toEqual(expect.arrayContaining(['first-message', 'second-message']))
  await tried('list', async () => (await mission.overview()).list('pending'))
  await tried('status', async () => (await mission.overview()).status())
  await tried('supervise', async () => (await mission.upkeep()).supervise())
  await tried('reconcile', async () => (await mission.upkeep()).reconcile())
  await tried('inspect', async () => (await mission.inspection()).run())
  expect(await (await mission.upkeep()).archive({ olderThanMs: 0 })).toMatchObject({ outcome: 'archived' })
}

/** One session may be made up; another one works all the same. */
async function sessionsLive(tree: Tree): Promise<void> {
  const sessions = sessionsOn(tree)
  for (const line of [
    '#STATE:save:k:v',
    '#STATE:list',
    '#LOCK:r',
    '#WAIT:c:0',
    '#SIGNAL:c',
    '#DIRECT:A:hello',
    '#HEALTH',
  ]) {
    await tried(`say ${line}`, () => sessions.say(line, { session: 's', agent: 'A' }))
  }
  await tried('inbox', () => sessions.inbox('A', { session: 's' }))
  await tried('log', () => sessions.log('s'))
  await tried('locks', () => sessions.locks('s'))
  await tried('list', () => sessions.list())
  await tried('end', () => sessions.end('s'))
  await tried('the current one', () => sessions.say('#VERSION'))
  await tried('inspect', () => sessions.inspect({ repair: true }))
  const own = await sessions.say('#STATE:save:k:v', { session: 'untouched' })
  expect(own.answer).toBe('saved:k')
}

/** Whatever a journal says, no context file is lost, and none leaves its folder. */
async function memoryLives(tree: Tree): Promise<void> {
  const mission = await (await acmqOn(tree)).open('alpha')
  await tried('hydrate', async () => (await mission.documents()).hydrate())
  await tried('links', () => mission.settling.checkLinks(['context/a.md', 'context/gone.md']))
  await tried('dependencies', () => mission.sending.checkDependencies(['path:context/a.md']))
  await tried('organize', async () => (await mission.memory()).organize({ dryRun: true }))
  await tried('finish', async () => (await mission.inspection()).run({ repair: true }))
  await tried('organize', async () => (await mission.memory()).organize())
  await tried('undo', async () => (await mission.memory()).undoOrganize())
  await tried('merge', async () => (await mission.memory()).merge())
  await tried('merging', async () => (await mission.memory()).merging())
  await tried('keep', async () => (await mission.memory()).keep({ bus: true, snapshots: true, organizeFrom: 1 }))
  await tried('report', async () => (await mission.memory()).report({ mode: 'holistic' }))
  const texts: string[] = []
  const read = async (folder: string): Promise<void> => {
    for (const { name, kind } of await tree.list(treePath(folder))) {
      if (kind === 'folder') await read(`${folder}/${name}`)
      else if (kind === 'leaf')
        texts.push(Buffer.from((await tree.read(treePath(`${folder}/${name}`)))!.bytes).toString())
    }
  }
  await read('llm/missions/alpha/context')
  for (const text of Object.values(context)) expect(texts.filter((one) => one === text)).toEqual([text])
}

async function routingLives(tree: Tree): Promise<void> {
  const { mr } = mrOn(tree)
  const { message } = await mr.sending.send(heartbeat('coder-2', { from: 'lead' }))
  const received = await mr.claiming.receive('coder-2')
  expect(received.messages.map(({ id }) => id)).toContain(message.id)
  await tried('send to the one whose state was made up', () => mr.sending.send(heartbeat('coder-1', { from: 'lead' })))
  await tried('send by it', () => mr.sending.send(heartbeat('lead', { from: 'coder-1' })))
  await tried('receive by it', () => mr.claiming.receive('coder-1'))
  await tried('unacked', () => mr.settling.unacked('coder-1'))
  await tried('ack', () => mr.settling.ack('coder-1', 'msg_0000000b'))
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
  const ring = new KeyRing({ tree, clock: systemClock })
  await tried('keys', () => ring.list())
  await tried('trusted keys', () => ring.trustedKeys('lead'))
  await tried('signing key', () => ring.signingKey('lead'))
}

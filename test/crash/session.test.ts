/** Whoever speaks in a session is killed before every single change on the disk; afterwards it was said, or it was not. */
import fs from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import type { Sessions } from '../../src/protocols/shared-agent/store/sessions.ts'
import { runtime, spawnChild } from '../support/child.ts'
import { sessionsOn } from '../support/session.ts'
import { withTempDir } from '../support/temp.ts'
import { session, type Verb, verbs } from './session-verbs.ts'

// Node starts ten times as slowly as Bun; both take the same steps. `npm run soak` tries every one.
const stride = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1) > 1 ? 1 : runtime === 'bun' ? 7 : 11

async function withSessions<T>(root: string, work: (sessions: Sessions) => Promise<T>): Promise<T> {
  const tree = await openFileTree({ root })
  try {
    return await work(sessionsOn(tree))
  } finally {
    await tree.close()
  }
}

const prepare = (root: string, { before }: Verb) =>
  withSessions(root, async (sessions) => {
    for (const [agent, line] of before) await sessions.say(line, { session, agent })
  })

async function run(root: string, verb: string, killAt: number): Promise<number | undefined> {
  const child = spawnChild('session', [root, verb, `${killAt}`])
  const { code, signal } = await child.exited
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(child.stderr())
  return child.stdout[0] === undefined ? undefined : Number(child.stdout[0])
}

async function killedAt(root: string, name: string, verb: Verb, killAt: number): Promise<void> {
  await prepare(root, verb)
  const isAcknowledged = (await run(root, name, killAt)) !== undefined
  const place = `${name}, killed before change ${killAt}`
  await withSessions(root, async (sessions) => {
    // Read with nothing of the library: a document is whole.
    const path = join(root, '.signalbox/state/sessions/s/session.json')
    if (fs.existsSync(path)) expect(JSON.parse(fs.readFileSync(path, 'utf8')).id, place).toBe(session)
    expect(await sessions.inspect({ repair: true }), place).toEqual([])
    const answers: string[] = []
    for (const [agent, line] of verb.asks) {
      if (line === 'inbox') answers.push((await sessions.inbox(agent, { session })).map(({ text }) => text).join())
      else answers.push((await sessions.say(line, { session, agent })).answer)
    }
    const [notDone, done] = [2, 3].map((n) => verb.asks.map((ask) => ask[n]))
    expect(isAcknowledged ? [done] : [notDone, done], place).toContainEqual(answers)
    // The log has every change, in its order, and the living go on.
    const log = await sessions.log(session)
    const tells = (did: string) => log.filter((line) => line.by === 'A' && line.did === did).length
    const isDone = JSON.stringify(answers) === JSON.stringify(done)
    if (verb.logs && isDone) expect(tells(verb.logs), place).toBe(1)
    expect(
      log.map(({ n }) => n),
      place,
    ).toEqual(log.map((_, n) => n + 1))
    expect((await sessions.say('#STATE:save:after:1', { session, agent: 'B' })).answer, place).toBe('saved:after')
  })
}

describe(`sessions killed before every change, on ${runtime}`, () => {
  for (const [nth, [name, verb]] of Object.entries(verbs).entries()) {
    it(`[X-crash][SA-17] ${name}: it was said, or it was not`, async () => {
      const changes = await withTempDir(async (root) => {
        await prepare(root, verb)
        return run(root, name, 0)
      })
      expect(changes).toBeGreaterThan(0)
      // Each begins at another step, so that together they meet most of those that all of them have.
      const steps = Array.from({ length: changes! + 1 }, (_, i) => i + 1).filter((step) => (step + nth) % stride === 0)
      const lane = async () => {
        for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
          const killAt = step
          await withTempDir((root) => killedAt(root, name, verb, killAt))
        }
      }
      await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, lane))
    }, 120_000)
  }
})

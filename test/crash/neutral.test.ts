/**
 * The verbs for every agent, killed before every change on the disk: sending, taking, ending and giving back in each home, notes of
 * presence, files of agents, and freeing what the dead hold. The next process finds nothing lost and nothing twice; repeating it ends it.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Box } from '../../src/bridge/box.ts'
import type { Bus } from '../../src/bridge/bus.ts'
import { freedLog } from '../../src/bridge/free-the-dead.ts'
import { Homes } from '../../src/bridge/homes.ts'
import { GlobLocks } from '../../src/bridge/locks.ts'
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { printHome } from '../../src/messaging/agents/directory.ts'
import { paint, pictureOf } from '../held/picture.ts'
import { busOn, homeNames } from '../support/bus.ts'
import { runtime } from '../support/child.ts'
import { Killed, mortalDisk } from '../support/mortal-disk.ts'
import { quickTempDir } from '../support/temp.ts'
import { ofNoHome, type Seen, type Verb, verbs } from './neutral-verbs.ts'

/** Every change in the long run. */
const stride = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1) > 1 ? 1 : 4

async function onFiles<T>(root: string, home: string, work: (bus: Bus) => Promise<T>): Promise<T> {
  const tree = await openFileTree({ root })
  try {
    return await work(busOn(tree, [home]))
  } finally {
    await tree.close()
  }
}

const order = ['written', 'claimed', 'failed', 'finished']

async function seenIn(bus: Bus): Promise<Seen> {
  const box = new Box(bus)
  const stages = new Map<string, string>()
  let result: string | undefined
  for await (const member of bus.used()) {
    for await (const message of member.neutral.messages({ to: 'coder', archived: true })) {
      const { handle, stage } = message.envelope
      const before = stages.get(handle)
      if (before === undefined || order.indexOf(stage) > order.indexOf(before)) stages.set(handle, stage)
      result ??= (await box.outcomeOf({ ...message, member }))?.text
    }
  }
  const log = Buffer.from((await bus.tree.read(freedLog))?.bytes ?? []).toString('utf8')
  const presence = (await bus.directory.seen('coder'))?.presence
  return {
    stages: [...stages.values()],
    waiting: (await box.inbox('coder')).length,
    result,
    locks: (await new GlobLocks(bus.tree).list()).map(({ glob }) => glob),
    presence: presence?.state,
    doing: presence?.doing,
    home: printHome((await new Homes(bus).of('coder')).home),
    isListed: (await bus.directory.listing('coder')) !== undefined,
    told: log.split('\n').filter((line) => line !== ''),
  }
}

/** A process that dies before change number `killAt`. True if it ended before. */
async function live(base: string, root: string, home: string, verb: Verb, killAt: number): Promise<boolean> {
  const mortal = mortalDisk(base, realDisk())
  const tree = await openFileTree({ root, disk: mortal.disk })
  mortal.fate.left = killAt
  try {
    await verb.act(busOn(tree, [home]))
    return !mortal.fate.isDead
  } catch (error) {
    if (!(error instanceof Killed) && !mortal.fate.isDead) throw error
    return false
  } finally {
    mortal.bury()
  }
}

describe(`the verbs for every agent, killed before every change, on ${runtime}`, () => {
  for (const [nth, [name, verb]] of Object.entries(verbs).entries()) {
    for (const home of ofNoHome.includes(name) ? ['mr'] : homeNames) {
      it(`[X-crash] ${name}, at home in ${home}: the next process finds nothing lost and nothing twice`, async () => {
        const base = quickTempDir()
        const first = join(base, 'before')
        await onFiles(first, home, (bus) => verb.prepare(bus, home))
        const before = pictureOf(first)
        let kills = 0
        // Each begins at another step, so that together they meet most of those that all of them have.
        for (let killAt = 1 + (nth % stride), isTold = false; !isTold; killAt += stride) {
          const root = join(base, `${killAt}`)
          paint(root, before)
          isTold = await live(base, root, home, verb, killAt)
          if (!isTold) kills++
          const place = `${name} in ${home}, killed before change ${killAt}`
          await onFiles(root, home, async (bus) => {
            const left = await seenIn(bus)
            expect(verb.may?.(left, isTold) ?? true, `${place}: ${JSON.stringify(left)}`).toBe(true)
            await verb.act(bus)
            const end = await seenIn(bus)
            expect(verb.ends(end, home), `${place}, then once more: ${JSON.stringify(end)}`).toBe(true)
          })
          rmSync(root, { recursive: true })
        }
        expect(kills).toBeGreaterThan(0)
      }, 120_000)
    }
  }
})

/**
 * The disk fails at a step of what is said in a session: a clear error, and afterwards it was said or it was not. `npm test`
 * tries some of the steps, `npm run soak` every one.
 */
import { cpSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { SignalboxError } from '../../src/kernel/errors.ts'
import type { Sessions } from '../../src/protocols/shared-agent/store/sessions.ts'
import { expectedCodes, failingDisk } from '../support/failing-disk.ts'
import { sessionsOn } from '../support/session.ts'
import { tempDir, withTempDir } from '../support/temp.ts'
import { session, type Verb, verbs } from './session-verbs.ts'

const stride = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1) > 1 ? 1 : 17

async function asked(sessions: Sessions, { asks }: Verb): Promise<string[]> {
  const answers: string[] = []
  for (const [agent, line] of asks) {
    if (line === 'inbox') answers.push((await sessions.inbox(agent, { session })).map(({ text }) => text).join())
    else answers.push((await sessions.say(line, { session, agent })).answer)
  }
  return answers
}

/** False when the verb was done before it came to this step. */
const failsAt = (prepared: string, verb: Verb, code: string, lasting: boolean, failAt: number) =>
  withTempDir(async (root) => {
    cpSync(prepared, root, { recursive: true })
    const faulty = failingDisk(realDisk(), code, lasting, !lasting)
    const tree = await openFileTree({ root, disk: faulty.disk })
    faulty.arm(failAt)
    const error: unknown = await verb.act(sessionsOn(tree)).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    const hasFailed = faulty.failed.length > 0
    faulty.heal()
    await tree.close()
    const place = `${code} at step ${failAt} (${faulty.failed[0]}), told ${error}`
    if (error !== undefined) {
      expect(error, place).toBeInstanceOf(SignalboxError)
      const { code: told, hint } = error as SignalboxError
      // Where a missing permission hides what is there, the engine may rightly speak of that.
      expect([expectedCodes[code], 'NOT_A_LEAF', 'NO_SUCH_ROOT'], place).toContain(told)
      expect(hint, place).toBeTypeOf('string')
    }
    const again = await openFileTree({ root })
    const sessions = sessionsOn(again)
    const [notDone, done] = [2, 3].map((n) => verb.asks.map((ask) => ask[n]))
    expect(error === undefined ? [done] : [notDone, done], place).toContainEqual(await asked(sessions, verb))
    expect(await sessions.inspect(), place).toEqual([])
    const log = await sessions.log(session)
    expect(
      log.map(({ n }) => n),
      place,
    ).toEqual(log.map((_, n) => n + 1))
    await again.close()
    return hasFailed
  })

describe('a session on a disk that fails', () => {
  for (const [name, verb] of Object.entries(verbs)) {
    it(`[X-disk] ${name}: it was said, or it was not`, async () => {
      const prepared = tempDir()
      const well = await openFileTree({ root: prepared })
      for (const [agent, line] of verb.before) await sessionsOn(well).say(line, { session, agent })
      await well.close()
      let tried = 0
      for (const [nth, code] of Object.keys(expectedCodes).entries()) {
        for (const lasting of [false, true]) {
          // Each kind of failure begins at another step, so that together they meet most of them.
          let failAt = 1 + ((2 * nth + Number(lasting)) % stride)
          for (; await failsAt(prepared, verb, code, lasting, failAt); failAt += stride) tried++
        }
      }
      expect(tried).toBeGreaterThan(0)
    }, 120_000)
  }
})

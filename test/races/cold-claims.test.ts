/** Processes that live for one claim share a cache, while somebody deletes it and some of them are killed. */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { openBox } from '../support/acmq.ts'
import { runtime, spawnChild } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)
const total = 300 * scale

/** Others write into the folder all the while, so that it may be found not empty at the last moment, again and again. */
function deleteWhileInUse(folder: string): void {
  for (;;) {
    try {
      rmSync(folder, { recursive: true, force: true })
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error
    }
  }
}

verifies(
  ['X-index', 'AC-4.2b'],
  `cold claimers on ${runtime} take ${total} messages, each once and in order, with the cache deleted under them`,
  async () => {
    const root = tempDir()
    const box = await openBox(root)
    for (let i = 0; i < total; i++) {
      const at = new Date(1_751_625_000_000 + i * 1000).toISOString()
      const to = i % 3 === 0 ? 'all' : 'gemini'
      await box.mission.sending.send({ from: 'claude', to, body: `${i}\n`, priority: 1 + ((i * 7) % 5), timestamp: at })
    }
    const queue = (name: string) => readdirSync(join(root, 'llm/missions/alpha/queue', name))
    const all: string[] = []
    let deletions = 0
    const late: string[] = []
    const lane = async (isKilled: boolean): Promise<void> => {
      const child = spawnChild('cold-claimer', [root, 'gemini'])
      const mine: string[] = []
      for await (const line of child.lines()) {
        mine.push(line)
        all.push(line)
        if (mine.length % 7 === 3) {
          deletions++
          deleteWhileInUse(join(root, '.signalbox/cache'))
        }
        if (isKilled && mine.length === 9) child.kill()
      }
      // Whatever the others do meanwhile, what one process gets only ever gets less urgent.
      late.push(...mine.filter((line, at) => mine.slice(0, at).some((before) => before > line)))
      if (!isKilled) expect([child.stderr(), (await child.exited).code]).toEqual(['', 0])
    }
    await Promise.all([lane(true), lane(true), lane(false), lane(false), lane(false)])
    // Each of the two that are killed may have had one in hand, which waits again when somebody puts it back.
    expect(late.length).toBeLessThanOrEqual(2)
    expect(deletions).toBeGreaterThan(10)
    expect(new Set(all).size).toBe(all.length)
    // One killed between the claim and its answer holds it all the same.
    expect([queue('pending').length, queue('processing').length]).toEqual([0, total])
    expect(all.length).toBeGreaterThanOrEqual(total - 2)
    await box.close()
  },
)

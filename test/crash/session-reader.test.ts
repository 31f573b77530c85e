/**
 * Whoever reads what was sent in a session is killed before every single change on the disk. What it has not written out the
 * next reader gets; what comes twice is marked. `session inbox` and `session serve-stdio`, as commands.
 */
import { availableParallelism } from 'node:os'
import { expect } from 'vitest'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { spawnChild } from '../support/child.ts'
import { sessionsOn } from '../support/session.ts'
import { withTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

const session = 's'
const sent = ['one', 'two', 'three']

const prepare = async (root: string) => {
  const tree = await openFileTree({ root })
  const sessions = sessionsOn(tree)
  for (const text of sent) await sessions.say(`#DIRECT:A:${text}`, { session, agent: 'B' })
  await tree.close()
}

async function read(root: string, verb: string, killAt: number) {
  const words = ['session', verb, '--session', session, '--as', 'A', '--root', root]
  const child = spawnChild('session-reader', [root, `${killAt}`, ...words])
  const { code, signal } = await child.exited
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(child.stderr())
  // `B direct one`, `* B: one`: whole lines, since each is written by one call.
  const texts = child.stdout
    .map((line) => sent.find((text) => line.endsWith(text)))
    .filter((text) => text !== undefined)
  return { texts, changes: Number(child.stderr()) }
}

async function killedAt(root: string, verb: string, killAt: number): Promise<boolean> {
  await prepare(root)
  const { texts } = await read(root, verb, killAt)
  const place = `${verb}, killed before change ${killAt}`
  const tree = await openFileTree({ root })
  try {
    // It does not wait long for the one that was killed.
    const sessions = sessionsOn(tree, { settings: { handingMs: 1 } })
    const next = await sessions.inbox('A', { session })
    const all = [...texts, ...next.map(({ text, redelivered }) => (redelivered ? `${text} again` : text))]
    for (const text of sent) {
      expect(all.filter((one) => one === text || one === `${text} again`).length, `${place}: ${all}`).toBeGreaterThan(0)
      expect(all.filter((one) => one === text).length, `${place}: ${all}`).toBeLessThan(2)
    }
    expect(await sessions.inbox('A', { session }), place).toEqual([])
    expect(await sessions.inspect({ repair: true }), place).toEqual([])
    return next.some(({ redelivered }) => redelivered)
  } finally {
    await tree.close()
  }
}

for (const verb of ['inbox', 'serve-stdio'])
  verifies(
    ['SA-12d', 'X-crash'],
    `${verb}, killed before every change: what was not written out comes again, marked`,
    async () => {
      const { texts, changes } = await withTempDir(async (root) => {
        await prepare(root)
        return read(root, verb, 0)
      })
      expect(texts).toEqual(sent)
      const steps = Array.from({ length: changes }, (_, i) => i + 1)
      let marked = 0
      const lane = async () => {
        for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
          const killAt = step
          if (await withTempDir((root) => killedAt(root, verb, killAt))) marked++
        }
      }
      await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, lane))
      expect(marked).toBeGreaterThan(0)
    },
    120_000,
  )

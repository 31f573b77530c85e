/** An agent or a supervisor is killed before every single change on the disk; afterwards the message is there once. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { queueNames } from '../../src/protocols/ac-mq/schema.ts'
import { openBox } from '../support/acmq.ts'
import { runtime, spawnChild } from '../support/child.ts'
import { withTempDir } from '../support/temp.ts'
import { claim, id, send, type Verb, verbs } from './acmq-verbs.ts'

async function prepare(root: string, { from }: Verb): Promise<void> {
  const { mission, close } = await openBox(root)
  if (from !== undefined) await send(mission)
  if (from === 'processing' || from === 'failed') await claim(mission)
  if (from === 'failed') await mission.settling.fail(id, { agent: 'gemini' }, { reason: 'Before' })
  await close()
}

/** Read with nothing of the library: every file in the queues that has the message's id. */
function copiesIn(root: string) {
  return queueNames.flatMap((queue) => {
    const folder = join(root, 'llm/missions/alpha/queue', queue)
    const texts = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
    return texts.flatMap(({ name, text }) => (text.includes(`\nid: ${id}\n`) ? [{ queue, name, text }] : []))
  })
}

async function run(root: string, verb: string, killAt: number): Promise<number | undefined> {
  const child = spawnChild('acmq', [root, verb, `${killAt}`])
  const { code, signal } = await child.exited
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(child.stderr())
  return child.stdout[0] === undefined ? undefined : Number(child.stdout[0])
}

describe(`AC-MQ killed before every change, on ${runtime}`, () => {
  for (const [name, verb] of Object.entries(verbs)) {
    const ids = name === 'send' ? '[AC-4.1] [X-crash]' : '[X-crash]'
    it(`${ids} ${name} leaves the message whole, once, and where its status says`, async () => {
      const changes = await withTempDir(async (root) => {
        await prepare(root, verb)
        return run(root, name, 0)
      })
      expect(changes).toBeGreaterThan(0)
      for (let killAt = 1; killAt <= changes! + 1; killAt++) {
        await withTempDir(async (root) => {
          await prepare(root, verb)
          const acknowledged = (await run(root, name, killAt)) !== undefined
          const box = await openBox(root)
          await (await box.mission.upkeep()).reconcile('gemini')
          const place = `${name}, killed before change ${killAt}`
          const copies = copiesIn(root)
          const allowed = acknowledged ? [verb.to] : [verb.from, verb.to]
          if (copies.length === 0) expect(allowed, `${place}: lost`).toContain(undefined)
          else {
            expect(copies.length, place).toBe(1)
            const { queue, text } = copies[0]!
            expect(allowed, place).toContain(queue)
            expect(/^status: (\w+) *$/m.exec(text)?.[1], place).toBe(queue)
            expect(text, place).toContain('The body\n')
            if (queue === verb.to && verb.says) expect(text, place).toContain(verb.says)
          }
          const files = queueNames.flatMap((queue) => readdirSync(join(root, 'llm/missions/alpha/queue', queue)))
          expect(
            files.filter((file) => file.startsWith('.')),
            place,
          ).toEqual([])
          // Done once more by the living, it ends where it should; a stall is asked about exactly once.
          if (name !== 'supervise')
            await verb.act(box.mission).catch((error: { code: string }) => expect(error.code).toBe('WRONG_STATE'))
          expect(files.filter((file) => file.includes('investigate')).length, place).toBeLessThanOrEqual(1)
          await box.close()
        })
      }
    })
  }
})

/** What `EventLog` promises, on one engine: lines of many never mix, none is lost, and a torn one harms no other. */
import { describe, expect, it } from 'vitest'
import { jsonLines } from '../../src/formats/json-lines.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { EventLog } from '../../src/messaging/events/events.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { heldBeforeEach, killedBeforeEach, openers, textOf } from '../support/mortal-tree.ts'
import { verifies } from '../support/verifies.ts'
import type { EnginePlace } from './every-engine.ts'

const path = treePath('log.jsonl')
const logOn = (tree: Tree) => new EventLog(tree, path, jsonLines)
const linesIn = async (tree: Tree): Promise<string[]> =>
  textOf((await tree.read(path, { fresh: true }))?.bytes ?? Buffer.from(''))
    .split('\n')
    .filter(Boolean)

export function describeEvents(title: string, prepare: () => Promise<EnginePlace>): void {
  describe(`a log of events on ${title}`, () => {
    const place = openers(prepare)

    verifies('X-held', 'the lines of many processes are all there, whole, each in its own order', async () => {
      const open = await place()
      const writers = await Promise.all(Array.from({ length: 4 }, open))
      await Promise.all(
        writers.map(async (tree, by) => {
          for (let n = 0; n < 10; n++) await logOn(tree).append({ by, n, text: 'two\nlines' })
        }),
      )
      const tree = await open()
      const lines = (await linesIn(tree)).map((line) => JSON.parse(line))
      for (const by of writers.keys())
        expect(lines.filter((one) => one.by === by).map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
      expect(lines.length).toBe(40)
    })

    verifies('X-crash', 'killed before any change, the line is whole or not there, and the next one is whole', () =>
      killedBeforeEach(place, {
        before: (tree) => logOn(tree).append({ n: 1 }),
        work: (tree) => logOn(tree).append({ n: 2 }),
        async after(tree, when, isWhole) {
          await logOn(tree).append({ n: 3 })
          expect(await linesIn(tree), when).toEqual(['{"n":1}', ...(isWhole ? ['{"n":2}'] : []), '{"n":3}'])
        },
      }),
    )

    verifies('X-crash', 'what is finished after a crash has its line once', () =>
      killedBeforeEach(place, {
        work: (tree) => logOn(tree).appendOnce({ n: 1 }),
        async after(tree, when) {
          await logOn(tree).appendOnce({ n: 1 })
          await logOn(tree).appendOnce({ n: 1 })
          expect(await linesIn(tree), when).toEqual(['{"n":1}'])
          // Not what only begins or ends alike.
          await logOn(tree).appendOnce({ n: 1, more: true })
          expect((await linesIn(tree)).length, when).toBe(2)
        },
      }),
    )

    verifies('X-held', 'held before any change while another appends, both lines are there', () =>
      heldBeforeEach(place, {
        work: (tree) => logOn(tree).append({ by: 'held' }),
        meanwhile: (tree) => logOn(tree).append({ by: 'other' }),
        async after(tree, when) {
          expect((await linesIn(tree)).sort(), when).toEqual(['{"by":"held"}', '{"by":"other"}'])
        },
      }),
    )

    it('a line that a crash cut off harms no other, and is counted', async () => {
      const tree = await (await place())()
      await tree.create(path, '{"n":1}\n{"n":')
      const log = logOn(tree)
      await log.append({ n: 2 })
      expect(await log.find()).toEqual({ events: [{ n: 1 }, { n: 2 }], matching: 2, unreadable: 1 })
      expect(await log.count()).toBe(3)
      await tree.remove(path)
      await tree.create(path, '{"n":3}')
      await log.appendOnce({ n: 3 })
      expect(await linesIn(tree)).toEqual(['{"n":3}'])
    })
  })
}

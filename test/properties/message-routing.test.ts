/**
 * What holds for every message of Message Routing: printed and read it is the same, and whatever lies in an inbox, the
 * messages among it come out and nothing is thrown.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { parseMessage, printMessage } from '../../src/protocols/message-routing/format.ts'
import { noteNumber, nothingSeen } from '../../src/protocols/message-routing/gaps.ts'
import { judgeFile } from '../../src/protocols/message-routing/judge.ts'
import { byTime, momentOf } from '../../src/protocols/message-routing/order.ts'
import { type MrMessage, messageTypes } from '../../src/protocols/message-routing/schema.ts'
import { mrOn } from '../support/message-routing.ts'

const numRuns = Number(process.env.SIGNALBOX_PROPERTY_RUNS ?? 400)
const seed = Number(process.env.SIGNALBOX_PROPERTY_SEED ?? 20251006)

const hex = fc.stringMatching(/^[a-f0-9]{8}$/).map((text) => `msg_${text}`)
const agent = fc.stringMatching(/^[a-z0-9_-]{1,20}$/)
const json = fc.jsonValue({ maxDepth: 3 })
const message: fc.Arbitrary<MrMessage> = fc
  .record(
    {
      version: fc.constantFrom('1.0.0', '1.4.2'),
      msg_id: hex,
      from: agent,
      to: fc.constant('coder-1'),
      timestamp: fc.integer({ min: 0, max: 4e12 }).map((ms) => new Date(ms).toISOString()),
      sequence: fc.integer({ min: 1, max: 1e9 }),
      type: fc.constantFrom(...messageTypes),
      payload: fc.dictionary(fc.string({ maxLength: 8 }), json, { maxKeys: 4 }),
      requires_ack: fc.boolean(),
      correlation_id: hex,
      priority: fc.integer({ min: 0, max: 10 }),
      trace: json,
    },
    { requiredKeys: ['version', 'msg_id', 'from', 'to', 'timestamp', 'sequence', 'type', 'payload'] },
  )
  // As it comes from a file: no negative zero, no missing prototype.
  .map((value) => JSON.parse(JSON.stringify(value)) as MrMessage)

const where = (fileName: string, size: number) => ({ agent: 'coder-1', fileName, size })

describe('messages', () => {
  it('printed and read are the same, unknown fields and all', () => {
    fc.assert(
      fc.property(message, (value) => {
        const printed = printMessage(value)
        const read = parseMessage(Buffer.from(printed))
        expect(read).toEqual({ outcome: 'message', message: value, problems: [] })
        expect(printed).toBe(JSON.stringify(JSON.parse(printed), null, 2))
      }),
      { numRuns, seed },
    )
  })

  it('[MR-3][MR-3b] have one order, however they lie there', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), fc.infiniteStream(fc.nat()), (values, random) => {
        const timed = values.map((one) => ({ message: one, at: momentOf(one) }))
        const shuffled = timed.map((one) => [random.next().value, one] as const).sort(([a], [b]) => a - b)
        const ids = (list: typeof timed) => [...list].sort(byTime).map((one) => one.message.msg_id + one.message.from)
        expect(ids(shuffled.map(([, one]) => one))).toEqual(ids(timed))
      }),
      { numRuns, seed },
    )
  })
})

/** A file that begins as a message and then has something happen to it. */
const mutated = fc
  .tuple(message, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }), fc.nat(), fc.boolean())
  .map(([value, edits, cut, isCut]) => {
    const bytes = Buffer.from(printMessage(value))
    for (const [at, byte] of edits) bytes[at % bytes.length] = byte
    return isCut ? bytes.subarray(0, cut % bytes.length) : bytes
  })
const anyFile = fc.oneof(
  mutated,
  fc.uint8Array({ maxLength: 200 }),
  json.map((value) => Buffer.from(JSON.stringify(value))),
)

describe('files of strangers', () => {
  it('[MR-6][X-fuzz] are judged, never thrown over', () => {
    fc.assert(
      fc.property(anyFile, hex, (bytes, id) => {
        const judged = judgeFile(bytes, where(`${id}.json`, bytes.length))
        if (judged.outcome === 'message') expect(judged.message.msg_id).toBe(id)
        else expect(judged.problems.length).toBeGreaterThan(0)
        for (const { code, message } of judged.problems) {
          expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/)
          expect(message).not.toMatch(/[\0-\x1f\x7f-\x9f\u2028\u202e]/)
        }
      }),
      { numRuns: numRuns * 4, seed },
    )
  })

  it('[MR-6] never keep a message from being received', async () => {
    const files = fc.array(fc.tuple(hex, anyFile), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(files, message, async (strange, good) => {
        const tree = openMemoryTree()
        const { mr } = mrOn(tree, { settings: { settleMs: 0 } })
        const put = (name: string, bytes: Uint8Array) =>
          tree.create(`state/agents/coder-1/inbox/${name}` as never, bytes)
        await put(`${good.msg_id}.json`, Buffer.from(printMessage(good)))
        for (const [id, bytes] of strange) await put(`${id}.json`, bytes)
        const { messages, rejected } = await mr.claiming.receive('coder-1')
        expect(messages.map(({ id }) => id)).toContain(good.msg_id)
        const status = await mr.overview.statusOf('coder-1')
        expect([status.depth, status.taken, status.rejected]).toEqual([0, messages.length, rejected.length])
        for (const line of Buffer.from((await tree.read('state/agents/coder-1/error.log' as never))?.bytes ?? [])
          .toString()
          .split('\n')) {
          if (line !== '')
            expect(JSON.parse(line)).toMatchObject({ error: expect.any(String), issues: expect.any(Array) })
        }
      }),
      { numRuns: Math.ceil(numRuns / 4), seed },
    )
  })
})

describe('numbers', () => {
  it('[MR-2b] that come once each, in any order, leave nothing missing', () => {
    const order = fc.integer({ min: 1, max: 40 }).chain((n) =>
      fc.shuffledSubarray(
        Array.from({ length: n }, (_, i) => i + 1),
        { minLength: n },
      ),
    )
    fc.assert(
      fc.property(order, (numbers) => {
        let seen = nothingSeen
        for (const number of numbers) {
          const noted = noteNumber(seen, number)
          expect(noted.restartedAfter).toBeUndefined()
          seen = noted.seen
        }
        expect(seen).toEqual({ last: numbers.length, missing: [] })
      }),
      { numRuns, seed },
    )
  })
})

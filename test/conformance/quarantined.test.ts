/**
 * Files that are no messages, of all protocols, in the one inbox of people: they are listed with the reason, put back once a
 * person has corrected them, or left as they are.
 */
import { beforeEach, describe, expect } from 'vitest'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { type Clock, heldClock } from '../../src/kernel/clock.ts'
import { type TreePath, treePath } from '../../src/kernel/tree-path.ts'
import { type HumanInbox, humanInbox } from '../../src/operations/human-inbox.ts'
import { protocols } from '../../src/operations/protocols.ts'
import type { StoresPlace } from '../../src/operations/stores.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import { circe } from '../../src/protocols/circe/index.ts'
import type { Neutral } from '../../src/protocols/contract.ts'
import { dream } from '../../src/protocols/dream-os/index.ts'
import { messageRouting } from '../../src/protocols/message-routing/index.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { verifies } from '../support/verifies.ts'

interface Row {
  open(tree: Tree, clock: Clock): Promise<Neutral>
  /** Where somebody puts it, and where it waits once somebody else has looked. */
  readonly put: string
  readonly waits: string
  readonly broken: string
  readonly mended: string
  readonly reason: string
  readonly of?: string
  readonly canBePutBack: boolean
}

const head = '# MESSAGE\nfrom: lead\nto: coder-1\nintent: inform\n'
const heartbeat = {
  ...{ version: '1.0.0', msg_id: 'msg_0000000a', from: 'lead', to: 'coder-1', timestamp: '2026-01-01T12:00:00.000Z' },
  ...{ sequence: 1, type: 'heartbeat', payload: { health: 'healthy' } },
}
const rows: Readonly<Record<string, Row>> = {
  acmq: {
    async open(tree, clock) {
      const missions = await acmq.open({ tree, clock, settings: acmq.defaults })
      await missions.create('alpha')
      return missions.neutral()
    },
    put: 'llm/missions/alpha/queue/pending/20260101120000-question-from-lead-to-coder-1.md',
    waits: 'llm/missions/alpha/queue/failed/20260101120000-question-from-lead-to-coder-1.md',
    broken: 'no header',
    mended: '---\nid: question\nfrom: lead\nto: coder-1\ntimestamp: 2026-01-01T12:00:00Z\nstatus: failed\n---\nx\n',
    reason: 'ront matter',
    of: 'alpha',
    canBePutBack: false,
  },
  mr: {
    open: async (tree, clock) =>
      (await messageRouting.open({ tree, clock, settings: messageRouting.defaults })).neutral(),
    put: 'state/agents/coder-1/inbox/msg_0000000a.json',
    waits: 'state/agents/coder-1/rejected/msg_0000000a.json',
    broken: '{"version": "1.0.0"}',
    mended: JSON.stringify(heartbeat),
    reason: 'Missing required field: msg_id',
    of: 'coder-1',
    canBePutBack: true,
  },
  dream: {
    open: async (tree, clock) => (await dream.open({ tree, clock, settings: dream.defaults })).neutral(),
    put: 'runtime/coder-1/inbox/msg_broken.json',
    waits: 'runtime/coder-1/inbox/msg_broken.json',
    broken: '{oops',
    mended: '{"task_id": "t-1", "action": "MESSAGE"}',
    reason: 'Not valid JSON',
    of: 'coder-1',
    canBePutBack: false,
  },
  circe: {
    open: async (tree, clock) => (await circe.open({ tree, clock, settings: circe.defaults })).neutral(),
    put: 'AI_MANAGER/NEW_MESSAGES/20260101_120000_lead-coder-1_inform.md',
    waits: 'AI_MANAGER/LOGS/rejected/20260101_120000_lead-coder-1_inform.md',
    broken: `${head}status: nearly\ncreated_at: 2026-01-01T12:00:00Z\n\n## Summary\n\u001b[31mHello\n`,
    mended: `${head}status: new\ncreated_at: 2026-01-01T12:00:00Z\n\n## Summary\nHello\n`,
    reason: 'Line 5: `status` is none of',
    canBePutBack: true,
  },
}

const everyRootIsSet = Object.fromEntries(protocols.map(({ name }) => [`${name}.root`, 'file']))

for (const [name, row] of Object.entries(rows)) {
  describe(`${name}: a file that is no message`, () => {
    const clock = heldClock(Date.parse('2026-01-01T13:00:00Z'))
    const [put, waits] = [treePath(row.put), treePath(row.waits)]
    const id = row.waits.slice(row.waits.lastIndexOf('/') + 1)
    let tree: Tree
    let neutral: Neutral
    let inbox: HumanInbox
    beforeEach(async () => {
      tree = openMemoryTree({ clock })
      neutral = await row.open(tree, clock)
      inbox = humanInbox(
        {
          tree: async () => tree,
          configuration: async () => ({ origins: everyRootIsSet, durability: 'process' }),
          store: async ({ name: other }: { name: string }) => ({
            neutral: async () => (other === name ? neutral : { find: async function* () {} }),
          }),
        } as unknown as StoresPlace,
        async () => 'ann',
      )
      await tree.create(put, row.broken)
      clock.advance(60_000)
      await neutral.take!('coder-1')
      clock.advance(60_000)
    })

    const waiting = async () => (await inbox.list()).waiting
    const write = async (path: TreePath, text: string) => {
      await tree.replace(path, Buffer.from(text), (await tree.read(path))!.revision)
    }
    const refusal = (given: Promise<unknown>) => given.then(String, ({ exit, code }) => `${exit} ${code}`)

    verifies('X-human', 'waits for a person, with the reason, how it begins and what to do', async () => {
      const [one, ...more] = await waiting()
      expect(more).toEqual([])
      expect(one).toMatchObject({
        id,
        protocol: name,
        kind: 'quarantine',
        summary: expect.stringContaining(row.reason),
        answers: row.canBePutBack ? ['approve', 'deny'] : ['deny'],
        details: { path: row.waits, next: expect.stringMatching(/^Correct it/) },
        ageSeconds: expect.any(Number),
      })
      expect(one!.place).toBe(row.of)
      expect(one!.text.startsWith(row.broken)).toBe(true)
      expect(await refusal(inbox.answer(id, { text: 'Hm' }))).toBe('7 UNSUPPORTED')
    })

    verifies('X-human', 'is left as it is when a person says so, until it says something else', async () => {
      const before = (await tree.read(waits))!.bytes
      expect(await inbox.deny(id.slice(0, 10), { reason: 'Not worth it' })).toMatchObject({
        outcome: 'answered',
        message: { id, path: row.waits, state: 'quarantined' },
      })
      expect(await waiting()).toEqual([])
      expect(await inbox.deny(id)).toMatchObject({ outcome: 'unchanged' })
      expect((await tree.read(waits))!.bytes).toEqual(before)
      await write(waits, `${row.broken} and more`)
      clock.advance(60_000)
      expect(await waiting()).toHaveLength(1)
      // What was decided on a text that is gone is forgotten.
      expect(await tree.list(treePath('.signalbox/state/approvals/left'))).toEqual([])
    })

    verifies('X-human', 'is handed out when a person has corrected it, and not before', async () => {
      const refused = row.canBePutBack ? '5 STILL_NO_MESSAGE' : '7 UNSUPPORTED'
      expect(await refusal(inbox.approve(id))).toBe(refused)
      expect((await tree.look(waits))?.kind).toBe('leaf')
      await write(waits, row.mended)
      if (row.canBePutBack) {
        expect(await inbox.list()).toMatchObject({ waiting: [{ id, summary: expect.stringContaining('by now') }] })
        expect(await inbox.approve(id)).toMatchObject({ outcome: 'answered', message: { path: row.put } })
      }
      expect(await waiting()).toEqual([])
      // In AC-MQ it has failed like any other, and is retried by its id.
      if (name !== 'acmq') expect(await neutral.take!('coder-1')).toMatchObject({ outcome: 'taken' })
    })

    verifies('X-human', 'that is gone meanwhile is told as not there', async () => {
      await tree.remove(waits)
      expect(await refusal(inbox.deny(id))).toBe('3 NO_SUCH_MESSAGE')
      expect(await waiting()).toEqual([])
    })
  })
}

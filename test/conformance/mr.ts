/**
 * Message Routing by nothing but the tree: what every engine must let it do. The scenarios beside the specification use
 * real files to play other programs; here those speak by the tree too, so that any engine can stand below.
 */
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { age } from '../../src/adapters/age.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { type Clock, heldClock, systemClock } from '../../src/kernel/clock.ts'
import { defaultsOf, type InputOf } from '../../src/kernel/field.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { messageRouting } from '../../src/protocols/message-routing/index.ts'
import type { Routing } from '../../src/protocols/message-routing/store/routing.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { tempDir } from '../support/temp.ts'
import type { EnginePlace } from './every-engine.ts'

type Settings = Partial<InputOf<typeof messageRouting.section>>

/** What one process has open. */
interface Process {
  readonly tree: Tree
  readonly mr: Routing
  close(): Promise<void>
}

const agents = 'state/agents'
const task = (text: string, to = 'coder-1') =>
  ({ from: 'lead', to, type: 'task-delegation', payload: { task: text } }) as const
const idsOf = (messages: readonly { id: string }[]) => messages.map(({ id }) => id)
const { section } = messageRouting

export function describeMr(name: string, prepare: () => Promise<EnginePlace>): void {
  describe(`Message Routing on ${name}`, () => {
    let place: EnginePlace
    /** The directory of the workspace, for what belongs to this machine alone. */
    let folder: string
    let tree: Tree
    let mr: Routing
    let other: Routing
    const opened: Process[] = []

    beforeEach(async () => {
      place = await prepare()
      folder = tempDir()
      const first = await start()
      tree = first.tree
      mr = first.mr
      other = (await start()).mr
    })
    afterEach(async () => {
      for (const process of opened.splice(0)) await process.close()
    })

    async function start(settings: Settings = {}, clock: Clock = systemClock): Promise<Process> {
      const own = await place.open(clock)
      const mr = await messageRouting.open({
        tree: own,
        clock,
        settings: messageRouting.settingsFrom({ ...defaultsOf(section), ...settings }),
        openTree: (inside: string) => openFileTree({ root: join(folder, inside), clock }),
        keysFolder: async () => 'own',
        sealing: async () => age,
      })
      const process = {
        tree: own,
        mr,
        async close() {
          await mr.close()
          await own.close()
        },
      }
      opened.push(process)
      return process
    }
    const at = (...names: string[]) => treePath([agents, ...names].join('/'))
    /** In a turn nobody sees less than there is, also where copies of folders may lag a little behind. */
    const now = <T>(look: () => Promise<T>, by = tree): Promise<T> => by.exclusively('test', look)
    const names = async (...path: string[]) => (await now(() => tree.list(at(...path)))).map((entry) => entry.name)
    const textAt = async (path: string) =>
      Buffer.from((await now(() => tree.read(treePath(path))))?.bytes ?? '').toString()
    /** Every process has heard of all messages. */
    async function caughtUp(): Promise<void> {
      for (const { tree: by } of opened)
        for (const agent of ['coder-1', 'lead']) await now(() => by.list(at(agent, 'inbox')), by)
    }
    const written = async (path: string) => JSON.parse(await textAt(path))
    const linesOf = async (...path: string[]) =>
      (await textAt(at(...path)))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))

    /** A message as another program writes it. */
    async function writeForeign(agent: string, id: string, fields: object = {}, fileName = `${id}.json`, by = tree) {
      const message = {
        version: '1.0.0',
        msg_id: id,
        from: 'stranger',
        to: agent,
        timestamp: '2026-01-01T00:00:00.000Z',
        sequence: 1,
        type: 'task-delegation',
        payload: { task: 'Anything' },
        ...fields,
      }
      const path = at(agent, 'inbox', fileName)
      await by.remove(path)
      expect((await by.create(path, Buffer.from(JSON.stringify(message)))).outcome).toBe('created')
    }

    it('[MR-4][MR-1c] a message is one whole leaf in the inbox of its recipient; one that is too large uses up no number', async () => {
      await expect(mr.send(task('x'.repeat(11_000)))).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' })
      const { message, depth, evicted } = await mr.send({ ...task('Fix the login'), priority: 8, requiresAck: true })
      expect([message.path, depth, evicted]).toEqual([`${agents}/coder-1/inbox/${message.id}.json`, 1, []])
      expect(await written(message.path)).toMatchObject({ msg_id: message.id, sequence: 1, priority: 8, to: 'coder-1' })
      await caughtUp()
      expect(idsOf((await other.receive('coder-1')).messages)).toEqual([message.id])
      expect([await names('coder-1', 'inbox'), await names('coder-1', 'taken')]).toEqual([[], [`${message.id}.json`]])
    })

    it('[MR-2a][MR-2b] numbers count for each pair, whoever sends; gaps and a new beginning are told', async () => {
      await mr.init('lead')
      const numbers = []
      for (const [from, to] of [
        [mr, 'coder-1'],
        [other, 'coder-1'],
        [mr, 'coder-2'],
        [mr, 'coder-1'],
      ] as const)
        numbers.push((await from.send(task('Anything', to))).message.sequence)
      expect(numbers).toEqual([1, 2, 1, 3])
      expect(await textAt(at('lead', '.sequences', 'coder-1'))).toBe('3\n')
      const [, second] = (await mr.receive('coder-1', { peek: true })).messages
      await tree.remove(treePath(second!.path))
      await caughtUp()
      const received = await other.receive('coder-1')
      expect(received.messages.map(({ sequence }) => sequence)).toEqual([1, 3])
      expect(received.gaps).toEqual([{ from: 'lead', first: 2, last: 2, count: 1 }])
      expect(await mr.init('lead', { reset: true })).toMatchObject({ outcome: 'reset', sequencesReset: 2 })
      await other.send(task('From the beginning'))
      await caughtUp()
      expect(await mr.receive('coder-1')).toMatchObject({ gaps: [], restarts: [{ from: 'lead', after: 3 }] })
    })

    it('[MR-3][MR-3b] they come by the moment they mean, or the most urgent first', async () => {
      await writeForeign('coder-1', 'msg_00000003', { timestamp: '2026-01-01T12:00:00.000Z', sequence: 2 })
      await writeForeign('coder-1', 'msg_00000004', { timestamp: '2026-01-01T12:00:00Z', priority: 9 })
      await writeForeign('coder-1', 'msg_00000002', { timestamp: '2026-01-01T13:30:00.000+02:00', sequence: 3 })
      const ids = async (order: 'time' | 'priority') =>
        idsOf((await other.receive('coder-1', { peek: true, order })).messages)
      expect(await ids('time')).toEqual(['msg_00000002', 'msg_00000004', 'msg_00000003'])
      expect(await ids('priority')).toEqual(['msg_00000004', 'msg_00000002', 'msg_00000003'])
    })

    it('[MR-11][MR-5] a broadcast reaches everybody; a reply wakes who waits; an acknowledgement is given once', async () => {
      for (const agent of ['lead', 'coder-1', 'coder-2']) await mr.init(agent)
      const pause = { from: 'lead', type: 'command', payload: { action: 'pause' } } as const
      const { sent } = await mr.broadcast(pause)
      expect(sent.map(({ message }) => [message.to, message.sequence])).toEqual([
        ['coder-1', 1],
        ['coder-2', 1],
      ])
      const { message } = await mr.send({ ...task('Ask'), requiresAck: true })
      const waiting = mr.awaitReply('lead', message.id, { waitMs: 60_000 })
      const result = { from: 'coder-1', to: 'lead', type: 'result', payload: { status: 'success' } } as const
      const reply = await other.send({ ...result, replyTo: message.id })
      expect(await waiting).toMatchObject({ outcome: 'received', message: { id: reply.message.id } })
      await caughtUp()
      await other.receive('coder-1')
      expect(await mr.unacked('coder-1')).toMatchObject([{ direction: 'taken', id: message.id }])
      const acked = await Promise.all([mr, other, mr].map((one) => one.ack('coder-1', message.id)))
      expect(acked.map(({ outcome }) => outcome).sort()).toEqual(['acknowledged', 'unchanged', 'unchanged'])
      await caughtUp()
      expect((await mr.receive('lead')).messages).toMatchObject([{ type: 'status-update', correlationId: message.id }])
      expect([await mr.unacked('lead'), await other.unacked('coder-1')]).toEqual([[], []])
    })

    it('[MR-6][MR-6b][MR-10] what is no message is logged and set aside, and stops nothing', async () => {
      const good = (await mr.send(task('Good'))).message.id
      await writeForeign('coder-1', 'msg_000000aa', { type: 'status_update', timestamp: undefined })
      await writeForeign('coder-1', 'msg_000000bb', {}, 'msg_000000cc.json')
      await writeForeign('coder-1', 'msg_000000ee', { version: '2.0.0' })
      await writeForeign('coder-1', 'msg_000000ff', { version: '1.9.3', colour: 'moon' })
      const { messages, rejected } = await other.receive('coder-1')
      expect(idsOf(messages).sort()).toEqual(['msg_000000ff', good].sort())
      expect(rejected.map(({ code }) => code).sort()).toEqual([
        'NAME_MISMATCH',
        'UNSUPPORTED_VERSION',
        'VALIDATION_FAILED',
      ])
      expect((await linesOf('coder-1', 'error.log')).length).toBe(3)
      expect((await names('coder-1', 'rejected')).length).toBe(3)
      expect(await mr.receive('coder-1')).toMatchObject({ outcome: 'nothing', rejected: [] })
    })

    it('[MR-7a][MR-7c] a full inbox lets its oldest go first; that is logged and can be undone; a surplus goes later', async () => {
      const clock = heldClock(Date.now())
      const [one, two] = [await start({ inboxLimit: 3 }, clock), await start({ inboxLimit: 3 }, clock)]
      const ids: string[] = []
      for (const [i, text] of ['one', 'two', 'three', 'four', 'five'].entries()) {
        clock.advance(1000)
        const sent = await (i % 2 ? one : two).mr.send(task(text))
        ids.push(sent.message.id)
        expect([sent.evicted, sent.depth]).toEqual([i < 3 ? [] : [ids[i - 3]], Math.min(i + 1, 3)])
      }
      expect(await linesOf('coder-1', 'evictions.log')).toMatchObject(ids.slice(0, 2).map((id) => ({ msg_id: id })))
      clock.advance(1000)
      expect(await two.mr.recover('coder-1', ids[0]!)).toMatchObject({ outcome: 'recovered', from: 'evicted' })
      expect(new Set(idsOf(await one.mr.evicted('coder-1')))).toEqual(new Set(ids.slice(1, 3)))
      await writeForeign('coder-1', 'msg_00000001', {}, 'msg_00000001.json', one.tree)
      const { evicted, messages } = await one.mr.receive('coder-1')
      expect([evicted, messages.length]).toEqual([[ids[3]], 3])
    })

    it('[MR-13] delivery is at most once among many readers, and a person can bring a message back', async () => {
      const sent: string[] = []
      for (let n = 0; n < 12; n++) sent.push((await mr.send(task(`Task ${n}`))).message.id)
      const readers = [mr, other, (await start()).mr, (await start()).mr]
      const taken = (await Promise.all(readers.map((reader) => reader.receive('coder-1')))).flatMap((r) => r.messages)
      expect(idsOf(taken).sort()).toEqual([...sent].sort())
      expect(await other.recover('coder-1', sent[7]!)).toMatchObject({ outcome: 'recovered', from: 'taken' })
      expect(await mr.recover('coder-1', sent[7]!)).toMatchObject({ outcome: 'unchanged' })
      expect(idsOf((await mr.receive('coder-1')).messages)).toEqual([sent[7]])
    })

    it('[MR-4b] a delivery that fails is logged for the sender', async () => {
      await mr.init('lead')
      await tree.create(at('coder-1', 'inbox'), Buffer.from(''))
      await expect(mr.send(task('Lost'))).rejects.toMatchObject({ code: 'DELIVERY_FAILED', exit: 8 })
      expect(await linesOf('lead', 'error.log')).toMatchObject([{ error: 'DELIVERY_FAILED' }])
    })

    it('[MR-8][MR-8b] what all processes measured comes together', async () => {
      const settings = { inboxLimit: 3, alertDepth: 2 }
      const [one, two] = [await start(settings), await start(settings)]
      for (const text of ['one', 'two', 'three', 'four']) await one.mr.send(task(text))
      await two.mr.receive('coder-1', { limit: 1 })
      await two.mr.send(task('five'))
      await two.mr.metrics()
      await caughtUp()
      const { metrics, prometheus, alerts } = await one.mr.metrics()
      expect(metrics).toMatchObject({
        message_write_latency_ms: { count: 5 },
        message_read_latency_ms: { count: 1 },
        inbox_depth: { 'coder-1': 3, lead: 0 },
        eviction_count: 1,
      })
      expect(prometheus).toMatch(/^inbox_depth\{agent="coder-1"\} 3$/m)
      expect(alerts.filter(({ metric }) => metric === 'inbox_depth')).toMatchObject([{ value: 3, threshold: 2 }])
    })

    it('[MR-12] a forged, altered or copied message is refused, whichever process reads it', async () => {
      const settings = { signing: 'require', encryption: true } as const
      const [one, two] = [await start(settings), await start(settings)]
      const keys = await one.mr.keys()
      for (const agent of ['lead', 'coder-1']) await keys.generate(agent)
      const { message } = await one.mr.send(task('A secret'))
      expect(await textAt(message.path)).not.toContain('A secret')
      await caughtUp()
      const [read] = (await two.mr.receive('coder-1')).messages
      expect([read?.id, read?.message.payload]).toEqual([message.id, { task: 'A secret' }])

      await tree.move(at('coder-1', 'taken', `${message.id}.json`), treePath(message.path))
      await writeForeign('coder-1', 'msg_000000aa', { from: 'lead' })
      const { message: second } = await one.mr.send(task('To be altered'))
      await writeForeign('coder-1', second.id, { ...(await written(second.path)), priority: 9 })
      await caughtUp()
      const { messages, rejected } = await one.mr.receive('coder-1')
      expect([messages, rejected.map(({ code }) => code).sort()]).toEqual([
        [],
        ['BAD_SIGNATURE', 'REPLAYED', 'UNSIGNED'],
      ])
    })

    it('[MR-12] a sender is limited in rate, by whichever process it sends', async () => {
      const clock = heldClock(Date.now())
      const [one, two] = [await start({ messagesPerMinute: 2 }, clock), await start({ messagesPerMinute: 2 }, clock)]
      await one.mr.send(task('one'))
      await two.mr.send(task('two'))
      await expect(one.mr.send(task('three'))).rejects.toMatchObject({ code: 'RATE_LIMITED', exit: 8 })
      clock.advance(60_000)
      expect((await two.mr.send(task('four'))).message.sequence).toBe(3)
    })

    it('what other programs write against the specification is read, answered in its form and acknowledged once', async () => {
      const theirs = { version: '1.1', timestamp: 1_767_268_800, payload: { task: 'Theirs' }, requires_ack: true }
      await writeForeign('coder-1', 'msg-1767268800-042', theirs)
      const { messages } = await other.receive('coder-1', { compat: true })
      expect(messages).toMatchObject([{ createdAt: '2026-01-01T12:00:00.000Z' }])
      const answer = { from: 'coder-1', to: 'lead', type: 'result', payload: { status: 'success' } } as const
      const { message } = await mr.send({ ...answer, replyTo: 'msg-1767268800-042', compat: true })
      expect(await written(message.path)).toMatchObject({ version: '1.1', correlation_id: 'msg-1767268800-042' })
      const acked = [await mr.ack('coder-1', 'msg-1767268800-042'), await other.ack('coder-1', messages[0]!.id)]
      expect(acked.map(({ outcome }) => outcome)).toEqual(['acknowledged', 'unchanged'])
    })
  })
}

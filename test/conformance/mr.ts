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
import { mortal, survives } from '../support/mortal-tree.ts'
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
    const routingOn = (own: Tree) =>
      messageRouting.open({ tree: own, clock: systemClock, settings: messageRouting.defaults })
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
      await expect(mr.sending.send(task('x'.repeat(11_000)))).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' })
      const { message, depth, evicted } = await mr.sending.send({
        ...task('Fix the login'),
        priority: 8,
        requiresAck: true,
      })
      expect([message.path, depth, evicted]).toEqual([`${agents}/coder-1/inbox/${message.id}.json`, 1, []])
      expect(await written(message.path)).toMatchObject({ msg_id: message.id, sequence: 1, priority: 8, to: 'coder-1' })
      await caughtUp()
      expect(idsOf((await other.claiming.receive('coder-1')).messages)).toEqual([message.id])
      expect([await names('coder-1', 'inbox'), await names('coder-1', 'taken')]).toEqual([[], [`${message.id}.json`]])
    })

    it('[MR-2a][MR-2b] numbers count for each pair, whoever sends; gaps and a new beginning are told', async () => {
      await mr.agents.init('lead')
      const numbers = []
      for (const [from, to] of [
        [mr, 'coder-1'],
        [other, 'coder-1'],
        [mr, 'coder-2'],
        [mr, 'coder-1'],
      ] as const)
        numbers.push((await from.sending.send(task('Anything', to))).message.sequence)
      expect(numbers).toEqual([1, 2, 1, 3])
      expect(await textAt(at('lead', '.sequences', 'coder-1'))).toBe('3\n')
      const [, second] = (await mr.claiming.receive('coder-1', { peek: true })).messages
      await tree.remove(treePath(second!.path))
      await caughtUp()
      const received = await other.claiming.receive('coder-1')
      expect(received.messages.map(({ sequence }) => sequence)).toEqual([1, 3])
      expect(received.gaps).toEqual([{ from: 'lead', first: 2, last: 2, count: 1 }])
      expect(await mr.agents.init('lead', { reset: true })).toMatchObject({ outcome: 'reset', sequencesReset: 2 })
      await other.sending.send(task('From the beginning'))
      await caughtUp()
      expect(await mr.claiming.receive('coder-1')).toMatchObject({ gaps: [], restarts: [{ from: 'lead', after: 3 }] })
    })

    it('[MR-3][MR-3b] they come by the moment they mean, or the most urgent first', async () => {
      await writeForeign('coder-1', 'msg_00000003', { timestamp: '2026-01-01T12:00:00.000Z', sequence: 2 })
      await writeForeign('coder-1', 'msg_00000004', { timestamp: '2026-01-01T12:00:00Z', priority: 9 })
      await writeForeign('coder-1', 'msg_00000002', { timestamp: '2026-01-01T13:30:00.000+02:00', sequence: 3 })
      const ids = async (order: 'time' | 'priority') =>
        idsOf((await other.claiming.receive('coder-1', { peek: true, order })).messages)
      expect(await ids('time')).toEqual(['msg_00000002', 'msg_00000004', 'msg_00000003'])
      expect(await ids('priority')).toEqual(['msg_00000004', 'msg_00000002', 'msg_00000003'])
    })

    it('[MR-11][MR-5] a broadcast reaches everybody; a reply wakes who waits; an acknowledgement is given once', async () => {
      for (const agent of ['lead', 'coder-1', 'coder-2']) await mr.agents.init(agent)
      const pause = { from: 'lead', type: 'command', payload: { action: 'pause' } } as const
      const { sent } = await mr.sending.broadcast(pause)
      expect(sent.map(({ message }) => [message.to, message.sequence])).toEqual([
        ['coder-1', 1],
        ['coder-2', 1],
      ])
      const { message } = await mr.sending.send({ ...task('Ask'), requiresAck: true })
      const waiting = mr.claiming.awaitReply('lead', message.id, { waitMs: 60_000 })
      const result = { from: 'coder-1', to: 'lead', type: 'result', payload: { status: 'success' } } as const
      const reply = await other.sending.send({ ...result, replyTo: message.id })
      expect(await waiting).toMatchObject({ outcome: 'received', message: { id: reply.message.id } })
      await caughtUp()
      await other.claiming.receive('coder-1')
      expect(await mr.settling.unacked('coder-1')).toMatchObject([{ direction: 'taken', id: message.id }])
      const acked = await Promise.all([mr, other, mr].map((one) => one.settling.ack('coder-1', message.id)))
      expect(acked.map(({ outcome }) => outcome).sort()).toEqual(['acknowledged', 'unchanged', 'unchanged'])
      await caughtUp()
      expect((await mr.claiming.receive('lead')).messages).toMatchObject([
        { type: 'status-update', correlationId: message.id },
      ])
      expect([await mr.settling.unacked('lead'), await other.settling.unacked('coder-1')]).toEqual([[], []])
    })

    it('[X-crash] a key sends once, whoever repeats it and wherever the message is by then', async () => {
      const first = await mr.sending.send({ ...task('Once'), requiresAck: true }, { key: 'k 1' })
      expect(first).toMatchObject({ outcome: 'sent', depth: 1, message: { sequence: 1, state: 'inbox' } })
      const again = async (by: Routing) => {
        await caughtUp()
        const { outcome, message } = await by.sending.send({ ...task('Once'), requiresAck: true }, { key: 'k 1' })
        return [outcome, message.id, message.state]
      }
      expect(await again(other)).toEqual(['unchanged', first.message.id, 'inbox'])
      await caughtUp()
      expect(idsOf((await other.claiming.receive('coder-1')).messages)).toEqual([first.message.id])
      expect(await again(mr)).toEqual(['unchanged', first.message.id, 'taken'])
      await tree.remove(at('coder-1', 'taken', `${first.message.id}.json`))
      expect(await again(other)).toEqual(['unchanged', first.message.id, 'taken'])
      for (const changed of [task('Other words'), task('Once', 'coder-2')])
        await expect(other.sending.send({ ...changed, requiresAck: true }, { key: 'k 1' })).rejects.toMatchObject({
          code: 'KEY_USED',
          exit: 4,
          message: `The key k 1 was used for another message, ${first.message.id}.`,
        })
      // Another sender has keys of its own, and nothing has used up a number meanwhile.
      expect(await mr.sending.send({ ...task('Once'), from: 'coder-2' }, { key: 'k 1' })).toMatchObject({
        outcome: 'sent',
      })
      expect((await mr.sending.send(task('Next'))).message.sequence).toBe(2)
    })

    it('[X-held] of many that send one key at once one sends it, and a full inbox makes room for it once', async () => {
      const senders = [mr, other, (await start()).mr, (await start()).mr]
      const sent = await Promise.all(senders.map((one) => one.sending.send(task('Once'), { key: 'k1' })))
      expect(sent.map(({ outcome }) => outcome).sort()).toEqual(['sent', 'unchanged', 'unchanged', 'unchanged'])
      expect(new Set(idsOf(sent.map(({ message }) => message))).size).toBe(1)
      await caughtUp()
      expect((await names('coder-1', 'inbox')).length).toBe(1)
      const small = await start({ inboxLimit: 1 })
      const next = await small.mr.sending.send(task('Twice'), { key: 'k2' })
      expect([next.evicted, next.depth]).toEqual([[sent[0]!.message.id], 1])
      await caughtUp()
      expect(await other.sending.send(task('Once'), { key: 'k1' })).toMatchObject({
        outcome: 'unchanged',
        message: { state: 'evicted' },
      })
    })

    for (const finisher of ['its sender', 'its reader', 'doctor'] as const) {
      it(`[X-crash] a sender under a key is killed before any change, and ${finisher} makes it one message`, async () => {
        for (let lives = 0, isWhole = false; !isWhole; lives++) {
          const to = `coder-${lives + 10}`
          const key = `k${lives}`
          const once = { ...task('Once', to), requiresAck: true }
          const { tree: own } = await start()
          const dying = await routingOn(mortal(own, lives))
          isWhole = await survives(dying.sending.send(once, { key }))
          const isNoted = (await now(() => tree.list(treePath('.signalbox/state/delivery/mr/sent')))).some(
            ({ name }) => name === `lead.${key}.json`,
          )
          if (finisher === 'its sender') await other.sending.send(once, { key })
          if (finisher === 'doctor') {
            const found = await other.inspect({ repair: true })
            expect(found.every(({ code, repaired }) => code === 'UNFINISHED_SEND' && repaired)).toBe(true)
            expect(await other.inspect(), `killed before change ${lives}`).toEqual([])
          }
          const { messages } = await other.claiming.receive(to)
          expect(await other.inspect(), `killed before change ${lives}`).toEqual([])
          expect(messages.length, `killed before change ${lives}`).toBe(isNoted || finisher === 'its sender' ? 1 : 0)
          expect((await other.claiming.receive(to)).messages, `killed before change ${lives}`).toEqual([])
          await other.sending.send(once, { key })
          expect((await other.claiming.receive(to)).messages.length).toBe(1 - messages.length)
        }
      })
    }

    it('[X-notes] what a stranger staged goes where it says or nowhere, and stops nobody', async () => {
      const home = '.signalbox/state/delivery/mr'
      const stage = async (key: string, content: string) => {
        const name = `${key}~00000000-0000-4000-8000-000000000000.json`
        await tree.create(treePath(`${home}/staged/${name}`), content)
        await tree.create(treePath(`${home}/sent/${key}.json`), JSON.stringify({ staged: name, digest: 'd' }))
      }
      const message = { version: '1.0.0', msg_id: 'msg_0000000a', from: 'lead', to: 'coder-1', sequence: 1 }
      const rest = { timestamp: '2026-01-01T00:00:00.000Z', type: 'command', payload: { action: 'pause' } }
      await stage('lead.a', '{"msg_id":')
      await stage('lead.b', JSON.stringify({ ...message, ...rest, to: '../../etc' }))
      await stage('lead.c', JSON.stringify({ ...message, ...rest, msg_id: '../../../etc' }))
      await stage('lead.d', JSON.stringify({ ...message, ...rest }))
      expect(idsOf((await other.claiming.receive('coder-1')).messages)).toEqual(['msg_0000000a'])
      const unfinished = (await other.inspect({ repair: true })).filter(({ code }) => code === 'UNFINISHED_SEND')
      expect(unfinished.map(({ repaired }) => repaired)).toEqual([false, false, false])
      await expect(mr.sending.send(task('Mine'), { key: 'a' })).rejects.toMatchObject({ code: 'KEY_USED' })
    })

    it('[MR-6][MR-6b][MR-10] what is no message is logged and set aside, and stops nothing', async () => {
      const good = (await mr.sending.send(task('Good'))).message.id
      await writeForeign('coder-1', 'msg_000000aa', { type: 'status_update', timestamp: undefined })
      await writeForeign('coder-1', 'msg_000000bb', {}, 'msg_000000cc.json')
      await writeForeign('coder-1', 'msg_000000ee', { version: '2.0.0' })
      await writeForeign('coder-1', 'msg_000000ff', { version: '1.9.3', colour: 'moon' })
      const { messages, rejected } = await other.claiming.receive('coder-1')
      expect(idsOf(messages).sort()).toEqual(['msg_000000ff', good].sort())
      expect(rejected.map(({ code }) => code).sort()).toEqual([
        'NAME_MISMATCH',
        'UNSUPPORTED_VERSION',
        'VALIDATION_FAILED',
      ])
      expect((await linesOf('coder-1', 'error.log')).length).toBe(3)
      expect((await names('coder-1', 'rejected')).length).toBe(3)
      expect(await mr.claiming.receive('coder-1')).toMatchObject({ outcome: 'nothing', rejected: [] })
    })

    it('[MR-7a][MR-7c] a full inbox lets its oldest go first; that is logged and can be undone; a surplus goes later', async () => {
      const clock = heldClock(Date.now())
      const [one, two] = [await start({ inboxLimit: 3 }, clock), await start({ inboxLimit: 3 }, clock)]
      const ids: string[] = []
      for (const [i, text] of ['one', 'two', 'three', 'four', 'five'].entries()) {
        clock.advance(1000)
        const sent = await (i % 2 ? one : two).mr.sending.send(task(text))
        ids.push(sent.message.id)
        expect([sent.evicted, sent.depth]).toEqual([i < 3 ? [] : [ids[i - 3]], Math.min(i + 1, 3)])
      }
      expect(await linesOf('coder-1', 'evictions.log')).toMatchObject(ids.slice(0, 2).map((id) => ({ msg_id: id })))
      clock.advance(1000)
      expect(await two.mr.recovering.recover('coder-1', ids[0]!)).toMatchObject({
        outcome: 'recovered',
        from: 'evicted',
      })
      expect(new Set(idsOf(await one.mr.recovering.list('coder-1', 'evicted')))).toEqual(new Set(ids.slice(1, 3)))
      await writeForeign('coder-1', 'msg_00000001', {}, 'msg_00000001.json', one.tree)
      const { evicted, messages } = await one.mr.claiming.receive('coder-1')
      expect([evicted, messages.length]).toEqual([[ids[3]], 3])
    })

    it('[MR-13] delivery is at most once among many readers, and a person can bring a message back', async () => {
      const sent: string[] = []
      for (let n = 0; n < 12; n++) sent.push((await mr.sending.send(task(`Task ${n}`))).message.id)
      const readers = [mr, other, (await start()).mr, (await start()).mr]
      const taken = (await Promise.all(readers.map((reader) => reader.claiming.receive('coder-1')))).flatMap(
        (r) => r.messages,
      )
      expect(idsOf(taken).sort()).toEqual([...sent].sort())
      expect(await other.recovering.recover('coder-1', sent[7]!)).toMatchObject({ outcome: 'recovered', from: 'taken' })
      expect(await mr.recovering.recover('coder-1', sent[7]!)).toMatchObject({ outcome: 'unchanged' })
      expect(idsOf((await mr.claiming.receive('coder-1')).messages)).toEqual([sent[7]])
    })

    it('[MR-4b] a delivery that fails is logged for the sender', async () => {
      await mr.agents.init('lead')
      await tree.create(at('coder-1', 'inbox'), Buffer.from(''))
      await expect(mr.sending.send(task('Lost'))).rejects.toMatchObject({ code: 'DELIVERY_FAILED', exit: 8 })
      expect(await linesOf('lead', 'error.log')).toMatchObject([{ error: 'DELIVERY_FAILED' }])
    })

    it('[MR-8][MR-8b] what all processes measured comes together', async () => {
      const settings = { inboxLimit: 3, alertDepth: 2 }
      const [one, two] = [await start(settings), await start(settings)]
      for (const text of ['one', 'two', 'three', 'four']) await one.mr.sending.send(task(text))
      await two.mr.claiming.receive('coder-1', { limit: 1 })
      await two.mr.sending.send(task('five'))
      await two.mr.overview.metrics()
      await caughtUp()
      const { metrics, prometheus, alerts } = await one.mr.overview.metrics()
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
      const { message } = await one.mr.sending.send(task('A secret'))
      expect(await textAt(message.path)).not.toContain('A secret')
      await caughtUp()
      const [read] = (await two.mr.claiming.receive('coder-1')).messages
      expect([read?.id, read?.message.payload]).toEqual([message.id, { task: 'A secret' }])

      await tree.move(at('coder-1', 'taken', `${message.id}.json`), treePath(message.path))
      await writeForeign('coder-1', 'msg_000000aa', { from: 'lead' })
      const { message: second } = await one.mr.sending.send(task('To be altered'))
      await writeForeign('coder-1', second.id, { ...(await written(second.path)), priority: 9 })
      await caughtUp()
      const { messages, rejected } = await one.mr.claiming.receive('coder-1')
      expect([messages, rejected.map(({ code }) => code).sort()]).toEqual([
        [],
        ['BAD_SIGNATURE', 'REPLAYED', 'UNSIGNED'],
      ])
    })

    it('[MR-12] a sender is limited in rate, by whichever process it sends', async () => {
      const clock = heldClock(Date.now())
      const [one, two] = [await start({ messagesPerMinute: 2 }, clock), await start({ messagesPerMinute: 2 }, clock)]
      await one.mr.sending.send(task('one'))
      await two.mr.sending.send(task('two'))
      await expect(one.mr.sending.send(task('three'))).rejects.toMatchObject({ code: 'RATE_LIMITED', exit: 8 })
      clock.advance(60_000)
      expect((await two.mr.sending.send(task('four'))).message.sequence).toBe(3)
    })

    it('what other programs write against the specification is read, answered in its form and acknowledged once', async () => {
      const theirs = { version: '1.1', timestamp: 1_767_268_800, payload: { task: 'Theirs' }, requires_ack: true }
      await writeForeign('coder-1', 'msg-1767268800-042', theirs)
      const { messages } = await other.claiming.receive('coder-1', { compat: true })
      expect(messages).toMatchObject([{ createdAt: '2026-01-01T12:00:00.000Z' }])
      const answer = { from: 'coder-1', to: 'lead', type: 'result', payload: { status: 'success' } } as const
      const { message } = await mr.sending.send({ ...answer, replyTo: 'msg-1767268800-042', compat: true })
      expect(await written(message.path)).toMatchObject({ version: '1.1', correlation_id: 'msg-1767268800-042' })
      const acked = [
        await mr.settling.ack('coder-1', 'msg-1767268800-042'),
        await other.settling.ack('coder-1', messages[0]!.id),
      ]
      expect(acked.map(({ outcome }) => outcome)).toEqual(['acknowledged', 'unchanged'])
    })
  })
}

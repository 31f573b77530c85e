/** Message Routing as its specification tells it, by the library, on real files. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { heldClock, type OpenOptions, openWorkspace, type Workspace } from '../../src/index.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

let root: string
/** What the user has outside of any workspace. */
let home: string
let workspace: Workspace
let others: Workspace[]

beforeEach(async () => {
  root = tempDir()
  home = tempDir()
  others = []
  workspace = await open()
})
afterEach(async () => {
  for (const one of others) await one.close()
})

/** Opens the workspace once more, as another program would; `settings` are those of `signalbox.yaml`. */
async function open(settings = '', options: OpenOptions = {}): Promise<Workspace> {
  writeFileSync(join(root, 'signalbox.yaml'), settings)
  const opened = await openWorkspace({ root, environment: { XDG_CONFIG_HOME: home }, ...options })
  others.push(opened)
  return opened
}

const place = (...path: string[]) => join(root, 'state/agents', ...path)
const files = (...path: string[]) => readdirSync(place(...path)).sort()
const linesOf = (...path: string[]) =>
  readFileSync(place(...path), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
const onDisk = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))

const task = (text: string, to = 'coder-1') =>
  ({ from: 'lead', to, type: 'task-delegation', payload: { task: text } }) as const
const result = (to: string, replyTo: string) =>
  ({ from: 'coder-1', to, type: 'result', payload: { status: 'success' }, replyTo }) as const
const idsOf = (messages: readonly { id: string }[]) => messages.map(({ id }) => id)

/** A message as another program writes it: in place of ours, without asking. */
function writeForeign(agent: string, id: string, fields: Record<string, unknown> = {}, name = `${id}.json`): string {
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
  mkdirSync(place(agent, 'inbox'), { recursive: true })
  writeFileSync(place(agent, 'inbox', name), JSON.stringify(message))
  // Old enough that nobody can still be writing it.
  utimesSync(place(agent, 'inbox', name), new Date(Date.now() - 60_000), new Date(Date.now() - 60_000))
  return id
}

describe('routing', () => {
  verifies(
    'MR-4',
    'a message is a whole file in the inbox of its recipient, who need not run, and nowhere else',
    async () => {
      const { mr } = workspace
      const sent = await mr.sending.send({ ...task('Fix the login'), priority: 8, requiresAck: true })
      expect(sent).toMatchObject({ outcome: 'sent', durability: 'process', depth: 1, evicted: [] })
      expect(sent.message.path).toBe(`state/agents/coder-1/inbox/${sent.message.id}.json`)
      expect(files('coder-1', 'inbox')).toEqual([`${sent.message.id}.json`])
      expect(sent.message.id).toMatch(/^msg_[0-9a-f]{8}$/)
      expect(onDisk(sent.message.path)).toEqual({
        version: '1.0.0',
        msg_id: sent.message.id,
        from: 'lead',
        to: 'coder-1',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        sequence: 1,
        type: 'task-delegation',
        requires_ack: true,
        priority: 8,
        payload: { task: 'Fix the login' },
      })
      expect(files('lead').filter((name) => !name.startsWith('.'))).toEqual([])

      // The recipient starts only now, as a program of its own, and somebody removed its folder and made it again.
      const { messages } = await (await open()).mr.claiming.receive('coder-1')
      expect(idsOf(messages)).toEqual([sent.message.id])
      rmSync(place('coder-1'), { recursive: true })
      expect((await mr.sending.send(task('Once more'))).outcome).toBe('sent')
      expect(files('coder-1', 'inbox')).toHaveLength(1)
    },
  )

  verifies('MR-1c', 'a message over 10 KB is refused with its size and the limit, and uses up no number', async () => {
    const { mr } = workspace
    const sending = mr.sending.send(task('x'.repeat(11_000)))
    await expect(sending).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE', exit: 2, details: { largest: 10_240 } })
    await expect(sending).rejects.toThrow(/has 11\d{3} bytes; 10240 is the most/)
    expect((await mr.sending.send(task('short'))).message.sequence).toBe(1)
  })

  verifies(['MR-2a', 'MR-2b'], 'numbers count for each pair, start over on request, and a gap is told', async () => {
    const { mr } = workspace
    await mr.agents.init('lead')
    const numbers = []
    for (const to of ['coder-1', 'coder-1', 'coder-2', 'coder-1']) {
      numbers.push((await mr.sending.send(task('Anything', to))).message.sequence)
    }
    expect(numbers).toEqual([1, 2, 1, 3])
    expect(readFileSync(place('lead', '.sequences', 'coder-1'), 'utf8').trim()).toBe('3')
    const [second] = (await mr.claiming.receive('coder-1', { peek: true, limit: 2 })).messages.slice(1)
    rmSync(join(root, second!.path))
    const received = await mr.claiming.receive('coder-1')
    expect(received.messages.map(({ sequence }) => sequence)).toEqual([1, 3])
    expect(received.gaps).toEqual([{ from: 'lead', first: 2, last: 2, count: 1 }])

    expect(await mr.agents.init('lead', { reset: true })).toMatchObject({ outcome: 'reset', sequencesReset: 2 })
    await mr.sending.send(task('From the beginning'))
    const again = await mr.claiming.receive('coder-1')
    expect(again.messages.map(({ sequence }) => sequence)).toEqual([1])
    expect({ gaps: again.gaps, restarts: again.restarts }).toEqual({ gaps: [], restarts: [{ from: 'lead', after: 3 }] })
  })

  verifies(
    ['MR-3', 'MR-3b'],
    'they come by the moment they mean, equal ones by number; or the most urgent first',
    async () => {
      const { mr } = workspace
      const at = (timestamp: string, sequence: number, priority = 5) => ({ timestamp, sequence, priority })
      // 13:30+02:00 is before 12:00Z, although its text sorts behind.
      writeForeign('coder-1', 'msg_00000003', at('2026-01-01T12:00:00.000Z', 2))
      writeForeign('coder-1', 'msg_00000004', at('2026-01-01T12:00:00Z', 1, 9))
      writeForeign('coder-1', 'msg_00000002', at('2026-01-01T13:30:00.000+02:00', 3))
      writeForeign('coder-1', 'msg_00000001', at('2026-01-01T09:00:00.000-05:00', 4, 0))
      const ids = async (order: 'time' | 'priority') =>
        idsOf((await mr.claiming.receive('coder-1', { peek: true, order })).messages)
      expect(await ids('time')).toEqual(['msg_00000002', 'msg_00000004', 'msg_00000003', 'msg_00000001'])
      expect(await ids('priority')).toEqual(['msg_00000004', 'msg_00000002', 'msg_00000003', 'msg_00000001'])
      expect(idsOf((await mr.claiming.receive('coder-1', { limit: 2 })).messages)).toEqual([
        'msg_00000002',
        'msg_00000004',
      ])
    },
  )

  verifies(
    'MR-11',
    'a broadcast reaches everybody but its sender, each with an id and a number of its own',
    async () => {
      const { mr } = workspace
      for (const agent of ['lead', 'coder-1', 'coder-2', 'coder-3']) await mr.agents.init(agent)
      await mr.sending.send(task('Before it', 'coder-2'))
      const { outcome, sent, failed } = await mr.sending.broadcast({
        from: 'lead',
        type: 'command',
        payload: { action: 'pause' },
      })
      expect({ outcome, failed }).toEqual({ outcome: 'sent', failed: [] })
      expect(sent.map(({ message }) => [message.to, message.sequence])).toEqual([
        ['coder-1', 1],
        ['coder-2', 2],
        ['coder-3', 1],
      ])
      expect(new Set(sent.map(({ message }) => message.id)).size).toBe(3)
      expect((await mr.overview.statusOf('lead')).depth).toBe(0)
    },
  )
})

describe('replies', () => {
  verifies('MR-5', 'whoever awaits a reply is woken by it at once, and other messages stay', async () => {
    const { mr } = workspace
    const { message } = await mr.sending.send({
      from: 'lead',
      to: 'coder-1',
      type: 'task-delegation',
      payload: { task: 'Ask' },
    })
    const other = await (await open()).mr.sending.send({
      from: 'coder-2',
      to: 'lead',
      type: 'heartbeat',
      payload: { health: 'healthy' },
    })
    const replier = await open()
    const delays: number[] = []
    for (let round = 0; round < 3; round++) {
      const waiting = mr.claiming.awaitReply('lead', message.id, { waitMs: 60_000 })
      const startedAt = performance.now()
      const reply = await replier.mr.sending.send(result('lead', message.id))
      const replied = await waiting
      delays.push(performance.now() - startedAt)
      expect(replied).toMatchObject({
        outcome: 'received',
        message: { id: reply.message.id, correlationId: message.id },
      })
    }
    // Without events a waiting reader would look every two seconds.
    expect(delays.sort((a, b) => a - b)[1]).toBeLessThan(1500)
    expect(files('lead', 'inbox')).toEqual([`${other.message.id}.json`])
    expect(await mr.claiming.awaitReply('lead', message.id, { waitMs: 1 })).toEqual({ outcome: 'nothing' })
  })

  verifies('MR-5', 'an acknowledgement is given once, and what lacks one is listed on both sides', async () => {
    const { mr } = workspace
    const { message } = await mr.sending.send({ ...task('Confirm'), requiresAck: true })
    await mr.sending.send(task('No need to confirm'))
    expect(await mr.settling.unacked('lead')).toMatchObject([{ direction: 'sent', id: message.id, to: 'coder-1' }])
    await mr.claiming.receive('coder-1')
    expect(await mr.settling.unacked('coder-1')).toMatchObject([{ direction: 'taken', id: message.id, from: 'lead' }])
    const acknowledged = await Promise.all(
      [mr, (await open()).mr, (await open()).mr].map((one) => one.settling.ack('coder-1', message.id)),
    )
    expect(acknowledged.map(({ outcome }) => outcome).sort()).toEqual(['acknowledged', 'unchanged', 'unchanged'])
    const { messages } = await mr.claiming.receive('lead')
    expect(messages).toMatchObject([{ type: 'status-update', correlationId: message.id, from: 'coder-1' }])
    expect([await mr.settling.unacked('lead'), await mr.settling.unacked('coder-1')]).toEqual([[], []])
    await expect(mr.settling.ack('coder-1', 'msg_00000000')).rejects.toMatchObject({ exit: 3 })
  })
})

describe('what is no message', () => {
  verifies(['MR-6', 'MR-6b'], 'is logged, set aside, never delivered, and stops nothing', async () => {
    const { mr } = workspace
    const good = (await mr.sending.send(task('Good'))).message.id
    writeForeign('coder-1', 'msg_000000aa', { type: 'status_update', timestamp: undefined })
    writeForeign('coder-1', 'msg_000000bb', {}, 'msg_000000cc.json')
    writeForeign('coder-1', 'msg_000000dd', { to: 'coder-2' })
    writeForeign('coder-1', 'msg_000000ee', { version: '2.0.0' })
    const { messages, rejected } = await mr.claiming.receive('coder-1')
    expect(idsOf(messages)).toEqual([good])
    expect(rejected.map(({ file, code }) => [file, code])).toEqual([
      ['msg_000000aa.json', 'VALIDATION_FAILED'],
      ['msg_000000cc.json', 'NAME_MISMATCH'],
      ['msg_000000dd.json', 'WRONG_INBOX'],
      ['msg_000000ee.json', 'UNSUPPORTED_VERSION'],
    ])
    expect(linesOf('coder-1', 'error.log')[0]).toEqual({
      error: 'VALIDATION_FAILED',
      msg_id: 'msg_000000aa',
      issues: [
        expect.stringMatching(/^Missing required field: timestamp/),
        expect.stringMatching(/^Invalid type: expected .*, got 'status_update'$/),
      ],
      action: 'Message discarded, logged to error.log',
      at: expect.any(String),
      file: 'rejected/msg_000000aa.json',
    })
    expect(files('coder-1', 'rejected')).toHaveLength(4)
    expect(await mr.recovering.list('coder-1', 'rejected')).toHaveLength(4)
    expect(await mr.claiming.receive('coder-1')).toMatchObject({ outcome: 'nothing', rejected: [] })
  })

  verifies(
    ['MR-10', 'MR-10b'],
    'another major version is refused; a newer minor one is read with all its fields',
    async () => {
      const { mr } = workspace
      writeForeign('coder-1', 'msg_000000aa', { version: '2.0.0' })
      writeForeign('coder-1', 'msg_000000bb', { version: '1.9.3', colour: { of: 'the moon' } })
      const { messages, rejected } = await mr.claiming.receive('coder-1')
      expect(messages.map(({ message }) => [message.version, message.colour])).toEqual([['1.9.3', { of: 'the moon' }]])
      expect(rejected).toMatchObject([{ code: 'UNSUPPORTED_VERSION', issues: [expect.stringMatching(/2\.0\.0/)] }])
    },
  )

  verifies(['MR-1a', 'MR-1b', 'MR-1e'], 'a bad payload is refused when sent and reported when received', async () => {
    const { mr } = workspace
    const payload = { status: 'done', progress: 1.5 }
    const sending = mr.sending.send({ from: 'coder-1', to: 'lead', type: 'status-update', payload })
    await expect(sending).rejects.toMatchObject({ code: 'VALIDATION_FAILED', exit: 2 })
    await expect(sending).rejects.toThrow(
      /payload\.status.*payload\.progress: expected a number from 0\.0 to 1\.0, got 1\.5/,
    )
    writeForeign('lead', 'msg_000000aa', { type: 'status-update', payload })
    const [message] = (await mr.claiming.receive('lead')).messages
    expect(message?.problems).toHaveLength(2)
    expect(message?.notes.join()).toMatch(/usually goes from agent to coordinator/)
  })
})

describe('a full inbox', () => {
  verifies(
    ['MR-7a', 'MR-7c'],
    'lets its oldest go before the new one comes; that is logged and can be undone',
    async () => {
      const { mr } = await open('mr:\n  inboxLimit: 3\n')
      const sent = []
      for (const text of ['one', 'two', 'three', 'four', 'five']) sent.push(await mr.sending.send(task(text)))
      const [one, two, three, , five] = sent.map(({ message }) => message.id)
      expect(sent.map(({ evicted, depth }) => [evicted, depth])).toEqual([
        [[], 1],
        [[], 2],
        [[], 3],
        [[one], 3],
        [[two], 3],
      ])
      expect(linesOf('coder-1', 'evictions.log')).toMatchObject([
        { event: 'evicted', recipient: 'coder-1', count: 3, msg_id: one },
        { event: 'evicted', recipient: 'coder-1', count: 3, msg_id: two },
      ])
      expect(new Set(idsOf(await mr.recovering.list('coder-1', 'evicted')))).toEqual(new Set([one, two]))
      // Room is made for what comes back, too.
      expect(await mr.recovering.recover('coder-1', one!)).toMatchObject({ outcome: 'recovered', from: 'evicted' })
      expect((await mr.recovering.list('coder-1', 'evicted')).some(({ id }) => id === three)).toBe(true)
      const { messages } = await mr.claiming.receive('coder-1')
      expect(idsOf(messages)).toEqual([one, sent[3]!.message.id, five])
    },
  )

  verifies('MR-7a', 'a surplus that others left goes at the next receive', async () => {
    const { mr } = await open('mr:\n  inboxLimit: 3\n')
    for (const n of [1, 2, 3, 4, 5]) {
      writeForeign('coder-1', `msg_0000000${n}`, { sequence: n })
      utimesSync(place('coder-1', 'inbox', `msg_0000000${n}.json`), new Date(1_000_000 * n), new Date(1_000_000 * n))
    }
    const { evicted, messages } = await mr.claiming.receive('coder-1')
    expect([evicted, idsOf(messages)]).toEqual([
      ['msg_00000001', 'msg_00000002'],
      ['msg_00000003', 'msg_00000004', 'msg_00000005'],
    ])
  })
})

describe('delivery', () => {
  verifies(
    'MR-13',
    'is at most once among many readers; peeking takes nothing; a person can bring a message back',
    async () => {
      const { mr } = workspace
      const sent = []
      for (let n = 0; n < 30; n++) sent.push((await mr.sending.send(task(`Task ${n}`))).message.id)
      const before = await mr.claiming.receive('coder-1', { peek: true })
      expect([idsOf(before.messages), before.messages[0]?.state]).toEqual([sent, 'inbox'])
      const readers = await Promise.all([1, 2, 3, 4].map(() => open()))
      const taken = (await Promise.all(readers.map((reader) => reader.mr.claiming.receive('coder-1')))).flatMap(
        (one) => one.messages,
      )
      expect(idsOf(taken).sort()).toEqual([...sent].sort())
      expect(await mr.claiming.receive('coder-1')).toMatchObject({ outcome: 'nothing' })

      expect(await mr.recovering.list('coder-1', 'taken')).toHaveLength(30)
      expect(await mr.recovering.recover('coder-1', sent[7]!)).toMatchObject({ outcome: 'recovered', from: 'taken' })
      expect(await mr.recovering.recover('coder-1', sent[7]!)).toMatchObject({ outcome: 'unchanged' })
      expect(idsOf((await mr.claiming.receive('coder-1')).messages)).toEqual([sent[7]])
      await expect(mr.recovering.recover('coder-1', 'msg_00000000')).rejects.toMatchObject({
        code: 'NO_SUCH_MESSAGE',
        exit: 3,
      })
    },
  )

  verifies('MR-4b', 'that fails is logged for the sender, said with the reason, and not tried again', async () => {
    const { mr } = workspace
    await mr.agents.init('lead')
    // A disk that refuses is hard to come by as root; a file in the way refuses everybody.
    mkdirSync(place('coder-1'), { recursive: true })
    writeFileSync(place('coder-1', 'inbox'), '')
    await expect(mr.sending.send(task('Lost'))).rejects.toMatchObject({ code: 'DELIVERY_FAILED', exit: 8 })
    expect(linesOf('lead', 'error.log')).toMatchObject([
      { error: 'DELIVERY_FAILED', action: 'Message discarded, not tried again', issues: [expect.any(String)] },
    ])
    expect(readFileSync(place('coder-1', 'inbox'), 'utf8')).toBe('')
  })
})

describe('what is measured', () => {
  verifies(
    ['MR-8', 'MR-8b'],
    'has the names of the specification, counts all processes, and raises alerts',
    async () => {
      const { mr } = await open('mr:\n  inboxLimit: 3\n  alertDepth: 2\n')
      for (const text of ['one', 'two', 'three', 'four']) await mr.sending.send(task(text))
      const other = await open('mr:\n  inboxLimit: 3\n  alertDepth: 2\n')
      await other.mr.claiming.receive('coder-1', { limit: 1 })
      await other.mr.sending.send(task('five'))
      await other.close()
      const { metrics, prometheus, alerts } = await mr.overview.metrics()
      expect(metrics).toMatchObject({
        message_write_latency_ms: { count: 5, p99: expect.any(Number) },
        message_read_latency_ms: { count: 1 },
        inbox_depth: { 'coder-1': 3, lead: 0 },
        eviction_count: 1,
      })
      expect(prometheus).toMatch(/^# TYPE message_write_latency_ms histogram$/m)
      expect(prometheus).toMatch(/^message_write_latency_ms_bucket\{le="\+Inf"\} 5$/m)
      expect(prometheus).toMatch(/^message_read_latency_ms_count 1$/m)
      expect(prometheus).toMatch(/^inbox_depth\{agent="coder-1"\} 3$/m)
      expect(prometheus).toMatch(/^eviction_count 1$/m)
      // A busy machine may raise those about latency as well.
      expect(alerts.filter(({ metric }) => metric === 'inbox_depth')).toEqual([
        {
          metric: 'inbox_depth',
          value: 3,
          threshold: 2,
          agent: 'coder-1',
          message: 'The inbox of coder-1 holds 3 messages; the alert is at more than 2.',
        },
      ])
    },
  )

  verifies('MR-8b', 'unless configured the alert is at more than 80 messages', async () => {
    const { mr } = workspace
    for (let n = 0; n < 81; n++) await mr.sending.send(task(`Task ${n}`))
    // A busy machine may raise the others as well.
    const aboutDepth = async () => (await mr.overview.metrics()).alerts.filter(({ metric }) => metric === 'inbox_depth')
    expect(await aboutDepth()).toMatchObject([{ value: 81, threshold: 80 }])
    await mr.claiming.receive('coder-1', { limit: 1 })
    expect(await aboutDepth()).toEqual([])
  })
})

describe('on request', () => {
  verifies('MR-12', 'messages are signed: a forged, altered or copied one is refused and logged', async () => {
    const { mr } = await open('mr:\n  signing: require\n')
    await expect(mr.sending.send(task('Unsigned'))).rejects.toMatchObject({ code: 'NO_KEY', exit: 6 })
    const keys = await mr.keys()
    expect((await keys.generate('lead')).outcome).toBe('created')
    const { message } = await mr.sending.send(task('Signed'))
    const signed = onDisk(message.path)
    expect(signed.signature).toMatchObject({ algorithm: 'ed25519' })
    expect(idsOf((await mr.claiming.receive('coder-1')).messages)).toEqual([message.id])

    writeForeign('coder-1', 'msg_000000aa', { from: 'lead' })
    const { message: second } = await mr.sending.send(task('To be altered'))
    writeForeign('coder-1', second.id, { ...onDisk(second.path), payload: { task: 'Altered' } })
    const { messages, rejected } = await mr.claiming.receive('coder-1')
    expect(messages).toEqual([])
    expect(rejected.map(({ code }) => code).sort()).toEqual(['BAD_SIGNATURE', 'UNSIGNED'])
    renameSync(place('coder-1', 'taken', `${message.id}.json`), place('coder-1', 'inbox', `${message.id}.json`))
    expect((await mr.claiming.receive('coder-1')).rejected).toMatchObject([{ code: 'REPLAYED' }])
    expect(linesOf('coder-1', 'error.log').map(({ error }) => error)).toContain('REPLAYED')
  })

  verifies('MR-12', 'payloads are encrypted to their recipient, and opened whatever the settings are', async () => {
    const { mr } = await open('mr:\n  encryption: true\n')
    await (await mr.keys()).generate('coder-1')
    const { message } = await mr.sending.send(task('A secret'))
    expect(readFileSync(join(root, message.path), 'utf8')).not.toContain('A secret')
    const reader = await open('')
    expect((await reader.mr.claiming.receive('coder-1')).messages[0]?.message.payload).toEqual({ task: 'A secret' })
  })

  verifies('MR-12', 'a sender is limited in rate', async () => {
    const clock = heldClock(Date.now())
    const { mr } = await open('mr:\n  messagesPerMinute: 2\n', { clock })
    await mr.sending.send(task('one'))
    await mr.sending.send(task('two'))
    await expect(mr.sending.send(task('three'))).rejects.toMatchObject({ code: 'RATE_LIMITED', exit: 8 })
    clock.advance(60_000)
    expect((await mr.sending.send(task('four'))).message.sequence).toBe(3)
  })

  it('keys lie in a directory of the user, also of a shared workspace, or where the environment says', async () => {
    const settings = 'permissions: group\nmr:\n  signing: sign\n'
    const shared = await open(settings)
    await (await shared.mr.keys()).generate('lead')
    const [workspace = ''] = readdirSync(join(home, 'signalbox/workspaces'))
    const ring = join(home, 'signalbox/workspaces', workspace, 'keys')
    expect(readdirSync(join(ring, 'private')).sort()).toEqual(['lead.age', 'lead.pem'])
    expect(statSync(join(ring, 'private')).mode & 0o777).toBe(0o700)
    expect(existsSync(join(root, '.signalbox/state/keys'))).toBe(false)
    const own = tempDir()
    const { mr } = await open(settings, { environment: { SIGNALBOX_MR_KEYS: own } })
    await (await mr.keys()).generate('lead')
    expect(readdirSync(join(own, 'keys/private')).sort()).toEqual(['lead.age', 'lead.pem'])
    expect(onDisk((await mr.sending.send(task('Signed'))).message.path).signature).toBeDefined()
  })

  it('what other programs write against the specification is read, and told', async () => {
    const { mr } = workspace
    const theirs = { version: '1.1', timestamp: 1_767_268_800, payload: { task: 'Theirs' } }
    writeForeign('coder-1', 'msg-1767268800-042', theirs)
    expect((await mr.claiming.receive('coder-1', { peek: true })).rejected).toHaveLength(1)
    const { messages } = await mr.claiming.receive('coder-1', { compat: true })
    expect(messages).toMatchObject([{ createdAt: '2026-01-01T12:00:00.000Z', id: expect.stringMatching(/^msg_/) }])
    expect(messages[0]?.notes.join('\n')).toMatch(/version 1\.1 read as 1\.1\.0/)
  })

  it('and is answered in the form in which it was written, by their id or by ours', async () => {
    const { mr } = workspace
    const theirs = { version: '1.1', timestamp: 1_767_268_800, payload: { task: 'Theirs' } }
    writeForeign('coder-1', 'msg-1767268800-042', theirs)
    const { messages } = await mr.claiming.receive('coder-1', { compat: true })
    const answer = { from: 'coder-1', to: 'lead', type: 'result', payload: { status: 'success' } } as const
    for (const replyTo of ['msg-1767268800-042', messages[0]!.id]) {
      const { message } = await mr.sending.send({ ...answer, replyTo, compat: true })
      expect(message.path).toMatch(/^state\/agents\/lead\/inbox\/msg-\d+-\d{3}\.json$/)
      const written = onDisk(message.path)
      expect(written).toMatchObject({ version: '1.1', correlation_id: 'msg-1767268800-042', type: 'result' })
      expect(written.timestamp).toEqual(expect.any(Number))
      expect(`${written.msg_id}.json`).toBe(message.path.split('/').at(-1))
    }
    const read = await mr.claiming.receive('lead', { compat: true })
    expect(read.messages.map(({ correlationId }) => correlationId)).toEqual([messages[0]!.id, messages[0]!.id])
    await expect(mr.sending.send({ ...answer, replyTo: 'msg-1-1', compat: true })).rejects.toMatchObject({
      code: 'NO_SUCH_MESSAGE',
    })
  })

  it('is acknowledged once, in that form, owed until then, and can be taken back and recovered under signing', async () => {
    const { mr } = await open('mr:\n  signing: sign\n')
    const theirs = { version: '1.1', timestamp: 1_767_268_800, payload: { task: 'Theirs' }, requires_ack: true }
    writeForeign('coder-1', 'msg-1767268800-042', theirs)
    const [received] = (await mr.claiming.receive('coder-1', { compat: true })).messages
    expect(await mr.settling.unacked('coder-1')).toMatchObject([{ direction: 'taken', id: received!.id }])
    const acked = await mr.settling.ack('coder-1', 'msg-1767268800-042')
    expect(acked.outcome).toBe('acknowledged')
    expect(onDisk(acked.message.path)).toMatchObject({ correlation_id: 'msg-1767268800-042', type: 'status-update' })
    // Neither by our id nor after the memory of it was lost is it given twice.
    expect((await mr.settling.ack('coder-1', received!.id)).outcome).toBe('unchanged')
    rmSync(join(root, 'state/agents/coder-1/.acked'), { recursive: true })
    expect((await mr.settling.ack('coder-1', received!.id)).outcome).toBe('unchanged')
    expect(await mr.settling.unacked('coder-1')).toEqual([])
    expect((await mr.recovering.recover('coder-1', 'msg-1767268800-042')).outcome).toBe('recovered')
    const again = await mr.claiming.receive('coder-1', { compat: true })
    expect([again.messages.map(({ id }) => id), again.rejected]).toEqual([[received!.id], []])
    await expect(mr.settling.ack('coder-1', 'nonsense')).rejects.toMatchObject({ code: 'INVALID_MESSAGE_ID' })
  })

  it('while a message of the specification is answered as the specification has it', async () => {
    const { mr } = workspace
    const asked = (await mr.sending.send(task('Plain'))).message
    await mr.claiming.receive(asked.to)
    const { message } = await mr.sending.send({
      from: asked.to,
      to: asked.from,
      type: 'result',
      payload: { status: 'success' },
      replyTo: asked.id,
      compat: true,
    })
    expect(onDisk(message.path)).toMatchObject({ version: '1.0.0', msg_id: message.id, correlation_id: asked.id })
  })
})

it('is one object, and nothing is made before it is asked', async () => {
  expect(workspace.mr).toBe(workspace.mr)
  expect((await workspace.mr.agents.known()).names).toEqual([])
  expect(readdirSync(root)).toEqual(['signalbox.yaml'])
})

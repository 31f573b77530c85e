import fs from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import {
  AgentFolder,
  command,
  foreignMessage,
  heartbeat,
  type MrBox,
  memoryMr,
  mrOn,
  openMr,
} from '../../../../test/support/message-routing.ts'
import { tempDir } from '../../../../test/support/temp.ts'
import { heldClock } from '../../../kernel/clock.ts'
import { unavailable } from '../../../kernel/errors.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import type { Tree } from '../../../tree/tree.ts'
import type { Hooks } from '../hooks.ts'

const open: MrBox[] = []
async function openBox(options: Parameters<typeof openMr>[1] = {}) {
  const root = tempDir()
  const box = await openMr(root, options)
  open.push(box)
  return { ...box, root, coder: new AgentFolder(root, 'coder-1') }
}
afterEach(async () => {
  for (const box of open.splice(0)) await box.close()
})

/** A tree one of whose verbs fails. */
const failingTree = (tree: Tree, verb: keyof Tree, why: () => Error): Tree =>
  new Proxy(tree, {
    get(target, name) {
      if (name === verb) return () => Promise.reject(why())
      const value = Reflect.get(target, name) as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

const ids = (views: readonly { readonly id: string }[]) => views.map(({ id }) => id)

describe('receiving', () => {
  it('[MR-13] moves each message to taken/ and hands it out once', async () => {
    const { mr, root, coder } = await openBox()
    const sent = [await mr.sending.send(command('coder-1')), await mr.sending.send(command('coder-1'))]
    const first = await mr.claiming.receive('coder-1')
    expect(first).toMatchObject({ outcome: 'received', depth: 0, rejected: [], gaps: [], restarts: [] })
    expect(ids(first.messages)).toEqual(sent.map(({ message }) => message.id))
    expect(first.messages[0]!.message).toEqual(sent[0]!.message.message)
    expect([coder.names('inbox'), coder.names('taken').length]).toEqual([[], 2])
    const other = await openMr(root)
    open.push(other)
    expect(await other.mr.claiming.receive('coder-1')).toMatchObject({ outcome: 'nothing', messages: [] })
    expect(ids(await other.mr.recovering.list('coder-1', 'taken')).sort()).toEqual(ids(first.messages).sort())
  })

  it('[MR-13][X-odd] takes nothing while what it must write afterwards is in the way', async () => {
    const { mr, coder } = await openBox()
    await mr.sending.send(command('coder-1'))
    coder.put('bad.json', 'no')
    for (const name of ['taken', 'rejected', 'error.log', '.awaiting', '.received.json']) {
      const path = join(coder.path, name)
      fs.symlinkSync('/nowhere', path)
      await expect(mr.claiming.receive('coder-1')).rejects.toMatchObject({
        code: expect.stringMatching(/^NOT_A_/),
        exit: 5,
        message: expect.stringContaining(path),
        hint: expect.stringMatching(/^Move it away/),
      })
      expect(coder.names('inbox')).toHaveLength(2)
      fs.unlinkSync(path)
    }
    expect(await mr.claiming.receive('coder-1')).toMatchObject({ messages: [{}], rejected: [{}], notices: [] })
  })

  it('[MR-13][X-odd] hands out what it has taken, and tells what went wrong afterwards', async () => {
    const box = memoryMr()
    const sent = await box.mr.sending.send(command('coder-1'))
    const full = unavailable('DISK_FULL', 'The disk is full.')
    const { mr } = mrOn(failingTree(box.tree, 'create', () => full))
    const received = await mr.claiming.receive('coder-1')
    expect(ids(received.messages)).toEqual([sent.message.id])
    expect(received.notices).toEqual([
      'Their numbers were not noted, and may be reported as missing: The disk is full.',
    ])
  })

  it('[MR-13][X-odd] puts back what could not be judged, and hands out what was taken before it', async () => {
    const box = memoryMr()
    const sent = [await box.mr.sending.send(command('coder-1')), await box.mr.sending.send(command('coder-1'))]
    let left = 0
    const open: Hooks['open'] = async ({ message }) => {
      if (left-- > 0) return { outcome: 'opened', message }
      throw unavailable('DISK_FULL', 'The disk is full.')
    }
    const { mr } = mrOn(box.tree, { hooks: { open } })
    await expect(mr.claiming.receive('coder-1')).rejects.toMatchObject({ code: 'DISK_FULL' })
    expect((await mr.overview.statusOf('coder-1')).depth).toBe(2)
    left = 1
    const received = await mr.claiming.receive('coder-1')
    expect(ids(received.messages)).toEqual([sent[0]!.message.id])
    expect(received).toMatchObject({ depth: 1, notices: ['The rest is still in the inbox: The disk is full.'] })
    left = 2
    expect(ids((await mr.claiming.receive('coder-1')).messages)).toEqual([sent[1]!.message.id])
  })

  it('[MR-13] peeks without taking, logging or remembering anything', async () => {
    const { mr, coder } = await openBox()
    await mr.sending.send(command('coder-1'))
    coder.put('bad.json', 'no')
    for (let i = 0; i < 2; i++) {
      const peeked = await mr.claiming.receive('coder-1', { peek: true })
      expect(peeked).toMatchObject({
        outcome: 'received',
        messages: [{ state: 'inbox' }],
        rejected: [{ file: 'bad.json' }],
      })
    }
    expect(coder.names('.')).toEqual(['inbox'])
    expect(coder.names('inbox').length).toBe(2)
  })

  it('[MR-3][MR-3b] hands out by moment and number, or by priority on request, up to a limit', async () => {
    const { mr, coder } = await openBox()
    const put = (n: number, more: object) => coder.put(`msg_0000000${n}.json`, foreignMessage(`msg_0000000${n}`, more))
    const fill = () => {
      put(4, { timestamp: '2025-10-06T14:00:00.002Z', sequence: 9, priority: 7 })
      put(3, { timestamp: '2025-10-06T16:00:00.001+02:00', sequence: 8 })
      put(2, { timestamp: '2025-10-06T14:00:00.001Z', sequence: 7 })
      put(1, { timestamp: '2025-10-06T09:00:00-05:00', sequence: 6, priority: 1 })
    }
    fill()
    const peeked = await mr.claiming.receive('coder-1', { peek: true, order: 'priority' })
    expect(ids(peeked.messages).map((id) => id.slice(-1))).toEqual(['4', '2', '3', '1'])
    expect(ids((await mr.claiming.receive('coder-1', { limit: 3 })).messages).map((id) => id.slice(-1))).toEqual([
      '1',
      '2',
      '3',
    ])
    expect(ids((await mr.claiming.receive('coder-1')).messages)).toEqual(['msg_00000004'])
  })

  it.each([0, -1, 1.5])('refuses the limit %j', async (limit) => {
    await expect(memoryMr().mr.claiming.receive('coder-1', { limit })).rejects.toMatchObject({ code: 'INVALID_LIMIT' })
  })

  it('[MR-1d] fills in defaults and keeps unknown fields', async () => {
    const { mr, coder } = await openBox()
    coder.put(
      'msg_00000001.json',
      foreignMessage('msg_00000001', { correlation_id: null, version: '1.9.0', trace: { a: [1] } }),
    )
    const [view] = (await mr.claiming.receive('coder-1')).messages
    expect(view).toMatchObject({
      requiresAck: false,
      priority: 5,
      correlationId: undefined,
      summary: 'pause',
      problems: [],
    })
    expect(view!.message).toEqual({ ...foreignMessage('msg_00000001'), version: '1.9.0', trace: { a: [1] } })
  })

  it('reports what is wrong with a payload, an oversized file and an unusual direction, and delivers', async () => {
    const { mr, coder } = await openBox()
    coder.put(
      'msg_00000001.json',
      foreignMessage('msg_00000001', { payload: { action: 'explode', pad: 'x'.repeat(11_000) } }),
    )
    const [view] = (await mr.claiming.receive('coder-1')).messages
    expect(view!.problems[0]).toContain("Invalid payload.action: expected one of 'start'")
    expect(view!.problems[1]).toMatch(/^The message has 11\d+ bytes; 10240 is the most$/)
    expect(view!.notes).toEqual([
      'A command usually goes from coordinator to agent; this one goes from agent to agent.',
    ])
  })
})

describe('files that are no messages', () => {
  it('[MR-6][MR-6b] are set aside and logged in the shape of the specification, and stop no other', async () => {
    const { mr, coder } = await openBox()
    await mr.sending.send(command('coder-1'))
    coder.put('msg_00000001.json', foreignMessage('msg_00000001', { timestamp: undefined, type: 'status_update' }))
    coder.put('msg_00000002.json', foreignMessage('msg_99999999'))
    coder.put('msg_00000003.json', foreignMessage('msg_00000003', { to: 'coder-2' }))
    coder.put('msg_00000004.json', foreignMessage('msg_00000004', { version: '2.0.0' }))
    coder.put('zzz.json', '{"half":')
    coder.put('huge.json', Buffer.alloc(2 * 1024 * 1024, 0x20))
    const { messages, rejected } = await mr.claiming.receive('coder-1')
    expect(messages.length).toBe(1)
    expect(rejected.map(({ file, code }) => `${file} ${code}`).sort()).toEqual([
      'huge.json MESSAGE_TOO_LARGE',
      'msg_00000001.json VALIDATION_FAILED',
      'msg_00000002.json NAME_MISMATCH',
      'msg_00000003.json WRONG_INBOX',
      'msg_00000004.json UNSUPPORTED_VERSION',
      'zzz.json VALIDATION_FAILED',
    ])
    expect(coder.names('inbox')).toEqual([])
    expect(coder.names('rejected').length).toBe(6)
    const line = coder.lines('error.log').find(({ msg_id }) => msg_id === 'msg_00000001')
    expect(line).toEqual({
      error: 'VALIDATION_FAILED',
      msg_id: 'msg_00000001',
      issues: [
        'Missing required field: timestamp, expected a time with a zone, such as 2025-10-06T14:32:15.234Z',
        "Invalid type: expected one of 'status-update', 'task-delegation', 'result', 'command', 'heartbeat', got 'status_update'",
      ],
      action: 'Message discarded, logged to error.log',
      at: expect.any(String),
      file: 'rejected/msg_00000001.json',
    })
    expect(coder.lines('error.log').length).toBe(6)
    expect(await mr.claiming.receive('coder-1')).toMatchObject({ outcome: 'nothing', rejected: [] })
  })

  it('[MR-6] that are links, folders, temporary files or locks of others are left alone', async () => {
    const { mr, coder } = await openBox()
    for (const name of ['msg_00000001.tmp', 'x.lock', '.hidden.json']) coder.put(name, 'x')
    fs.symlinkSync('/etc/hostname', join(coder.path, 'inbox/link.json'))
    fs.mkdirSync(join(coder.path, 'inbox/folder.json'))
    fs.writeFileSync(join(coder.path, 'inbox', 'line\nbreak.json'), '{}')
    fs.writeFileSync(join(coder.path, 'inbox', `${'x'.repeat(230)}.json`), '{}')
    const before = coder.names('inbox')
    await mr.sending.send(command('coder-1'))
    const received = await mr.claiming.receive('coder-1')
    expect([received.messages.length, received.rejected]).toEqual([1, []])
    expect(coder.names('inbox')).toEqual(before)
    expect((await mr.inspect()).map(({ code }) => code)).toEqual(Array(4).fill('STRANGE_FILE'))
  })

  it('[MR-6] that somebody is still writing are waited for a moment', async () => {
    const { mr, coder } = await openBox({ settings: { settleMs: 2000 } })
    const whole = JSON.stringify(foreignMessage('msg_00000001'))
    coder.put('msg_00000001.json', whole.slice(0, 50), Date.now())
    const receiving = mr.claiming.receive('coder-1')
    // Its first look has seen half a file by the time this runs.
    await new Promise((resolve) => setImmediate(resolve))
    coder.put('msg_00000001.json', whole)
    expect(ids((await receiving).messages)).toEqual(['msg_00000001'])
    expect(coder.names('rejected')).toEqual([])
  })

  it('[MR-13] among them a copy of a message that was handed out before', async () => {
    const { mr, coder } = await openBox()
    coder.put('msg_00000001.json', foreignMessage('msg_00000001'))
    expect((await mr.claiming.receive('coder-1')).messages.length).toBe(1)
    coder.put('msg_00000001.json', foreignMessage('msg_00000001'))
    const again = await mr.claiming.receive('coder-1')
    expect(again).toMatchObject({ messages: [], rejected: [{ code: 'DUPLICATE', msgId: 'msg_00000001' }] })
    expect([coder.names('taken'), coder.names('rejected')]).toEqual([['msg_00000001.json'], ['msg_00000001.json']])
  })

  it('[MR-13] what is handed out is what moved, whatever was read before', async () => {
    const { mr, coder } = await openBox()
    coder.put('msg_00000001.json', foreignMessage('msg_00000001', { payload: { action: 'pause' } }))
    coder.put('msg_00000002.json', foreignMessage('msg_00000002', { timestamp: '2026-01-01T00:00:00Z' }))
    // The second is read now, remembered, and changed by its sender before it is taken.
    expect((await mr.claiming.receive('coder-1', { limit: 1 })).messages.length).toBe(1)
    coder.put('msg_00000002.json', foreignMessage('msg_00000002', { payload: { action: 'stop' } }))
    expect((await mr.claiming.receive('coder-1')).messages[0]!.summary).toBe('stop')
    coder.put('msg_00000003.json', foreignMessage('msg_00000003'))
    coder.put('msg_00000004.json', foreignMessage('msg_00000004', { timestamp: '2026-01-01T00:00:00Z' }))
    await mr.claiming.receive('coder-1', { limit: 1 })
    coder.put('msg_00000004.json', 'not any more')
    expect(await mr.claiming.receive('coder-1')).toMatchObject({
      messages: [],
      rejected: [{ file: 'msg_00000004.json' }],
    })
  })
})

describe('an inbox over its limit', () => {
  it('[MR-7a] loses its surplus when it is read, oldest first, and not when it is looked at', async () => {
    const { mr, coder } = await openBox({ settings: { inboxLimit: 3 } })
    for (let i = 1; i <= 5; i++)
      coder.put(`msg_0000000${i}.json`, foreignMessage(`msg_0000000${i}`), Date.now() - 1e6 + i * 1000)
    await mr.claiming.receive('coder-1', { peek: true })
    expect(coder.names('evicted')).toEqual([])
    const { evicted, messages } = await mr.claiming.receive('coder-1')
    expect([evicted, messages.length]).toEqual([['msg_00000001', 'msg_00000002'], 3])
    expect(coder.lines('evictions.log').map(({ msg_id, count }) => [msg_id, count])).toEqual([
      ['msg_00000001', 5],
      ['msg_00000002', 4],
    ])
  })
})

describe('an id that is used twice', () => {
  it('[MR-13] is no reason to drop another message; what says the same is a copy', async () => {
    const { mr, coder } = await openBox()
    const put = (more: object) => coder.put('msg_00000001.json', foreignMessage('msg_00000001', more))
    const receive = async () => {
      const { messages, rejected } = await mr.claiming.receive('coder-1')
      return [...messages.map(({ path }) => path.split('/').at(-1)), ...rejected.map(({ code }) => code)]
    }
    put({})
    expect(await receive()).toEqual(['msg_00000001.json'])
    put({ sequence: 2 })
    expect(await receive()).toEqual(['msg_00000001~2.json'])
    for (const more of [{}, { sequence: 2 }]) {
      put(more)
      expect(await receive()).toEqual(['DUPLICATE'])
    }
    put({ sequence: 3 })
    expect(await receive()).toEqual(['msg_00000001~3.json'])
    expect((await mr.claiming.receive('coder-1')).gaps).toEqual([])
    // Back in the inbox it is under its own name, and may be handed out once more.
    expect(await mr.recovering.recover('coder-1', 'msg_00000001~2')).toMatchObject({
      path: 'state/agents/coder-1/inbox/msg_00000001.json',
    })
    expect(await receive()).toEqual(['msg_00000001~2.json'])
  })
})

describe('numbers', () => {
  it('[MR-2b] that are missing are reported once, and a message that comes late is no news', async () => {
    const { mr, coder } = await openBox({ settings: { inboxLimit: 4 } })
    for (let i = 0; i < 6; i++) await mr.sending.send(heartbeat('coder-1', { from: 'tester-1' }))
    const first = await mr.claiming.receive('coder-1')
    expect(first.gaps).toEqual([{ from: 'tester-1', first: 1, last: 2, count: 2 }])
    await mr.sending.send(heartbeat('coder-1', { from: 'tester-1' }))
    expect((await mr.claiming.receive('coder-1')).gaps).toEqual([])
    await mr.recovering.recover('coder-1', coder.names('evicted')[0]!.slice(0, -5))
    expect(await mr.claiming.receive('coder-1')).toMatchObject({ outcome: 'received', gaps: [], restarts: [] })
  })

  it('[MR-2b] that fall to 1 are a restart, not a loss', async () => {
    const { mr } = memoryMr()
    for (let i = 0; i < 3; i++) await mr.sending.send(command('coder-1'))
    await mr.claiming.receive('coder-1')
    await mr.agents.init('coordinator-main', { reset: true })
    await mr.sending.send(command('coder-1'))
    expect(await mr.claiming.receive('coder-1')).toMatchObject({
      gaps: [],
      restarts: [{ from: 'coordinator-main', after: 3 }],
    })
    await mr.sending.send(command('coder-1'))
    expect(await mr.claiming.receive('coder-1')).toMatchObject({ gaps: [], restarts: [] })
  })

  it('[MR-2b] that are lost after a restart are told, though the ones before it lie in taken/', async () => {
    const clock = heldClock()
    const { mr, tree } = memoryMr({ clock })
    const send = async () => {
      clock.advance(10)
      return (await mr.sending.send(command('coder-1'))).message
    }
    const lose = async () => tree.remove(treePath((await send()).path))
    const restart = async () => {
      clock.advance(10)
      await mr.agents.init('coordinator-main', { reset: true })
    }
    const receive = async () => {
      const { gaps, restarts } = await mr.claiming.receive('coder-1')
      return { gaps: gaps.map(({ first, last }) => [first, last]), restarts: restarts.map(({ after }) => after) }
    }
    for (let i = 0; i < 3; i++) await send()
    expect(await receive()).toEqual({ gaps: [], restarts: [] })
    await restart()
    await send()
    expect(await receive()).toEqual({ gaps: [], restarts: [3] })
    await lose()
    await send()
    await send()
    expect(await receive()).toEqual({ gaps: [[2, 2]], restarts: [] })
    // The new number 1 is lost itself.
    await restart()
    await lose()
    await send()
    expect(await receive()).toEqual({ gaps: [[1, 1]], restarts: [4] })
    // All that had come before is lost too, so that the numbers alone look as if they went on.
    await restart()
    await lose()
    await lose()
    await send()
    expect(await receive()).toEqual({ gaps: [[1, 2]], restarts: [2] })
  })

  it('[MR-2b] of a restart that nobody announced are told by their times', async () => {
    const { mr, coder } = await openBox()
    const numbered = (n: number, minute: number) => {
      const id = `msg_000000${minute}`
      const timestamp = `2026-01-01T00:${minute}:00.000Z`
      coder.put(`${id}.json`, foreignMessage(id, { sequence: n, timestamp }))
    }
    for (const [n, minute] of [
      [1, 10],
      [2, 11],
      [3, 12],
    ] as const)
      numbered(n, minute)
    await mr.claiming.receive('coder-1')
    numbered(2, 20)
    expect(await mr.claiming.receive('coder-1')).toMatchObject({
      gaps: [{ first: 1, last: 1 }],
      restarts: [{ after: 3 }],
    })
  })

  it('[MR-2b] of messages that wait, or that a reader took before it died, are not missing', async () => {
    const { mr, tree } = memoryMr()
    for (let i = 0; i < 4; i++) await mr.sending.send(command('coder-1', { priority: i }))
    expect((await mr.claiming.receive('coder-1', { order: 'priority', limit: 1 })).gaps).toEqual([])
    // Taken, but the reader was killed before it noted the number.
    const { id } = (await mr.claiming.receive('coder-1', { peek: true, order: 'priority', limit: 1 })).messages[0]!
    await tree.move(`state/agents/coder-1/inbox/${id}.json` as never, `state/agents/coder-1/taken/${id}.json` as never)
    await mr.claiming.receive('coder-1')
    await mr.sending.send(command('coder-1'))
    expect((await mr.claiming.receive('coder-1')).gaps).toEqual([])
    expect((await mr.recovering.list('coder-1', 'taken')).length).toBe(5)
  })

  it('a damaged memory of them is started over', async () => {
    const { mr, coder } = await openBox()
    await mr.sending.send(command('coder-1'))
    for (const damage of ['{', '[]', '{"senders":{"coordinator-main":{"last":"x"},"__proto__":3}}']) {
      fs.writeFileSync(join(coder.path, '.received.json'), damage)
      await mr.sending.send(command('coder-1'))
      expect((await mr.claiming.receive('coder-1')).outcome).toBe('received')
    }
  })
})

describe('waiting', () => {
  it('wakes when a message arrives', async () => {
    const { mr } = await openBox()
    await mr.agents.init('coder-1')
    const waiting = mr.claiming.receive('coder-1', { waitMs: 60_000 })
    const { message } = await mr.sending.send(command('coder-1'))
    expect(ids((await waiting).messages)).toEqual([message.id])
  })

  it('ends when its time is up or it is told to, with what was rejected meanwhile', async () => {
    const { mr, coder } = await openBox()
    coder.put('bad.json', 'no')
    expect(await mr.claiming.receive('coder-1', { waitMs: 30 })).toMatchObject({
      outcome: 'nothing',
      rejected: [{ file: 'bad.json' }],
    })
    const stop = new AbortController()
    const waiting = mr.claiming.receive('coder-1', { waitMs: 600_000, signal: stop.signal })
    stop.abort()
    expect((await waiting).outcome).toBe('nothing')
  })

  it('whoever went away has taken nothing: before it began, while it waited, and in the middle of taking', async () => {
    const { mr } = memoryMr()
    const gone = AbortSignal.abort()
    await mr.sending.send(heartbeat('coder-2'))
    expect(await mr.claiming.receive('coder-2', { signal: gone })).toMatchObject({ outcome: 'nothing', messages: [] })
    expect(await mr.claiming.receive('coder-2', { signal: gone, waitMs: 60_000 })).toMatchObject({ messages: [] })
    const leaving = new AbortController()
    const { mr: slow } = memoryMr({
      hooks: {
        open: async ({ message }) => {
          leaving.abort()
          return { outcome: 'opened', message }
        },
      },
    })
    const { message } = await slow.sending.send(heartbeat('coder-2'))
    expect(await slow.claiming.receive('coder-2', { signal: leaving.signal })).toMatchObject({
      outcome: 'nothing',
      messages: [],
    })
    expect(await slow.recovering.list('coder-2', 'taken')).toEqual([])
    const again = await slow.claiming.receive('coder-2')
    expect([again.messages.map(({ id }) => id), again.gaps]).toEqual([[message.id], []])
  })

  it('[MR-5] takes the reply to a message and leaves the rest', async () => {
    const { mr } = await openBox()
    const { message } = await mr.sending.send(command('coder-1'))
    expect(await mr.claiming.awaitReply('coordinator-main', message.id)).toEqual({ outcome: 'nothing' })
    const waiting = mr.claiming.awaitReply('coordinator-main', message.id, { waitMs: 60_000 })
    await mr.sending.send(heartbeat('coordinator-main'))
    const reply = await mr.sending.send({
      from: 'coder-1',
      to: 'coordinator-main',
      type: 'result',
      payload: { status: 'success' },
      replyTo: message.id,
    })
    expect(await waiting).toMatchObject({
      outcome: 'received',
      message: { id: reply.message.id, correlationId: message.id },
    })
    expect((await mr.claiming.receive('coordinator-main')).messages.map(({ type }) => type)).toEqual(['heartbeat'])
  })
})

describe('hooks', () => {
  it('refuse a message before it has a number, and set aside what does not open', async () => {
    let isOpen = true
    const clock = heldClock()
    const { mr } = memoryMr({
      clock,
      hooks: {
        admit: async (from) =>
          from === 'mallory'
            ? { outcome: 'refused', code: 'RATE_LIMITED', reason: 'Too many.', hint: 'Wait.', retryAfterMs: 5 }
            : undefined,
        seal: async (message) => ({ outcome: 'sealed', message: { ...message, seal: 'yes' } }),
        open: async ({ message }) => {
          if (!isOpen) return { outcome: 'rejected', code: 'BAD_SIGNATURE', issues: ['The signature is wrong'] }
          const { seal, ...rest } = message
          return { outcome: 'opened', message: rest as typeof message, notes: [`The seal says ${seal}.`] }
        },
      },
    })
    await expect(mr.sending.send(command('coder-1', { from: 'mallory' }))).rejects.toMatchObject({
      kind: 'Unavailable',
      code: 'RATE_LIMITED',
      details: { retryAfterMs: 5 },
    })
    await mr.sending.send(command('coder-1'))
    const [view] = (await mr.claiming.receive('coder-1')).messages
    expect([view!.notes, 'seal' in view!.message, view!.sequence]).toEqual([['The seal says yes.'], false, 1])
    isOpen = false
    await mr.sending.send(command('coder-1'))
    expect(await mr.claiming.receive('coder-1')).toMatchObject({
      outcome: 'nothing',
      rejected: [{ code: 'BAD_SIGNATURE' }],
    })
    expect((await mr.recovering.list('coder-1', 'taken')).length).toBe(1)
    expect((await mr.recovering.list('coder-1', 'rejected')).length).toBe(1)
  })

  it('are told what is measured, by its name in the specification', async () => {
    const seen = new Set<string>()
    const { mr } = memoryMr({
      settings: { inboxLimit: 1 },
      hooks: { observe: (metric, value, agent) => seen.add(`${metric} ${agent} ${value >= 0}`) },
    })
    await mr.sending.send(command('coder-1'))
    await mr.sending.send(command('coder-1'))
    await mr.claiming.receive('coder-1')
    expect([...seen].sort()).toEqual([
      'eviction_count coder-1 true',
      'inbox_depth coder-1 true',
      'message_read_latency_ms coder-1 true',
      'message_write_latency_ms coder-1 true',
    ])
  })
})

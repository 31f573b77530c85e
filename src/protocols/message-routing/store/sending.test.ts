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
  withIds,
} from '../../../../test/support/message-routing.ts'
import { tempDir } from '../../../../test/support/temp.ts'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { heldClock } from '../../../kernel/clock.ts'
import type { Entry, TimedEntry, Tree } from '../../../tree/tree.ts'

const open: MrBox[] = []
const opened = (box: MrBox): MrBox => {
  open.push(box)
  return box
}
afterEach(async () => {
  for (const box of open.splice(0)) await box.close()
})

describe('sending', () => {
  it('[MR-4] writes one whole file into the inbox, as the specification has it, and keeps no copy', async () => {
    const root = tempDir()
    const clock = heldClock(Date.UTC(2025, 9, 6, 14, 32, 15, 234))
    const { mr } = opened(await openMr(root, { clock }))
    const { outcome, message, depth, durability } = await mr.sending.send(
      command('coder-1', { requiresAck: true, priority: 10 }),
    )
    expect([outcome, depth, durability]).toEqual(['sent', 1, 'process'])
    const coder = new AgentFolder(root, 'coder-1')
    expect(message.id).toMatch(/^msg_[a-f0-9]{8}$/)
    expect(coder.names('inbox')).toEqual([`${message.id}.json`])
    expect(coder.read(`inbox/${message.id}.json`)).toBe(
      `{
  "version": "1.0.0",
  "msg_id": "${message.id}",
  "from": "coordinator-main",
  "to": "coder-1",
  "timestamp": "2025-10-06T14:32:15.234Z",
  "sequence": 1,
  "type": "command",
  "requires_ack": true,
  "priority": 10,
  "payload": {
    "action": "pause"
  }
}`,
    )
    const sender = new AgentFolder(root, 'coordinator-main')
    expect(sender.names('.')).toEqual(['.awaiting', '.sequences'])
    expect(sender.read(`.awaiting/${message.id}`)).not.toContain('payload')
  })

  it('[MR-2a] counts for each recipient from 1, in the file that the specification names', async () => {
    const root = tempDir()
    const { mr } = opened(await openMr(root))
    const numbers: number[] = []
    for (const to of ['a', 'b', 'a', 'a', 'b']) numbers.push((await mr.sending.send(heartbeat(to))).message.sequence)
    expect(numbers).toEqual([1, 1, 2, 3, 2])
    expect(new AgentFolder(root, 'coder-1').read('.sequences/a')).toBe('3\n')
  })

  it('[MR-2a] goes on from the number that another program wrote', async () => {
    const root = tempDir()
    const { mr } = opened(await openMr(root))
    fs.mkdirSync(join(root, 'state/agents/coder-1/.sequences'), { recursive: true })
    fs.writeFileSync(join(root, 'state/agents/coder-1/.sequences/a'), '41')
    expect((await mr.sending.send(heartbeat('a'))).message.sequence).toBe(42)
  })

  it('a counter that holds no number is a matter for a person, and nothing is sent', async () => {
    const root = tempDir()
    const { mr } = opened(await openMr(root))
    fs.mkdirSync(join(root, 'state/agents/coder-1/.sequences'), { recursive: true })
    fs.writeFileSync(join(root, 'state/agents/coder-1/.sequences/a'), 'many')
    await expect(mr.sending.send(heartbeat('a'))).rejects.toMatchObject({ kind: 'Corrupt', code: 'BAD_SEQUENCE' })
    expect(new AgentFolder(root, 'a').names('inbox')).toEqual([])
    expect((await mr.inspect()).map(({ code }) => code)).toEqual(['BAD_SEQUENCE'])
  })

  it('[MR-2b] begins at 1 again when a sender is initialised anew, and only then', async () => {
    const { mr } = memoryMr()
    await mr.sending.send(heartbeat('a'))
    await mr.sending.send(heartbeat('b'))
    expect(await mr.agents.init('coder-1')).toMatchObject({ outcome: 'created', sequencesReset: 0 })
    expect((await mr.sending.send(heartbeat('a'))).message.sequence).toBe(2)
    expect(await mr.agents.init('coder-1', { reset: true })).toMatchObject({ outcome: 'reset', sequencesReset: 2 })
    expect((await mr.sending.send(heartbeat('a'))).message.sequence).toBe(1)
    expect(await mr.agents.init('coder-1')).toMatchObject({ outcome: 'unchanged' })
  })

  it('[MR-4] makes a missing inbox and says that it did', async () => {
    const { mr } = memoryMr()
    expect((await mr.sending.send(heartbeat('coordinator-x'))).notices).toEqual([
      'coordinator-x was not known here; its inbox was made.',
    ])
    expect((await mr.sending.send(heartbeat('coordinator-x'))).notices).toEqual([])
  })

  it('[MR-1e] notes an unusual direction and sends all the same', async () => {
    const { mr } = memoryMr()
    await mr.agents.init('coder-2')
    const { outcome, notices } = await mr.sending.send(command('coder-2', { from: 'coder-1' }))
    expect([outcome, notices]).toEqual([
      'sent',
      ['A command usually goes from coordinator to agent; this one goes from agent to agent.'],
    ])
  })

  it.each(['../x', 'A', '', 'a/b'])('refuses the name %j before anything is written', async (name) => {
    const { mr, tree } = memoryMr()
    await expect(mr.sending.send(heartbeat(name))).rejects.toMatchObject({ code: 'INVALID_AGENT_ID' })
    await expect(mr.sending.send(heartbeat('a', { from: name }))).rejects.toMatchObject({ code: 'INVALID_AGENT_ID' })
    expect(await tree.list('' as never)).toEqual([])
  })

  it('[MR-4b] logs a write that fails, does not try it again, and gives the sender the reason', async () => {
    const root = tempDir()
    const { mr } = opened(await openMr(root))
    fs.mkdirSync(join(root, 'state/agents/coder-1'), { recursive: true })
    // A file where the inbox should be: every write fails, also for the superuser.
    fs.writeFileSync(join(root, 'state/agents/coder-1/inbox'), 'in the way')
    const failed = mr.sending.send(command('coder-1'))
    await expect(failed).rejects.toMatchObject({ kind: 'Unavailable', code: 'DELIVERY_FAILED', exit: 8 })
    const [line, ...others] = new AgentFolder(root, 'coordinator-main').lines('error.log')
    expect(others).toEqual([])
    expect(line).toMatchObject({
      error: 'DELIVERY_FAILED',
      msg_id: expect.stringMatching(/^msg_/),
      action: 'Message discarded, not tried again',
    })
    expect(line!.issues).toEqual([expect.stringContaining('Could not write to the inbox of coder-1')])
    // And nobody is said to owe an acknowledgement for it.
    expect(await mr.settling.unacked('coordinator-main')).toEqual([])
  })

  it('gives a message another id when its own is taken, and replaces nothing', async () => {
    const ids = ['msg_00000001', 'msg_00000001', 'msg_00000002']
    const { mr, tree } = memoryMr()
    await tree.create('state/agents/a/inbox/msg_00000001.json' as never, Buffer.from('{}'))
    await withIds(ids, async () => {
      expect((await mr.sending.send(heartbeat('a'))).message).toMatchObject({ id: 'msg_00000002', sequence: 1 })
    })
    const first = await tree.read('state/agents/a/inbox/msg_00000001.json' as never)
    expect(Buffer.from(first!.bytes).toString()).toBe('{}')
    // One that was handed out already would be taken for a copy.
    await tree.move(
      'state/agents/a/inbox/msg_00000002.json' as never,
      'state/agents/a/taken/msg_00000002.json' as never,
    )
    await withIds(['msg_00000002', 'msg_00000003'], async () => {
      expect((await mr.sending.send(heartbeat('a'))).message.id).toBe('msg_00000003')
    })
  })

  it('warns above twenty agents and refuses nobody', async () => {
    const { mr } = memoryMr()
    for (let i = 0; i < 20; i++) expect((await mr.agents.init(`agent-${i}`)).notices).toEqual([])
    const warning = ['There are 21 agents; the protocol expects at most 20.']
    expect((await mr.agents.init('agent-20')).notices).toEqual(warning)
    expect((await mr.overview.status()).notices).toEqual(warning)
    expect((await mr.sending.send(heartbeat('agent-3'))).outcome).toBe('sent')
  })
})

describe('broadcasting', () => {
  it('[MR-11] reaches every known agent but the sender, each with its own number and id', async () => {
    const { mr } = memoryMr()
    for (const agent of ['coordinator-main', 'coder-1', 'coder-2', 'tester-1']) await mr.agents.init(agent)
    await mr.sending.send(command('coder-2'))
    const { from, type, payload } = command('')
    const { outcome, sent, failed } = await mr.sending.broadcast({ from, type, payload })
    expect(outcome).toBe('sent')
    expect(sent.map(({ message: { to, sequence } }) => [to, sequence])).toEqual([
      ['coder-1', 1],
      ['coder-2', 2],
      ['tester-1', 1],
    ])
    expect(new Set(sent.map(({ message }) => message.id)).size).toBe(3)
    expect(failed).toEqual([])
  })

  it('[MR-11] tells who could not be reached, and reaches the others', async () => {
    const root = tempDir()
    const { mr } = opened(await openMr(root))
    for (const agent of ['coder-1', 'coder-3']) await mr.agents.init(agent)
    fs.mkdirSync(join(root, 'state/agents/coder-2'))
    fs.writeFileSync(join(root, 'state/agents/coder-2/inbox'), '')
    const { from, type, payload } = command('')
    const { sent, failed } = await mr.sending.broadcast({ from, type, payload })
    expect(sent.map(({ message }) => message.to)).toEqual(['coder-1', 'coder-3'])
    expect(failed.map(({ to, code }) => [to, code])).toEqual([['coder-2', 'DELIVERY_FAILED']])
  })

  it('[MR-11] to nobody is an outcome; a mistake in it is one error', async () => {
    const { mr } = memoryMr()
    const { from, type, payload } = command('')
    expect((await mr.sending.broadcast({ from, type, payload })).outcome).toBe('nobody')
    await expect(mr.sending.broadcast({ from, type, payload: {} })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
  })
})

describe('beside another program that counts for the same sender', () => {
  it('[MR-2a] leaves its lock files alone, and no counter is out of order for them', async () => {
    const root = tempDir()
    const { mr, close } = await openMr(root)
    await mr.sending.send(command('coder-1'))
    const lock = join(root, 'state/agents/coordinator-main/.sequences/coder-1.lock')
    fs.writeFileSync(lock, '')
    expect((await mr.sending.send(command('coder-1'))).message.sequence).toBe(2)
    expect(await mr.inspect()).toEqual([])
    expect(await mr.agents.init('coordinator-main', { reset: true })).toMatchObject({ sequencesReset: 1 })
    expect(fs.existsSync(lock)).toBe(true)
    await close()
  })

  it('[MR-2a] reads and writes a counter under its lock, so that no number is given out twice', async () => {
    const steps: string[] = []
    const counting = openMemoryTree()
    const tree: Tree = Object.assign(counting, {
      async besideLock<T>(lock: string, work: () => Promise<T>): Promise<T> {
        steps.push(lock)
        const done = await work()
        steps.push('released')
        return done
      },
    })
    const { mr } = mrOn(tree)
    await mr.sending.send(command('coder-1'))
    await mr.agents.init('coordinator-main', { reset: true })
    const lock = 'state/agents/coordinator-main/.sequences/coder-1.lock'
    expect(steps).toEqual([lock, 'released', lock, 'released'])
  })

  it('[MR-2a] waits while it writes a counter, which is empty for a moment', async () => {
    const root = tempDir()
    const { mr, close } = await openMr(root)
    await mr.sending.send(command('coder-1'))
    const counter = join(root, 'state/agents/coordinator-main/.sequences/coder-1')
    fs.writeFileSync(counter, '')
    const sending = mr.sending.send(command('coder-1'))
    setTimeout(() => fs.writeFileSync(counter, '7\n'), 20)
    expect((await sending).message.sequence).toBe(8)
    await close()
  })
})

describe('a full inbox', () => {
  it('[MR-7a][MR-7c] evicts the oldest by modification time, ties by name, into evicted/ and one line of a log', async () => {
    const root = tempDir()
    const { mr } = opened(await openMr(root, { settings: { inboxLimit: 3 } }))
    const coder = new AgentFolder(root, 'coder-1')
    const old = Date.now() - 1_000_000
    coder.put('msg_0000000b.json', foreignMessage('msg_0000000b'), old)
    coder.put('msg_0000000a.json', foreignMessage('msg_0000000a'), old)
    coder.put('msg_0000000c.json', foreignMessage('msg_0000000c', { timestamp: '2020-01-01T00:00:00Z' }), old + 1000)
    const { evicted, depth } = await mr.sending.send(command('coder-1'))
    expect([evicted, depth]).toEqual([['msg_0000000a'], 3])
    expect(coder.names('inbox').length).toBe(3)
    expect(coder.names('evicted')).toEqual(['msg_0000000a.json'])
    await mr.sending.send(command('coder-1'))
    expect(coder.lines('evictions.log')).toMatchObject([
      { recipient: 'coder-1', count: 3, msg_id: 'msg_0000000a' },
      { recipient: 'coder-1', count: 3, msg_id: 'msg_0000000b' },
    ])
    expect((await mr.recovering.list('coder-1', 'evicted')).map(({ id }) => id).sort()).toEqual([
      'msg_0000000a',
      'msg_0000000b',
    ])
  })

  it('[MR-7a] counts regular *.json files only', async () => {
    const root = tempDir()
    const { mr } = opened(await openMr(root, { settings: { inboxLimit: 2 } }))
    const coder = new AgentFolder(root, 'coder-1')
    for (const name of ['a.tmp', 'b.lock', '.c.json', 'd.json.lock']) coder.put(name, '')
    fs.mkdirSync(join(coder.path, 'inbox/folder.json'))
    fs.symlinkSync('/etc/hostname', join(coder.path, 'inbox/link.json'))
    await mr.sending.send(command('coder-1'))
    expect((await mr.sending.send(command('coder-1'))).evicted).toEqual([])
    expect((await mr.sending.send(command('coder-1'))).evicted.length).toBe(1)
    expect(coder.names('inbox')).toEqual(expect.arrayContaining(['a.tmp', 'b.lock', 'folder.json', 'link.json']))
  })

  it('[MR-7a] evicts a surplus of other programs at the next send', async () => {
    const root = tempDir()
    const { mr } = opened(await openMr(root, { settings: { inboxLimit: 5 } }))
    const coder = new AgentFolder(root, 'coder-1')
    for (let i = 10; i < 22; i++)
      coder.put(`msg_000000${i}.json`, foreignMessage(`msg_000000${i}`), Date.now() - 1e6 + i)
    expect((await mr.inspect()).map(({ code }) => code)).toEqual(['INBOX_OVERFULL'])
    const { evicted, depth } = await mr.sending.send(command('coder-1'))
    expect([evicted.length, evicted[0], depth, coder.names('inbox').length]).toEqual([8, 'msg_00000010', 5, 5])
    expect(coder.lines('evictions.log').map(({ count }) => count)).toEqual([12, 11, 10, 9, 8, 7, 6, 5])
  })

  it('[MR-7b] costs one listing of names a send, and times only at the limit, each once', async () => {
    const counted = countingTree()
    const { mr } = mrOn(counted.tree, { settings: { inboxLimit: 20 } })
    await mr.agents.init('a')
    for (let i = 0; i < 20; i++) {
      counted.reset()
      await mr.sending.send(heartbeat('a'))
      expect(counted.counts.lists, `send ${i}`).toBe(1)
      expect(counted.counts.timedLists).toBe(0)
      // The folder of a new agent is looked at, and whether the id was used before.
      expect(counted.counts.looks).toBeLessThanOrEqual(2)
    }
    counted.reset()
    await mr.sending.send(heartbeat('a'))
    expect(counted.counts).toMatchObject({ lists: 1, timedLists: 0 })
    expect(counted.counts.looks).toBeLessThanOrEqual(20 + 2)
    for (let i = 0; i < 10; i++) {
      counted.reset()
      await mr.sending.send(heartbeat('a'))
      expect(counted.counts).toMatchObject({ lists: 1, timedLists: 0 })
      expect(counted.counts.looks, `full, send ${i}`).toBeLessThanOrEqual(4)
    }
  })

  it('[MR-7c] loses nothing when a file that is evicted has a namesake there', async () => {
    const root = tempDir()
    const { mr } = opened(await openMr(root, { settings: { inboxLimit: 1 } }))
    const coder = new AgentFolder(root, 'coder-1')
    for (const n of [1, 2]) {
      coder.put('msg_0000000a.json', foreignMessage('msg_0000000a', { sequence: n }))
      await mr.sending.send(command('coder-1'))
      fs.rmSync(join(coder.path, 'inbox'), { recursive: true })
    }
    expect(coder.names('evicted')).toEqual(['msg_0000000a.json', 'msg_0000000a~2.json'])
  })
})

/** A tree that counts how often an inbox is listed and anything is looked at. */
function countingTree() {
  const tree = openMemoryTree()
  const counts = { lists: 0, timedLists: 0, looks: 0 }
  const counted = new Proxy(tree, {
    get(target, key: keyof Tree) {
      const verb = target[key]
      if (typeof verb !== 'function') return verb
      return (...values: never[]) => {
        if (key === 'list' && String(values[0]).endsWith('/inbox')) counts[values[1] ? 'timedLists' : 'lists']++
        if (key === 'look') counts.looks++
        return (verb as (...all: never[]) => Promise<Entry[] | TimedEntry[]>).apply(target, values)
      }
    },
  })
  const reset = () => Object.assign(counts, { lists: 0, timedLists: 0, looks: 0 })
  return { tree: counted, counts, reset }
}

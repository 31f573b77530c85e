import fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  AgentFolder,
  command,
  foreignMessage,
  heartbeat,
  memoryMr,
  openMr,
  withIds,
} from '../../../../test/support/message-routing.ts'
import { tempDir } from '../../../../test/support/temp.ts'
import { heldClock } from '../../../kernel/clock.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import { agentId } from '../layout.ts'
import { defaultSettings } from '../settings.ts'
import { pruneKept } from './pruning.ts'

describe('recovering', () => {
  it('[MR-13] puts a taken message back, to be handed out once more', async () => {
    const { mr } = memoryMr()
    const { message } = await mr.sending.send(command('coder-1'))
    await mr.claiming.receive('coder-1')
    expect(await mr.recovering.recover('coder-1', message.id)).toMatchObject({ outcome: 'recovered', from: 'taken' })
    expect(await mr.recovering.recover('coder-1', message.id)).toMatchObject({ outcome: 'unchanged', from: 'inbox' })
    expect(await mr.claiming.receive('coder-1')).toMatchObject({
      messages: [{ id: message.id }],
      gaps: [],
      restarts: [],
    })
    expect((await mr.claiming.receive('coder-1')).outcome).toBe('nothing')
  })

  it('[MR-7c] puts an evicted message back as the youngest, within the limit', async () => {
    const clock = heldClock()
    const { mr } = memoryMr({ clock, settings: { inboxLimit: 2 } })
    const sent: string[] = []
    for (let i = 0; i < 3; i++) {
      sent.push((await mr.sending.send(heartbeat('coder-2'))).message.id)
      clock.advance(10)
    }
    expect((await mr.recovering.list('coder-2', 'evicted')).map(({ id }) => id)).toEqual([sent[0]])
    expect(await mr.recovering.recover('coder-2', sent[0]!)).toMatchObject({ outcome: 'recovered', from: 'evicted' })
    expect((await mr.recovering.list('coder-2', 'evicted')).map(({ id }) => id)).toEqual([sent[1]])
    clock.advance(10)
    expect((await mr.sending.send(heartbeat('coder-2'))).evicted).toEqual([sent[2]])
  })

  it('[MR-13] puts a rejected message back once it is one, under the name it had', async () => {
    const root = tempDir()
    const { mr, close } = await openMr(root)
    const coder = new AgentFolder(root, 'coder-1')
    const id = 'msg_0000000c'
    const whole = foreignMessage(id)
    for (const priority of [11, 12]) {
      coder.put(`${id}.json`, { ...whole, priority })
      await mr.claiming.receive('coder-1')
    }
    expect(coder.names('rejected')).toEqual([`${id}.json`, `${id}~2.json`])
    await expect(mr.recovering.recover('coder-1', id)).rejects.toMatchObject({
      code: 'STILL_NO_MESSAGE',
      exit: 5,
      message: expect.stringContaining('Invalid priority'),
    })
    fs.writeFileSync(join(coder.path, 'rejected', `${id}~2.json`), JSON.stringify(whole))
    expect(await mr.recovering.recover('coder-1', `${id}~2`)).toMatchObject({
      outcome: 'recovered',
      from: 'rejected',
      needsCompat: false,
    })
    expect(coder.names('inbox')).toEqual([`${id}.json`])
    expect(await mr.claiming.receive('coder-1')).toMatchObject({ messages: [{ id }], rejected: [] })
    await close()
  })

  it('[MR-13] finds a message of another program by its id and by ours', async () => {
    const root = tempDir()
    const { mr, close } = await openMr(root)
    const coder = new AgentFolder(root, 'coder-1')
    const theirs = 'msg-1767268800-042'
    coder.put(`${theirs}.json`, foreignMessage(theirs, { version: '1.0', timestamp: 1_767_268_800 }))
    const { messages } = await mr.claiming.receive('coder-1', { compat: true })
    expect(await mr.recovering.list('coder-1', 'taken')).toMatchObject([
      { id: theirs, message: { id: messages[0]!.id } },
    ])
    for (const id of [theirs, messages[0]!.id]) {
      expect(await mr.recovering.recover('coder-1', id)).toMatchObject({ outcome: 'recovered', from: 'taken' })
      expect((await mr.claiming.receive('coder-1', { compat: true })).messages.length).toBe(1)
    }
    await close()
  })

  it.each(['msg_00000000', '../../x', 'a/b', ''])('says that %j is not there', async (id) => {
    await expect(memoryMr().mr.recovering.recover('coder-1', id)).rejects.toMatchObject({
      kind: 'NotFound',
      code: 'NO_SUCH_MESSAGE',
    })
  })
})

describe('keeping', () => {
  it('[MR-7c] removes nothing from an inbox, however old', async () => {
    const clock = heldClock()
    const box = memoryMr({ clock })
    const { message } = await box.mr.sending.send(command('coder-1'))
    await box.mr.sending.send(command('coder-1'))
    await box.mr.claiming.receive('coder-1', { limit: 1 })
    clock.advance(defaultSettings.keepMs + 1)
    const parts = { tree: box.tree, settings: defaultSettings, root: treePath(defaultSettings.root) }
    await pruneKept(parts, agentId('coder-1'), 'taken')
    expect((await box.mr.recovering.list('coder-1', 'taken')).map(({ id }) => id)).not.toContain(message.id)
    expect((await box.mr.claiming.receive('coder-1')).messages.length).toBe(1)
  })

  it('[MR-13] happens by itself, when one of about 64 ids comes by', async () => {
    const { mr } = memoryMr({ settings: { keepBytes: 2 * 4096 } })
    const ids = ['msg_00000011', 'msg_00000012', 'msg_00000013', 'msg_00000004', 'msg_00000003']
    await withIds([...ids], async () => {
      for (const id of ids) {
        expect((await mr.sending.send(heartbeat('coder-2'))).message.id).toBe(id)
        await mr.claiming.receive('coder-2')
        expect((await mr.recovering.list('coder-2', 'taken')).length).toBe(
          id === 'msg_00000003' ? 2 : ids.indexOf(id) + 1,
        )
      }
    })
  })
})

describe('what doctor is told', () => {
  it('of files that would be rejected; nothing is changed', async () => {
    const root = tempDir()
    const { mr, close } = await openMr(root)
    const coder = new AgentFolder(root, 'coder-1')
    coder.put('msg_00000001.json', foreignMessage('msg_00000001', { priority: 99 }))
    const [finding, ...others] = await mr.inspect({ repair: true })
    expect(others).toEqual([])
    expect(finding).toMatchObject({ code: 'UNREADABLE_MESSAGE', severity: 'warning', repaired: false })
    expect(finding!.message).toContain('priority')
    expect(coder.names('inbox')).toEqual(['msg_00000001.json'])
    await close()
  })

  it('[MR-7c] of an eviction or a rejection that a crash kept out of its log, and with repair the line is added', async () => {
    const root = tempDir()
    const { mr, close } = await openMr(root, { settings: { inboxLimit: 1 } })
    const coder = new AgentFolder(root, 'coder-1')
    coder.put('msg_00000001.json', foreignMessage('msg_00000001'))
    await mr.sending.send(command('coder-1'))
    await mr.claiming.receive('coder-1')
    coder.put('bad.json', 'no')
    await mr.claiming.receive('coder-1')
    expect(await mr.inspect()).toEqual([])
    for (const log of ['evictions.log', 'error.log']) fs.rmSync(join(coder.path, log), { force: true })
    const codes = async (repair: boolean) =>
      (await mr.inspect({ repair })).map(({ code, repaired }) => `${code} ${repaired}`)
    expect(await codes(false)).toEqual(['MISSING_LOG_LINE false', 'MISSING_LOG_LINE false'])
    expect(await codes(true)).toEqual(['MISSING_LOG_LINE true', 'MISSING_LOG_LINE true'])
    expect(await codes(false)).toEqual([])
    expect(coder.lines('error.log')).toMatchObject([{ error: 'VALIDATION_FAILED', msg_id: 'bad' }])
    await close()
  })
})

describe('validating a file', () => {
  const bytes = (value: unknown) => Buffer.from(JSON.stringify(value))
  it('[MR-1a][MR-1b] says what the schema, the payload, its name and its place have against it', () => {
    const { mr } = memoryMr()
    expect(mr.validate(bytes(foreignMessage('msg_00000001', { from: 'coordinator-x' })))).toMatchObject({
      outcome: 'valid',
      issues: [],
      payloadIssues: [],
      notes: [],
    })
    expect(mr.validate(bytes(foreignMessage('msg_00000001', { sequence: 0 })))).toMatchObject({
      outcome: 'invalid',
      issues: [{ field: 'sequence' }],
    })
    expect(mr.validate(bytes(foreignMessage('msg_00000001', { payload: {} })))).toMatchObject({
      outcome: 'invalid',
      issues: [],
      payloadIssues: [{ field: 'payload.action' }],
    })
    expect(mr.validate(bytes(foreignMessage('msg_00000001')), { fileName: 'other.json' }).issues[0]!.message).toContain(
      'other.json',
    )
    expect(mr.validate(bytes(foreignMessage('msg_00000001')), { agent: 'coder-9' }).issues[0]!.message).toContain(
      'coder-9',
    )
    expect(mr.validate(bytes(foreignMessage('msg_00000001', { version: '9.0.0' }))).issues[0]!.message).toContain(
      '9.0.0',
    )
    expect(mr.validate(bytes(foreignMessage('msg_00000001', { pad: 'x'.repeat(10_240) }))).issues[0]!.message).toMatch(
      /10240 is the most/,
    )
    expect(mr.validate(Buffer.from('{')).issues[0]!.message).toContain('Not valid JSON')
  })
})

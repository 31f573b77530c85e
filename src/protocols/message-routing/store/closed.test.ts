/** A file in an inbox that this user may not read: of another user, or closed by its mode. */
import fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { AgentFolder, command, foreignMessage, mrOn, withIds } from '../../../../test/support/message-routing.ts'
import { strictDisk } from '../../../../test/support/strict-disk.ts'
import { tempDir } from '../../../../test/support/temp.ts'
import { openFileTree } from '../../../engines/file-system/index.ts'

const closed = 'msg_00000000.json'

async function openBox(settings: Parameters<typeof mrOn>[1] = {}) {
  const root = tempDir()
  const box = mrOn(await openFileTree({ root, disk: strictDisk() }), settings)
  const coder = new AgentFolder(root, 'coder-1')
  coder.put(closed, foreignMessage('msg_00000000', { requires_ack: true }))
  fs.chmodSync(join(coder.path, 'inbox', closed), 0)
  return { ...box, coder }
}

const whose = /belongs to \S+.*mode 0000.*chmod/

describe('a file that this user may not read', () => {
  it('[MR-6] stays where it is and is told once; the others are handed out', async () => {
    const { mr, coder } = await openBox()
    const { message } = await mr.sending.send(command('coder-1', { requiresAck: true }))
    const received = await mr.claiming.receive('coder-1')
    expect(received).toMatchObject({
      messages: [{ id: message.id }],
      rejected: [],
      unreadable: [{ path: `state/agents/coder-1/inbox/${closed}`, reason: expect.stringMatching(whose) }],
      toldBefore: [],
      depth: 1,
    })
    expect(coder.names('inbox')).toEqual([closed])
    expect(coder.names('rejected')).toEqual([])
    // Programs are told each time, people once.
    const again = await mr.claiming.receive('coder-1')
    expect(again.toldBefore).toEqual([again.unreadable[0]!.reason])
  })

  it('[MR-6] stops no other command either, and doctor names it', async () => {
    const { mr } = await openBox()
    const { message } = await mr.sending.send(command('coder-1', { requiresAck: true }))
    expect(await mr.overview.statusOf('coder-1')).toMatchObject({
      depth: 2,
      oldest: { id: message.id },
      unreadable: [{}],
    })
    expect((await mr.overview.metrics()).metrics.inbox_depth).toEqual({ 'coder-1': 2, 'coordinator-main': 0 })
    expect(await mr.settling.unacked('coordinator-main')).toMatchObject([{ id: message.id }])
    expect((await mr.claiming.awaitReply('coder-1', 'msg_0000000f')).outcome).toBe('nothing')
    await mr.claiming.receive('coder-1')
    expect((await mr.settling.ack('coder-1', message.id)).outcome).toBe('acknowledged')
    expect(await mr.settling.unacked('coder-1')).toEqual([])
    const findings = await mr.inspect()
    expect(findings).toEqual([
      expect.objectContaining({ code: 'CLOSED_MESSAGE', severity: 'error', hint: expect.stringContaining('chmod') }),
    ])
  })

  it('[MR-7b] makes no room in a full inbox and takes none', async () => {
    const { mr, coder } = await openBox({ settings: { inboxLimit: 2 } })
    const sent = []
    for (let i = 0; i < 3; i++) sent.push(await mr.sending.send(command('coder-1')))
    expect(sent.map(({ evicted }) => evicted)).toEqual([[], [], [sent[0]!.message.id]])
    expect(coder.names('inbox')).toEqual([closed, ...sent.slice(1).map(({ message }) => `${message.id}.json`)].sort())
  })

  it('[MR-7c] is listed with its reason when it was taken or evicted, and stays there', async () => {
    const { mr, coder } = await openBox()
    const { message } = await mr.sending.send(command('coder-1'))
    await mr.claiming.receive('coder-1')
    const path = join(coder.path, 'taken', `${message.id}.json`)
    fs.chmodSync(path, 0)
    expect(await mr.recovering.list('coder-1', 'taken')).toMatchObject([
      { id: message.id, problem: expect.stringMatching(whose) },
    ])
    await expect(mr.recovering.recover('coder-1', message.id)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      exit: 6,
    })
    await expect(mr.settling.ack('coder-1', message.id)).rejects.toMatchObject({ code: 'NO_SUCH_MESSAGE' })
    expect((await mr.inspect()).map(({ code }) => code)).toEqual(['CLOSED_MESSAGE', 'CLOSED_MESSAGE'])
  })
})

describe('a file that is larger than any message', () => {
  it('[MR-6] is never read whole, wherever it lies', async () => {
    const root = tempDir()
    const box = mrOn(await openFileTree({ root }))
    const { mr } = box
    const coder = new AgentFolder(root, 'coder-1')
    const huge = (path: string) => {
      fs.mkdirSync(join(coder.path, path, '..'), { recursive: true })
      fs.writeFileSync(join(coder.path, path), '{"version": "1.0.0", ')
      // More than the engine would read at all.
      fs.truncateSync(join(coder.path, path), 600 * 1024 * 1024)
    }
    const { message } = await withIds(['msg_aaaaaa99'], () =>
      mr.sending.send(command('coder-1', { requiresAck: true })),
    )
    for (const folder of ['inbox', 'taken', 'evicted', 'rejected']) huge(`${folder}/msg_00000009.json`)
    huge('.awaiting/msg_00000009')
    huge('evictions.log')
    huge('.received.json')
    huge('versions.json')
    await expect(mr.sending.send(command('coder-1'))).rejects.toMatchObject({ exit: 5 })
    fs.rmSync(join(coder.path, 'versions.json'))
    expect(await mr.overview.statusOf('coder-1')).toMatchObject({ depth: 2 })
    expect(await mr.settling.unacked('coder-1')).toEqual([])
    for (const list of [
      mr.recovering.list('coder-1', 'taken'),
      mr.recovering.list('coder-1', 'evicted'),
      mr.recovering.list('coder-1', 'rejected'),
    ]) {
      expect(await list).toMatchObject([{ message: undefined }])
    }
    await mr.overview.metrics()
    const received = await mr.claiming.receive('coder-1')
    expect(received).toMatchObject({ messages: [{ id: message.id }], rejected: [{ code: 'MESSAGE_TOO_LARGE' }] })
    expect(received.notices).toEqual([expect.stringContaining('Their numbers were not noted')])
    expect((await mr.settling.ack('coder-1', message.id)).outcome).toBe('acknowledged')
    await expect(mr.recovering.recover('coder-1', 'msg_00000009', { from: 'rejected' })).rejects.toMatchObject({
      code: 'STILL_NO_MESSAGE',
      exit: 5,
    })
    expect((await mr.inspect()).map(({ code }) => code)).not.toContain('INTERNAL')
  })

  it('[MR-7c] does not stop what was kept for long enough from being cleared away', async () => {
    const root = tempDir()
    const { mr } = mrOn(await openFileTree({ root }), { settings: { keepBytes: 0 } })
    const coder = new AgentFolder(root, 'coder-1')
    // An id that ends so is one in 64 at which old messages are cleared away.
    await withIds(['msg_aaaaaa00'], () => mr.sending.send(command('coder-1')))
    fs.mkdirSync(join(coder.path, 'taken'))
    for (const name of ['msg_00000008.json', 'msg_00000009.json'])
      fs.writeFileSync(join(coder.path, 'taken', name), '{')
    fs.truncateSync(join(coder.path, 'taken', 'msg_00000009.json'), 600 * 1024 * 1024)
    expect(await mr.claiming.receive('coder-1')).toMatchObject({ messages: [{ id: 'msg_aaaaaa00' }], notices: [] })
    expect(coder.names('taken')).toEqual([])
  })
})

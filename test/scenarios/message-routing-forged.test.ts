/**
 * Signed Message Routing against files that somebody else put into the folders of agents: whatever counts as an answer,
 * is answered, or speaks for what was handed out is verified like a message that is received. On real files.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openWorkspace, type Workspace } from '../../src/index.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

let root: string
let environment: Record<string, string>
let opened: Workspace[]
beforeEach(() => {
  root = tempDir()
  environment = { XDG_CONFIG_HOME: tempDir() }
  opened = []
})
afterEach(() => Promise.all(opened.map((one) => one.close())))

/** Two agents with keys, in a workspace that signs. */
async function signed(settings = 'signing: require') {
  writeFileSync(join(root, 'signalbox.yaml'), `mr:\n  ${settings}\n`)
  const workspace = await openWorkspace({ root, environment })
  opened.push(workspace)
  const { mr } = workspace
  const keys = await mr.keys()
  for (const agent of ['lead', 'coder']) await keys.generate(agent)
  return mr
}

const place = (...names: string[]) => join(root, 'state/agents', ...names)
const plant = (path: string, content: unknown) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
}
const onDisk = (...names: string[]) => JSON.parse(readFileSync(place(...names), 'utf8'))

const asking = {
  from: 'lead',
  to: 'coder',
  type: 'task-delegation',
  payload: { task: 'Fix' },
  requiresAck: true,
} as const

/** What coder's acknowledgement of a message would say, but not signed. */
const forgedAck = (correlation_id: string, msg_id = 'msg_00000001') => ({
  version: '1.0.0',
  msg_id,
  from: 'coder',
  to: 'lead',
  timestamp: new Date().toISOString(),
  sequence: 1,
  type: 'status-update',
  payload: { status: 'in_progress', message: 'Received' },
  correlation_id,
})
const awaitedBy = async (mr: Workspace['mr'], agent: string) => (await mr.settling.unacked(agent)).map(({ id }) => id)

describe('a forged acknowledgement', () => {
  verifies('MR-12', 'in the inbox crosses nothing off, unread or received', async () => {
    const mr = await signed()
    const { id } = (await mr.sending.send(asking)).message
    plant(place('lead/inbox/msg_00000001.json'), forgedAck(id))
    expect(await awaitedBy(mr, 'lead')).toEqual([id])
    expect((await mr.claiming.receive('lead')).rejected).toMatchObject([{ code: 'UNSIGNED' }])
    expect(await awaitedBy(mr, 'lead')).toEqual([id])
    await mr.claiming.receive('coder')
    await mr.settling.ack('coder', id)
    expect(await awaitedBy(mr, 'lead')).toEqual([])
  })

  verifies('MR-12', 'among what coder is said to have acknowledged crosses nothing off, and gives way', async () => {
    const mr = await signed()
    const [other, { id }] = [(await mr.sending.send(asking)).message, (await mr.sending.send(asking)).message]
    await mr.claiming.receive('coder')
    await mr.settling.ack('coder', other.id)
    const marker = place('coder/.acked', id)
    // Empty, unsigned, and a genuine one of another message.
    for (const content of ['', forgedAck(id), readFileSync(place('coder/.acked', other.id), 'utf8')]) {
      plant(marker, content)
      expect([await awaitedBy(mr, 'lead'), await awaitedBy(mr, 'coder')]).toEqual([[id], [id]])
    }
    expect((await mr.settling.ack('coder', id)).outcome).toBe('acknowledged')
    expect((await mr.settling.ack('coder', id)).outcome).toBe('unchanged')
    expect([await awaitedBy(mr, 'lead'), await awaitedBy(mr, 'coder')]).toEqual([[], []])
    expect(JSON.parse(readFileSync(marker, 'utf8'))).toMatchObject({ correlation_id: id, signature: {} })
  })

  verifies('MR-12', 'under the very id that the real one would have does not stand in for it', async () => {
    const mr = await signed()
    const { id } = (await mr.sending.send(asking)).message
    await mr.claiming.receive('coder')
    const { path, message } = (await mr.settling.ack('coder', id)).message
    rmSync(place('coder/.acked', id))
    const { signature: _, ...unsigned } = message
    plant(join(root, path), unsigned)
    expect((await mr.settling.ack('coder', id)).outcome).toBe('acknowledged')
    const { messages, rejected } = await mr.claiming.receive('lead')
    expect(messages.map(({ correlationId }) => correlationId)).toEqual([id])
    expect(rejected.map(({ code }) => code)).toEqual(['UNSIGNED'])
  })

  verifies('MR-12', 'does not end the wait for a reply', async () => {
    const mr = await signed()
    const { id } = (await mr.sending.send(asking)).message
    await mr.claiming.receive('coder')
    plant(place('lead/inbox/msg_00000001.json'), forgedAck(id))
    expect((await mr.claiming.awaitReply('lead', id)).outcome).toBe('nothing')
    plant(place('lead/inbox/msg_00000002.json'), forgedAck(id, 'msg_00000002'))
    const awaited = mr.claiming.awaitReply('lead', id, { waitMs: 60_000 })
    const acked = await mr.settling.ack('coder', id)
    expect(await awaited).toMatchObject({ outcome: 'received', message: { id: acked.message.id } })
    expect(readdirSync(place('lead/rejected')).sort()).toEqual(['msg_00000001.json', 'msg_00000002.json'])
  })
})

describe('a forged message', () => {
  verifies('MR-12', 'is not acknowledged, wherever it lies', async () => {
    const mr = await signed()
    const { signature: _, ...unsigned } = {
      ...onDisk('coder', 'inbox', `${(await mr.sending.send(asking)).message.id}.json`),
    }
    const forged = { ...unsigned, msg_id: 'msg_000000aa' }
    for (const folder of ['taken', 'inbox']) {
      plant(place('coder', folder, 'msg_000000aa.json'), forged)
      await expect(mr.settling.ack('coder', 'msg_000000aa')).rejects.toMatchObject({
        code: 'FORGED_MESSAGE',
        exit: 6,
        details: { reason: 'UNSIGNED' },
      })
      rmSync(place('coder', folder, 'msg_000000aa.json'))
    }
    plant(place('coder/taken/msg_000000aa.json'), forged)
    expect(await awaitedBy(mr, 'coder')).toEqual([])
    expect((await mr.claiming.receive('lead')).messages).toEqual([])
  })

  verifies('MR-12', 'is also one that is genuine, but for somebody else or under another name', async () => {
    const mr = await signed()
    const { id } = (await mr.sending.send({ ...asking, to: 'lead' })).message
    mkdirSync(place('coder/taken'), { recursive: true })
    copyFileSync(place('lead/inbox', `${id}.json`), place('coder/taken', `${id}.json`))
    await expect(mr.settling.ack('coder', id)).rejects.toMatchObject({ details: { reason: 'WRONG_INBOX' } })
    const { id: own } = (await mr.sending.send(asking)).message
    copyFileSync(place('coder/inbox', `${own}.json`), place('coder/taken/msg_000000bb.json'))
    await expect(mr.settling.ack('coder', 'msg_000000bb')).rejects.toMatchObject({
      details: { reason: 'NAME_MISMATCH' },
    })
  })

  verifies('MR-12', 'in taken/ does not keep the genuine one of that name from being handed out', async () => {
    const mr = await signed()
    const { id } = (await mr.sending.send(asking)).message
    const { signature: _, ...unsigned } = onDisk('coder', 'inbox', `${id}.json`)
    plant(place('coder/taken', `${id}.json`), unsigned)
    expect((await mr.recovering.list('coder', 'taken'))[0]?.message?.problems).toEqual([
      'It is not signed, and messages from lead must be',
    ])
    const { messages } = await mr.claiming.receive('coder')
    expect(messages.map((one) => one.id)).toEqual([id])
    expect((await mr.recovering.list('coder', 'taken'))[0]?.message?.problems).toEqual([])
    expect(readdirSync(place('coder/rejected'))).toEqual([`${id}.json`])
    const { id: next } = (await mr.sending.send(asking)).message
    plant(place('coder/taken', `${next}.json`), '{}')
    expect((await mr.claiming.receive('coder')).messages.map((one) => one.id)).toEqual([next])
  })

  verifies('MR-12', 'with the number of a lost one does not hide the loss', async () => {
    const mr = await signed()
    const ids = []
    for (let n = 0; n < 3; n++) ids.push((await mr.sending.send(asking)).message.id)
    await mr.claiming.receive('coder', { limit: 1 })
    const { signature: _, ...unsigned } = onDisk('coder', 'inbox', `${ids[1]}.json`)
    rmSync(place('coder/inbox', `${ids[1]}.json`))
    plant(place('coder/inbox/msg_000000cc.json'), { ...unsigned, msg_id: 'msg_000000cc' })
    plant(place('coder/taken/msg_000000dd.json'), { ...unsigned, msg_id: 'msg_000000dd' })
    const { messages, gaps } = await mr.claiming.receive('coder')
    expect(messages.map(({ id }) => id)).toEqual([ids[2]])
    expect(gaps).toEqual([{ from: 'lead', first: 2, last: 2, count: 1 }])
  })

  verifies('MR-12', 'that a person puts back lets no copy of the genuine one through', async () => {
    const mr = await signed()
    const { id } = (await mr.sending.send(asking)).message
    const copy = join(tempDir(), 'copy')
    copyFileSync(place('coder/inbox', `${id}.json`), copy)
    await mr.claiming.receive('coder')
    const { signature: _, ...unsigned } = onDisk('coder', 'taken', `${id}.json`)
    rmSync(place('coder/taken', `${id}.json`))
    plant(place('coder/evicted', `${id}.json`), unsigned)
    await mr.recovering.recover('coder', id)
    expect((await mr.claiming.receive('coder')).rejected).toMatchObject([{ code: 'UNSIGNED' }])
    renameSync(copy, place('coder/inbox', `${id}.json`))
    const { messages, rejected } = await mr.claiming.receive('coder')
    expect([messages, rejected.map(({ code }) => code)]).toEqual([[], ['REPLAYED']])
  })

  const theirs = (from: string) => ({
    version: '1.1',
    msg_id: 'msg-1767268800-042',
    from,
    to: 'coder',
    timestamp: 1_767_268_800,
    sequence: 1,
    type: 'task-delegation',
    payload: { task: 'Theirs' },
  })

  verifies('MR-12', 'in the form of another program gets no answer in that form, which nobody signs', async () => {
    const mr = await signed()
    plant(place('coder/inbox/msg-1767268800-042.json'), theirs('lead'))
    await expect(mr.settling.ack('coder', 'msg-1767268800-042')).rejects.toMatchObject({ code: 'FORGED_MESSAGE' })
    const answer = { ...asking, from: 'coder', to: 'lead', compat: true, replyTo: 'msg-1767268800-042' } as const
    await expect(mr.sending.send(answer)).rejects.toMatchObject({ code: 'FORGED_MESSAGE' })
    expect((await mr.claiming.receive('lead')).messages).toEqual([])
  })

  it('is not what a program without a key writes, where only those with one must sign; it is answered once', async () => {
    const mr = await signed('signing: sign')
    plant(place('coder/inbox/msg-1767268800-042.json'), theirs('stranger'))
    await mr.claiming.receive('coder', { compat: true })
    const acked = await mr.settling.ack('coder', 'msg-1767268800-042')
    expect(acked.outcome).toBe('acknowledged')
    expect((await mr.settling.ack('coder', 'msg-1767268800-042')).outcome).toBe('unchanged')
    expect(readdirSync(place('stranger/inbox'))).toHaveLength(1)
    // A marker that coder did not write is not believed.
    const [marker = ''] = readdirSync(place('coder/.acked'))
    const { signature, ...unsigned } = onDisk('coder', '.acked', marker)
    expect(signature).toMatchObject({ algorithm: 'ed25519' })
    plant(place('coder/.acked', marker), unsigned)
    expect((await mr.settling.ack('coder', 'msg-1767268800-042')).outcome).toBe('acknowledged')
  })
})

it('where nothing is signed everything counts as before', async () => {
  const mr = await signed('signing: off')
  const { id } = (await mr.sending.send(asking)).message
  plant(place('coder/.acked', id), '')
  expect(await awaitedBy(mr, 'lead')).toEqual([])
  const second = (await mr.sending.send(asking)).message.id
  plant(place('lead/inbox/msg_00000001.json'), forgedAck(second))
  expect(await awaitedBy(mr, 'lead')).toEqual([])
})

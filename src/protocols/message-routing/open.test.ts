import { expect, it } from 'vitest'
import { openMemoryTree } from '../../engines/memory/index.ts'
import { heldClock } from '../../kernel/clock.ts'
import { treePath } from '../../kernel/tree-path.ts'
import { messageRouting } from './index.ts'
import type { MrSettings } from './settings.ts'

const clock = heldClock()
const task = { from: 'lead', to: 'coder-1', type: 'task-delegation', payload: { task: 'Fix the login' } } as const

async function open(security: Partial<MrSettings['security']> = {}) {
  const tree = openMemoryTree({ clock })
  const { defaults } = messageRouting
  const settings = { ...defaults, security: { ...defaults.security, ...security } }
  return { tree, mr: await messageRouting.open({ tree, clock, settings }) }
}

it('works without ports, and says so where a key is needed', async () => {
  const { mr } = await open()
  await mr.sending.send(task)
  expect((await mr.claiming.receive('coder-1')).messages).toHaveLength(1)
  expect(await mr.inspect()).toEqual([])
  expect(mr.isGuarded).toBe(false)
  await expect(mr.keys()).rejects.toMatchObject({ code: 'NO_PLACE_FOR_KEYS', hint: expect.stringMatching(/^Open/) })
  const signing = await open({ signing: 'sign' })
  expect(signing.mr.isGuarded).toBe(true)
  await expect(signing.mr.sending.send(task)).rejects.toMatchObject({ code: 'NO_PLACE_FOR_KEYS' })
})

it('[MR-12] limits on rate need no keys', async () => {
  const { mr } = await open({ messagesPerMinute: 1 })
  await mr.sending.send(task)
  await expect(mr.sending.send(task)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
})

it('[MR-12] what arrives encrypted waits until there is a place for keys', async () => {
  const { mr } = await open()
  const payload = { task: 'Sealed', encrypted: 'age', ciphertext: 'nonsense' }
  const { message } = await mr.sending.send({ ...task, payload })
  await expect(mr.claiming.receive('coder-1')).rejects.toMatchObject({ code: 'NO_PLACE_FOR_KEYS' })
  expect((await mr.overview.statusOf('coder-1')).oldest?.id).toBe(message.id)
})

it('[MR-8] closing writes down what was measured, for all processes', async () => {
  const { tree, mr } = await open()
  await mr.sending.send(task)
  await mr.close()
  const other = await messageRouting.open({ tree, clock, settings: messageRouting.defaults })
  expect((await other.overview.metrics()).metrics.message_write_latency_ms.count).toBe(1)
})

it('the form of other programs is read where it is asked for', async () => {
  const { tree, mr } = await open()
  const theirs = { version: '1.1', from: 'bash-agent', to: 'coder-1', timestamp: 1_759_761_135, sequence: 1 }
  const message = { ...theirs, msg_id: 'msg-1759761135-042', type: 'command', payload: { action: 'pause' } }
  await tree.create(
    treePath('state/agents/coder-1/inbox/msg-1759761135-042.json'),
    Buffer.from(JSON.stringify(message)),
  )
  expect((await mr.claiming.receive('coder-1', { peek: true })).rejected).toHaveLength(1)
  const { messages } = await mr.claiming.receive('coder-1', { compat: true })
  expect(messages).toMatchObject([{ type: 'command', requiresAck: false }])
  expect((await mr.settling.ack('coder-1', 'msg-1759761135-042')).message).toMatchObject({
    correlationId: messages[0]!.id,
  })
})

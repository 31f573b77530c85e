import { describe, expect, it } from 'vitest'
import { command, memoryMr } from '../../../../test/support/message-routing.ts'
import { heldClock } from '../../../kernel/clock.ts'

const asking = () => command('coder-1', { requiresAck: true })
const at = (path: string) => path as never

describe('acknowledging', () => {
  it('[MR-5] tells the sender by a status-update about the message, once', async () => {
    const { mr } = memoryMr()
    const { message } = await mr.sending.send(asking())
    await mr.claiming.receive('coder-1')
    const acked = await mr.settling.ack('coder-1', message.id, { text: 'On it' })
    expect(acked).toMatchObject({
      outcome: 'acknowledged',
      notices: [],
      message: {
        from: 'coder-1',
        to: 'coordinator-main',
        type: 'status-update',
        correlationId: message.id,
        message: { payload: { status: 'in_progress', message: 'On it' } },
      },
    })
    const again = await mr.settling.ack('coder-1', message.id)
    expect([again.outcome, again.message.id]).toEqual(['unchanged', acked.message.id])
    expect((await mr.claiming.receive('coordinator-main')).messages.map(({ id }) => id)).toEqual([acked.message.id])
    // Also when its recipient has taken it meanwhile.
    expect((await mr.settling.ack('coder-1', message.id)).outcome).toBe('unchanged')
    expect((await mr.claiming.receive('coordinator-main')).outcome).toBe('nothing')
  })

  it('[MR-5] by many at once gives one acknowledgement', async () => {
    const { mr } = memoryMr()
    const { message } = await mr.sending.send(asking())
    await mr.claiming.receive('coder-1')
    const all = await Promise.all(Array.from({ length: 10 }, () => mr.settling.ack('coder-1', message.id)))
    expect(all.filter(({ outcome }) => outcome === 'acknowledged').length).toBe(1)
    expect((await mr.claiming.receive('coordinator-main')).messages.length).toBe(1)
  })

  it.each(['inbox', 'taken', 'evicted', 'rejected'])(
    '[MR-5] that died before it could be remembered is found in %s/',
    async (folder) => {
      const { mr, tree } = memoryMr()
      const { message } = await mr.sending.send(asking())
      await mr.claiming.receive('coder-1')
      const { message: ack } = await mr.settling.ack('coder-1', message.id)
      await tree.remove(at(`state/agents/coder-1/.acked/${message.id}`))
      if (folder !== 'inbox') await tree.move(at(ack.path), at(ack.path.replace('/inbox/', `/${folder}/`)))
      expect(await mr.settling.ack('coder-1', message.id)).toMatchObject({
        outcome: 'unchanged',
        message: { id: ack.id },
      })
      expect((await mr.overview.status()).agents.find(({ agent }) => agent === 'coordinator-main')!.depth).toBe(
        folder === 'inbox' ? 1 : 0,
      )
    },
  )

  it('takes another id where a message of somebody else has the one it would have', async () => {
    const [one, other] = [memoryMr(), memoryMr()]
    const { message } = await one.mr.sending.send(asking())
    await one.mr.claiming.receive('coder-1')
    const { message: ack } = await one.mr.settling.ack('coder-1', message.id)
    // The same message elsewhere, where the id is taken.
    const bytes = (await one.tree.read(at(`state/agents/coder-1/taken/${message.id}.json`)))!.bytes
    await other.tree.create(at(`state/agents/coder-1/taken/${message.id}.json`), bytes)
    const strange = { ...ack.message, correlation_id: 'msg_00000000' }
    await other.tree.create(at(ack.path), Buffer.from(JSON.stringify(strange)))
    const second = await other.mr.settling.ack('coder-1', message.id)
    expect(second.outcome).toBe('acknowledged')
    expect(second.message.id).not.toBe(ack.id)
    expect((await other.mr.settling.ack('coder-1', message.id)).outcome).toBe('unchanged')
  })

  it('says when nobody asked for it, and what is not there', async () => {
    const { mr } = memoryMr()
    const { message } = await mr.sending.send(command('coder-1'))
    expect((await mr.settling.ack('coder-1', message.id)).notices).toEqual([
      `${message.id} did not ask for an acknowledgement.`,
    ])
    await expect(mr.settling.ack('coder-1', 'msg_00000000')).rejects.toMatchObject({
      kind: 'NotFound',
      code: 'NO_SUCH_MESSAGE',
    })
    await expect(mr.settling.ack('coder-1', '../x')).rejects.toMatchObject({ code: 'INVALID_MESSAGE_ID' })
  })
})

describe('what is not acknowledged', () => {
  it('[MR-5] is listed with its age, for the sender and for whoever owes it', async () => {
    const clock = heldClock(Date.UTC(2025, 9, 6))
    const { mr } = memoryMr({ clock })
    const { message } = await mr.sending.send(asking())
    await mr.sending.send(command('coder-1'))
    clock.advance(60_000)
    const sent = { direction: 'sent', id: message.id, to: 'coder-1', type: 'command', ageMs: 60_000 }
    expect(await mr.settling.unacked('coordinator-main')).toMatchObject([sent])
    expect(await mr.settling.unacked('coder-1')).toEqual([])
    await mr.claiming.receive('coder-1')
    expect(await mr.settling.unacked('coder-1')).toMatchObject([
      { ...sent, direction: 'taken', from: 'coordinator-main' },
    ])
    await mr.settling.ack('coder-1', message.id)
    expect([await mr.settling.unacked('coder-1'), await mr.settling.unacked('coordinator-main')]).toEqual([[], []])
  })

  it('[MR-5] is crossed off by the acknowledgement of another program, unread or read', async () => {
    const { mr } = memoryMr()
    const [first, second] = [await mr.sending.send(asking()), await mr.sending.send(asking())]
    const reply = (replyTo: string, from = 'coder-1') =>
      mr.sending.send({
        from,
        to: 'coordinator-main',
        type: 'status-update',
        payload: { status: 'in_progress' },
        replyTo,
      })
    await reply(first.message.id)
    await reply(second.message.id, 'mallory')
    expect((await mr.settling.unacked('coordinator-main')).map(({ id }) => id)).toEqual([second.message.id])
    await reply(second.message.id)
    await mr.claiming.receive('coordinator-main')
    expect(await mr.settling.unacked('coordinator-main')).toEqual([])
  })
})

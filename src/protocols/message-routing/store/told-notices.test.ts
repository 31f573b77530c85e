import { describe, expect, it } from 'vitest'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { heldClock } from '../../../kernel/clock.ts'
import { unavailable } from '../../../kernel/errors.ts'
import type { Tree } from '../../../tree/tree.ts'
import { alertFor } from '../metrics/alerts.ts'
import { defaultSettings } from '../settings.ts'
import { Routing } from './routing.ts'
import { ToldNotices } from './told-notices.ts'

describe('a remark', () => {
  it('is news to the first who asks, in whatever process, until it is over', async () => {
    const tree = openMemoryTree()
    const [one, other] = [new ToldNotices(tree), new ToldNotices(tree)]
    const about = ['coder-1', 'coder-2.command'] as const
    expect(await one.isNews('direction', about)).toBe(true)
    expect(await one.isNews('direction', about)).toBe(false)
    expect(await other.isNews('direction', about)).toBe(false)
    expect(await other.isNews('direction', ['coder-1', 'coder-3.command'])).toBe(true)
    await other.forget('direction', about)
    expect(await other.isNews('direction', about)).toBe(true)
  })

  it('about a slow step comes again after a while', async () => {
    const clock = heldClock()
    const notices = new ToldNotices(openMemoryTree({ clock }))
    const slow = alertFor('message_write_latency_ms', 200, 'coder-1')!
    const isNew = async () => (await notices.toldBefore([slow], 'sending')).length === 0
    expect([await isNew(), await isNew()]).toEqual([true, false])
    clock.advance(6 * 60_000)
    expect([await isNew(), await isNew()]).toEqual([true, false])
  })

  it('fails for nobody: on a full disk it is told again', async () => {
    const full = async () => {
      throw unavailable('DISK_FULL', 'The disk is full.')
    }
    const notices = new ToldNotices({ read: async () => undefined, create: full, remove: full } as unknown as Tree)
    expect(await notices.isNews('closed', ['coder-1', 'x.json'])).toBe(true)
    await notices.forget('closed', ['coder-1', 'x.json'])
    expect(await notices.isNews('closed', ['coder-1', '../../x'])).toBe(true)
  })
})

describe('an alert about a full inbox', () => {
  it('[MR-8b] comes when it gets too full, and not while it is', async () => {
    const thresholds = { ...defaultSettings.thresholds, inbox_depth: 2 }
    const open = (tree: Tree) => new Routing({ tree, clock: heldClock(), settings: { ...defaultSettings, thresholds } })
    const tree = openMemoryTree()
    const told = async (mr: Routing, after: 'sending' | 'receiving') => {
      const alerts = mr.measuring.takeAlerts().filter(({ metric }) => metric === 'inbox_depth')
      return alerts.length - (await mr.notices.toldBefore(alerts, after)).length
    }
    const send = async () => {
      const mr = open(tree)
      await mr.sending.send({ from: 'lead', to: 'coder-1', type: 'task-delegation', payload: { task: 'x' } })
      return told(mr, 'sending')
    }
    const receive = async (limit: number) => {
      const mr = open(tree)
      await mr.claiming.receive('coder-1', { limit })
      return told(mr, 'receiving')
    }
    expect([await send(), await send(), await send(), await send()]).toEqual([0, 0, 1, 0])
    expect([await receive(1), await send(), await receive(2)]).toEqual([0, 0, 0])
    expect([await send(), await send(), await receive(1)]).toEqual([1, 0, 0])
  })
})

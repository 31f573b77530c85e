/**
 * The clock of a process and the time of the tree, each by itself: ages and ends go by the tree's, whatever this process
 * believes; what is written into messages goes by its own.
 */
import { describe, expect } from 'vitest'
import { age } from '../../src/adapters/age.ts'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { type Clock, heldClock } from '../../src/kernel/clock.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import { agentId } from '../../src/protocols/message-routing/layout.ts'
import { standingAlerts } from '../../src/protocols/message-routing/metrics/alerts.ts'
import { MetricsJournal } from '../../src/protocols/message-routing/metrics/journal.ts'
import { Measuring } from '../../src/protocols/message-routing/metrics/measuring.ts'
import { Guards } from '../../src/protocols/message-routing/security/guards.ts'
import { KeyRing } from '../../src/protocols/message-routing/security/keys.ts'
import { defaultSettings } from '../../src/protocols/message-routing/settings.ts'
import { pruneKept } from '../../src/protocols/message-routing/store/pruning.ts'
import { command, heartbeat, mrOn } from '../support/message-routing.ts'
import { verifies } from '../support/verifies.ts'
import { day } from '../support/wrong-clock.ts'

const minute = 60_000

function world(by: number) {
  const time = heldClock()
  const own: Clock = { now: () => time.now() + by }
  return { time, own, tree: openMemoryTree({ clock: time }) }
}

for (const days of [9, -9]) {
  const by = days * day

  describe(`AC-MQ with a clock that is ${days} days off`, () => {
    async function aMission() {
      const { time, own, tree } = world(by)
      const { mission } = await (await acmq.open({ tree, clock: own, settings: acmq.defaults })).create('alpha')
      await mission.sending.send({ from: 'claude', to: 'gemini', body: 'Do it', timeoutSeconds: 600 })
      return { time, tree, mission }
    }

    verifies(['X-clock', 'AC-8.2b'], 'a claim stalls when its time is over, and not before', async () => {
      const { time, mission } = await aMission()
      const claimed = await mission.claims.next({ agent: 'gemini' })
      expect(claimed).toMatchObject({ outcome: 'claimed', until: time.now() + 600_000 })
      time.advance(600_000)
      expect((await (await mission.upkeep()).supervise()).outcome).toBe('nothing')
      time.advance(1000)
      expect(await (await mission.supervision()).findStalled()).toMatchObject([{ overdueSeconds: 1 }])
      expect((await (await mission.upkeep()).supervise()).outcome).toBe('swept')
    })

    verifies(
      ['X-clock', 'AC-9.2'],
      'what is archived, and what was done this hour, goes by when it was done',
      async () => {
        const { time, mission } = await aMission()
        const claimed = await mission.claims.next({ agent: 'gemini' })
        if (claimed.outcome === 'claimed') await mission.settling.complete(claimed.message, { agent: 'gemini' })
        expect(await (await mission.overview()).status()).toMatchObject({
          completedLastHour: 1,
          oldestPending: undefined,
        })
        expect((await (await mission.upkeep()).archive({ olderThanMs: day })).archived).toBe(0)
        time.advance(day)
        expect(await (await mission.overview()).status()).toMatchObject({ completedLastHour: 0 })
        expect((await (await mission.upkeep()).archive({ olderThanMs: day })).archived).toBe(1)
      },
    )

    verifies(['X-clock', 'AC-3.2c'], 'a malformed file is set aside once it stands still', async () => {
      const { time, tree, mission } = await aMission()
      await tree.create(treePath('llm/missions/alpha/queue/pending/x.md'), '---\nid: half')
      expect((await (await mission.upkeep()).supervise()).repairs).toMatchObject([{ what: 'waiting' }])
      time.advance(acmq.defaults.quarantineAfterMs)
      expect((await (await mission.upkeep()).supervise()).repairs).toMatchObject([{ what: 'quarantined' }])
    })
  })

  describe(`Message Routing with a clock that is ${days} days off`, () => {
    verifies(['X-clock', 'MR-13'], 'what is kept is kept as long as it should be', async () => {
      const { time, own, tree } = world(by)
      const { mr } = mrOn(tree, { clock: own })
      await mr.sending.send(heartbeat('coder-2'))
      await mr.claiming.receive('coder-2')
      const settings = { ...defaultSettings, keepMs: day }
      const parts = { tree, settings, root: treePath(settings.root) }
      await pruneKept(parts, agentId('coder-2'), 'taken')
      expect(await mr.recovering.list('coder-2', 'taken')).toHaveLength(1)
      time.advance(day + 1)
      await pruneKept(parts, agentId('coder-2'), 'taken')
      expect(await mr.recovering.list('coder-2', 'taken')).toHaveLength(0)
    })

    verifies('X-clock', 'who has waited how long for an acknowledgement is told rightly', async () => {
      const { time, own, tree } = world(by)
      const { mr } = mrOn(tree, { clock: own })
      await mr.sending.send(command('coder-1', { requiresAck: true }))
      time.advance(5 * minute)
      expect(await mr.settling.unacked('coordinator-main')).toMatchObject([{ direction: 'sent', ageMs: 5 * minute }])
    })

    verifies(['X-clock', 'MR-12'], 'a sender has one rate, whatever the clocks it sends by', async () => {
      const { time, own, tree } = world(by)
      const keys = new KeyRing({ tree, clock: own })
      const settings = { ...defaultSettings.security, messagesPerMinute: 1 }
      const guards = new Guards({ tree, keys: async () => keys, sealing: async () => age, settings })
      const hooks = { admit: guards.admit.bind(guards) }
      const [off, right] = [mrOn(tree, { clock: own, hooks }).mr, mrOn(tree, { clock: time, hooks }).mr]
      expect((await off.sending.send(heartbeat('coder-2'))).outcome).toBe('sent')
      for (const one of [right, off]) {
        await expect(one.sending.send(heartbeat('coder-2'))).rejects.toMatchObject({ code: 'RATE_LIMITED' })
      }
      time.advance(minute)
      expect((await right.sending.send(heartbeat('coder-2'))).outcome).toBe('sent')
    })

    verifies(['X-clock', 'MR-8'], 'a slow step is news for some minutes, and not for days', async () => {
      const { time, own, tree } = world(by)
      const journal = new MetricsJournal(tree)
      const measuring = new Measuring({ tree, clock: own, settings: defaultSettings })
      measuring.observe('message_write_latency_ms', 500, 'coder-1')
      await measuring.close()
      const standing = async () =>
        standingAlerts({ latencies: await journal.read(), depths: new Map() }, await tree.now())
      expect(await standing()).toMatchObject([{ at: new Date(time.now()).toISOString() }])
      time.advance(6 * minute)
      expect(await standing()).toEqual([])
    })

    verifies('X-clock', 'messages bear the time of the one who wrote them', async () => {
      const { own, tree } = world(by)
      const { mr } = mrOn(tree, { clock: own })
      const { message } = await mr.sending.send(heartbeat('coder-2'))
      expect(message.message.timestamp).toBe(new Date(own.now()).toISOString())
    })
  })
}

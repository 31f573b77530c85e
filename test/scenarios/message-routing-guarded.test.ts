/** Message Routing with everything on that it offers against forgery, copies, prying eyes and floods. On real files. */
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { age } from '../../src/adapters/age.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { heldClock } from '../../src/kernel/clock.ts'
import type { Alert } from '../../src/protocols/message-routing/metrics/alerts.ts'
import { countOf } from '../../src/protocols/message-routing/metrics/histogram.ts'
import { MetricsJournal } from '../../src/protocols/message-routing/metrics/journal.ts'
import { Measuring } from '../../src/protocols/message-routing/metrics/measuring.ts'
import { printPrometheus } from '../../src/protocols/message-routing/metrics/metrics.ts'
import { Guards } from '../../src/protocols/message-routing/security/guards.ts'
import { KeyRing } from '../../src/protocols/message-routing/security/keys.ts'
import { defaultSettings, type SecuritySettings } from '../../src/protocols/message-routing/settings.ts'
import { Routing } from '../../src/protocols/message-routing/store/routing.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

let root: string
let clock: ReturnType<typeof heldClock>
beforeEach(async () => {
  root = tempDir()
  clock = heldClock(Date.now())
  const { keys } = await parts()
  for (const agent of ['coder-1', 'coordinator-main']) await keys.generate(agent)
})

async function parts() {
  const tree = await openFileTree({ root, clock })
  return { tree, keys: new KeyRing({ tree, clock, sealing: age }) }
}

/** As another process would open it. */
async function open(settings: Partial<SecuritySettings> = { signing: 'require' }) {
  const { tree, keys } = await parts()
  const guards = new Guards({
    tree,
    keys: async () => keys,
    sealing: async () => age,
    settings: { ...defaultSettings.security, ...settings },
  })
  const journal = new MetricsJournal(tree)
  const measuring = new Measuring({ tree, clock, settings: defaultSettings })
  const hooks = {
    admit: guards.admit.bind(guards),
    seal: guards.seal.bind(guards),
    open: guards.open.bind(guards),
    recover: guards.recover.bind(guards),
    verify: guards.verify.bind(guards),
    vouch: guards.vouch.bind(guards),
    observe: measuring.observe,
  }
  const routing = new Routing({ tree, clock, settings: defaultSettings, hooks })
  return { routing, measuring, journal }
}

const me = 'coordinator-main'
const folder = (...names: string[]) => join(root, 'state/agents', me, ...names)
const logged = () =>
  readFileSync(folder('error.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { error: string; msg_id: string; issues: string[] })

const report = (message = 'Half way') =>
  ({
    from: 'coder-1',
    to: me,
    type: 'status-update',
    payload: { status: 'in_progress', progress: 0.5, message, confidence: 0.5, blockers: [] },
  }) as const

const rewrite = (id: string, change: (message: Record<string, unknown>) => void) => {
  const path = folder('inbox', `${id}.json`)
  const message = JSON.parse(readFileSync(path, 'utf8'))
  change(message)
  writeFileSync(path, JSON.stringify(message))
}

describe('signed messages', () => {
  verifies('MR-12', 'arrive; altered, unsigned and forged ones are refused and logged', async () => {
    const { routing } = await open()
    const [good, altered, unsigned, forged] = [
      (await routing.sending.send(report())).message.id,
      (await routing.sending.send(report())).message.id,
      (await routing.sending.send(report())).message.id,
      (await routing.sending.send({ ...report(), from: me })).message.id,
    ]
    rewrite(altered, (message) => Object.assign(message.payload as object, { progress: 1 }))
    rewrite(unsigned, (message) => delete message.signature)
    rewrite(forged, (message) => Object.assign(message, { from: 'coder-1' }))
    const { messages, rejected } = await (await open()).routing.claiming.receive(me)
    expect(messages.map(({ id }) => id)).toEqual([good])
    const refusals = { [altered]: 'BAD_SIGNATURE', [unsigned]: 'UNSIGNED', [forged]: 'BAD_SIGNATURE' }
    expect(Object.fromEntries(rejected.map(({ msgId, code }) => [msgId, code]))).toEqual(refusals)
    expect(Object.fromEntries(logged().map(({ msg_id, error }) => [msg_id, error]))).toEqual(refusals)
    expect(readdirSync(folder('rejected'))).toHaveLength(3)
  })

  verifies('MR-12', 'copied back into the inbox are refused, after a restart and without any index', async () => {
    const { id } = (await (await open()).routing.sending.send(report())).message
    const file = folder('inbox', `${id}.json`)
    const copy = join(root, 'copy')
    copyFileSync(file, copy)
    expect((await (await open()).routing.claiming.receive(me)).messages).toHaveLength(1)

    // While it is still among the taken ones …
    copyFileSync(copy, file)
    expect((await (await open()).routing.claiming.receive(me)).messages).toEqual([])
    // … when those are gone, with every index and cache …
    for (const gone of [folder('taken'), join(root, '.signalbox/cache'), join(root, '.signalbox/engine')])
      rmSync(gone, { recursive: true, force: true })
    copyFileSync(copy, file)
    const second = await (await open()).routing.claiming.receive(me)
    expect([second.messages, second.rejected.map(({ code }) => code)]).toEqual([[], ['REPLAYED']])
    // … and a year later, when nobody remembers it one by one.
    clock.advance(365 * 24 * 60 * 60 * 1000)
    await (await open()).routing.sending.send(report())
    expect((await (await open()).routing.claiming.receive(me)).messages).toHaveLength(1)
    copyFileSync(copy, file)
    const third = await (await open()).routing.claiming.receive(me)
    expect([third.messages, third.rejected.map(({ code }) => code)]).toEqual([[], ['TOO_OLD']])
    expect(logged().map(({ error }) => error)).toEqual(['DUPLICATE', 'REPLAYED', 'TOO_OLD'])
  })

  it('that a person recovers are handed out once more', async () => {
    const { routing } = await open()
    const { id } = (await routing.sending.send(report())).message
    await routing.claiming.receive(me)
    await routing.recovering.recover(me, id)
    expect((await routing.claiming.receive(me)).messages.map((one) => one.id)).toEqual([id])
  })

  it('are not sent by somebody without a key', async () => {
    const { routing } = await open()
    await expect(routing.sending.send({ ...report(), from: 'stranger' })).rejects.toMatchObject({
      kind: 'Denied',
      code: 'NO_KEY',
    })
  })
})

describe('encrypted payloads', () => {
  verifies('MR-12', 'are unreadable in every folder, and whole for their recipient', async () => {
    const { routing } = await open({ signing: 'require', encryption: true })
    const { id } = (await routing.sending.send(report('the secret plan'))).message
    expect(readFileSync(folder('inbox', `${id}.json`), 'utf8')).not.toContain('secret plan')
    const { messages } = await routing.claiming.receive(me)
    expect(messages[0]).toMatchObject({ problems: [], message: { payload: report('the secret plan').payload } })
    expect(readFileSync(folder('taken', `${id}.json`), 'utf8')).not.toContain('secret plan')
  })

  it('that were put into another message are refused', async () => {
    const { routing } = await open({ encryption: true })
    const [one, other] = [
      (await routing.sending.send(report('one'))).message.id,
      (await routing.sending.send(report('two'))).message.id,
    ]
    const { payload } = JSON.parse(readFileSync(folder('inbox', `${one}.json`), 'utf8'))
    rewrite(other, (message) => Object.assign(message, { payload }))
    const { messages, rejected } = await routing.claiming.receive(me)
    expect([messages.map(({ id }) => id), rejected.map(({ code }) => code)]).toEqual([[one], ['NOT_OPENED']])
  })
})

describe('limited senders', () => {
  verifies('MR-12', 'are told when to try again, across processes; what comes by another way is refused', async () => {
    const limit = { messagesPerMinute: 3 }
    for (let i = 0; i < 3; i++) await (await open(limit)).routing.sending.send(report())
    const { routing } = await open(limit)
    await expect(routing.sending.send(report())).rejects.toMatchObject({
      kind: 'Unavailable',
      code: 'RATE_LIMITED',
      details: { retryAfterMs: 20_000 },
    })
    clock.advance(20_000)
    await routing.sending.send(report())
    // A sender that does not ask.
    for (let i = 0; i < 4; i++) await (await open({})).routing.sending.send(report())
    const { messages, rejected } = await routing.claiming.receive(me)
    expect([messages.length, rejected.map(({ code }) => code)]).toEqual([3, Array(5).fill('RATE_EXCEEDED')])
    expect(logged()[0]).toMatchObject({ issues: ['More than 3 messages a minute came from coder-1'] })
  })
})

describe('metrics', () => {
  verifies('MR-8', 'of all processes come together, and raise alerts', async () => {
    const alerts: Alert[] = []
    for (let i = 0; i < 3; i++) {
      const { routing, measuring } = await open({})
      for (let n = 0; n < 28; n++) await routing.sending.send(report())
      alerts.push(...measuring.takeAlerts())
      await measuring.close()
    }
    const { routing, measuring, journal } = await open({})
    expect(alerts.filter(({ metric }) => metric === 'inbox_depth').map(({ value }) => value)).toEqual([81, 82, 83, 84])
    await routing.claiming.receive(me)
    await measuring.close()
    const latencies = await journal.read()
    expect(countOf(latencies.message_write_latency_ms)).toBe(84)
    expect(countOf(latencies.message_read_latency_ms)).toBe(1)
    const { agents } = await routing.overview.status()
    const depths = new Map(agents.map(({ agent, depth }) => [agent, depth]))
    const text = printPrometheus({ latencies, depths, evictions: 0 })
    expect(text).toContain('message_write_latency_ms_count 84\n')
    expect(text).toContain(`inbox_depth{agent="${me}"} 0\n`)
  })
})

describe('versions', () => {
  verifies(['MR-10', 'MR-10b'], 'are stated by init and looked at before sending', async () => {
    const { routing } = await open({})
    await routing.agents.init(me)
    expect(JSON.parse(readFileSync(folder('versions.json'), 'utf8'))).toEqual({ versions: ['1.0.0'] })
    writeFileSync(folder('versions.json'), '{"versions": ["2.0.0", "2.1.0"]}')
    await routing.agents.init(me)
    await expect(routing.sending.send(report())).rejects.toMatchObject({
      kind: 'Unsupported',
      code: 'NO_COMMON_VERSION',
    })
    writeFileSync(folder('versions.json'), '{"versions": ["2.0.0", "1.0.0"]}')
    await routing.sending.send(report())
  })

  verifies(
    ['MR-10', 'MR-10b'],
    'of another major number are refused, newer minor ones kept with their fields',
    async () => {
      const { routing } = await open({})
      const [newer, other] = [
        (await routing.sending.send(report())).message.id,
        (await routing.sending.send(report())).message.id,
      ]
      rewrite(newer, (message) => Object.assign(message, { version: '1.9.0', trace: { hop: 1 } }))
      rewrite(other, (message) => Object.assign(message, { version: '2.0.0' }))
      const { messages, rejected } = await routing.claiming.receive(me)
      expect(messages.map(({ message }) => [message.version, message.trace])).toEqual([['1.9.0', { hop: 1 }]])
      expect(rejected).toMatchObject([{ msgId: other, code: 'UNSUPPORTED_VERSION' }])
    },
  )
})

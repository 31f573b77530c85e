import { afterEach, expect, vi } from 'vitest'
import { verifies } from '../../../test/support/verifies.ts'
import { openMemoryTree } from '../../engines/memory/index.ts'
import { heldClock } from '../../kernel/clock.ts'
import { defaultsOf } from '../../kernel/field.ts'
import { type AcmqPorts, acmq } from '../../protocols/ac-mq/index.ts'
import type { Context } from '../define.ts'
import { allProtocols } from '../protocols.ts'
import { supervise } from './supervise.ts'

afterEach(() => vi.useRealTimers())

const about = { from: 'claude', to: 'gemini', timeoutSeconds: 1 }

async function missionOf(ports: Partial<AcmqPorts> = {}) {
  const clock = heldClock(Date.parse('2026-11-17T15:00:00Z'))
  const tree = openMemoryTree({ clock })
  const missions = await acmq.open({ tree, clock, settings: acmq.defaults, ...ports })
  return { clock, tree, missions, mission: (await missions.create('alpha')).mission }
}

/** Every pass that did something, then what it answers at its end. */
async function followed(context: Context, tell: (what: string) => void) {
  const happening = await supervise.follow!(context, { mission: 'alpha' })
  for (;;) {
    const { done, value } = await happening!.next()
    if (done) return value
    const { documents, stalled, archived } = value as Awaited<ReturnType<typeof supervise.invoke>>
    for (const { outcome, path, query } of documents) tell(`${outcome} ${path}: ${query}`)
    for (const { message } of stalled) tell(`${message.to} stalled on ${message.id}`)
    if (archived > 0) tell(`archived ${archived}`)
  }
}

/** What it tells, line by line, and how to stop it. Its time is the test's. */
function supervised({ clock, tree, missions }: Omit<Awaited<ReturnType<typeof missionOf>>, 'mission'>) {
  const told: string[] = []
  const tell = ({ text }: { text: string }) => told.push(text)
  const notices: string[] = []
  const notice = (text: string) => notices.push(text)
  const report = { tell, notice, finished() {}, progress() {} }
  const section = async (name: string) => ({
    ...defaultsOf((await allProtocols()).find((one) => one.name === name)!.section),
    ...(name === 'acmq' ? acmq.defaults : {}),
  })
  const configuration = async () => ({ origins: {}, section })
  const stop = new AbortController()
  const own = { actor: async () => undefined, signal: stop.signal, report }
  const context = { ...own, clock, configuration, tree: async () => tree, store: async () => missions }
  const ended = followed(context as unknown as Context, (what) => told.push(what))
  const end = () => {
    stop.abort()
    return ended
  }
  return { told, notices, stop: end }
}

verifies(
  'AC-8.2b',
  'a supervisor that waited long for the turn of another one is in time for the next stall',
  async () => {
    const { clock, tree, missions, mission } = await missionOf()
    // A chain that is done, so that there is a document to write.
    for (const [id, ...dependencies] of [['first000'], ['second00', 'msg:first000']] as [string, ...string[]][]) {
      await mission.sending.send({ ...about, id, body: 'Do it', dependencies })
      await mission.claims.next({ agent: 'gemini', id })
      await mission.settling.complete(id, { agent: 'gemini' })
    }
    await mission.sending.send({ ...about, id: 'slow0001', body: 'This takes long' })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    // Another supervisor writes documents for half a minute.
    let release: () => void = () => {}
    let isHeld = false
    const held = tree.exclusively(`ac-mq bus ${mission.path}`, () => {
      isHeld = true
      return new Promise<void>((resolve) => {
        release = resolve
      })
    })
    while (!isHeld) await pass(100)
    const { told, stop } = supervised({ clock, tree, missions })
    await vi.advanceTimersByTimeAsync(30_000)
    release()
    await held
    while (!told.some((line) => line.startsWith('made '))) await pass(100)
    await mission.claims.next({ agent: 'gemini', id: 'slow0001' })
    clock.advance(2000)
    await pass(5000)
    expect((await (await mission.overview()).list('failed')).messages).toMatchObject([{ id: 'slow0001' }])
    await stop()
  },
)

verifies(
  'AC-8.2b',
  'a supervisor that makes vectors of many messages settles stalls in between, and tells how far it is now and then',
  async () => {
    let made = 0
    // On a busy machine each takes half a second.
    const embed = async (texts: readonly string[]) => {
      await new Promise((resolve) => setTimeout(resolve, 500))
      made += texts.length
      return texts.map((text) => Float32Array.of(text.length, 1))
    }
    const embedder = { id: 'local', version: 'slow', dim: 2, isLocal: true, embed } as const
    const { clock, tree, missions, mission } = await missionOf({ meaning: async () => ({ embedder }) })
    for (let n = 10; n < 60; n++)
      await mission.sending.send({ ...about, id: `wait00${n}`, body: `This is the message of the number ${n}` })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { notices, stop } = supervised({ clock, tree, missions })
    while (made < 2) await pass(100)
    await mission.claims.next({ agent: 'gemini', id: 'wait0010' })
    clock.advance(2000)
    await pass(5000)
    expect((await (await mission.overview()).list('failed')).messages).toMatchObject([{ id: 'wait0010' }])
    await pass(5000)
    expect(notices).toEqual([expect.stringMatching(/^\d+ of 50 messages have no vector yet/)])
    const ended = stop()
    await pass(5000)
    await ended
  },
)

/** So many milliseconds, in steps small enough that what does not wait for time keeps up. */
async function pass(milliseconds: number): Promise<void> {
  for (let at = 0; at < milliseconds; at += 100) {
    await vi.advanceTimersByTimeAsync(100)
    for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve))
  }
}

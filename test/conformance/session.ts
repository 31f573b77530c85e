/** Sessions by nothing but the tree: what every engine must let them do. Two processes speak, each with a tree of its own. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findWorkTree, gitRunner } from '../../src/adapters/git/index.ts'
import { runProgram } from '../../src/adapters/program.ts'
import { plainFiles } from '../../src/engines/file-system/plain-files.ts'
import { heldClock } from '../../src/kernel/clock.ts'
import { treePath as at } from '../../src/kernel/tree-path.ts'
import { actForOthers } from '../../src/messaging/agents/directory.ts'
import { carryIn } from '../../src/operations/session/bridging.ts'
import { messageRouting } from '../../src/protocols/message-routing/index.ts'
import { Routing } from '../../src/protocols/message-routing/store/routing.ts'
import type { Mail } from '../../src/protocols/shared-agent/store/outcomes.ts'
import type { Sessions } from '../../src/protocols/shared-agent/store/sessions.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { busOf } from '../support/bus.ts'
import { makeRepository, put } from '../support/git-repository.ts'
import { gate, mortal, stoppedAt, survives } from '../support/mortal-tree.ts'
import { type SessionOptions, sessionsOn } from '../support/session.ts'
import type { EnginePlace } from './every-engine.ts'

const session = 's'
const folder = '.signalbox/state/sessions/s'

export function describeSessions(name: string, prepare: () => Promise<EnginePlace>): void {
  describe(`sessions on ${name}`, () => {
    let place: EnginePlace
    let clock: ReturnType<typeof heldClock>
    let trees: Tree[]
    let one: Sessions
    let other: Sessions
    beforeEach(async () => {
      place = await prepare()
      clock = heldClock(Date.parse('2026-01-01T12:00:00Z'))
      trees = []
      one = await open()
      other = await open()
    })
    afterEach(async () => {
      for (const tree of new Set(trees)) await tree.close()
    })

    async function open(options: SessionOptions = {}): Promise<Sessions> {
      const tree = await place.open(clock)
      trees.push(tree)
      return sessionsOn(tree, { clock, ...options })
    }
    const tell = (sessions: Sessions, agent: string, line: string, of = session) =>
      sessions.say(line, { session: of, agent })
    const say = async (agent: string, line: string) => (await tell(one, agent, line)).answer
    const reply = async (agent: string, line: string) => (await tell(other, agent, line)).answer
    const tree = () => trees[0]!
    const textAt = async (path: string) => Buffer.from((await tree().read(at(path)))?.bytes ?? '').toString()
    /** Until so many wait for a condition, or in the line for locks. */
    const waiting = async (condition: string, count = 1) => {
      const line = at(`${folder}/1/signals/${condition}/line`)
      while ((await tree().list(line)).length < count) await new Promise((done) => setTimeout(done, 1))
    }
    const inLine = async (count: number) => {
      while ((await one.locks(session)).flatMap((lock) => lock.waiting).length < count)
        await new Promise((done) => setTimeout(done, 1))
    }

    it('[SA-8] a session that is named and not there is started, and is the same for everybody', async () => {
      expect(await tell(one, 'A', '#STATE:save:k:v')).toMatchObject({ outcome: 'answered', exit: 0, session })
      expect(await reply('B', '#STATE:load:k')).toBe('v')
      expect(await tell(other, 'B', '#STATE:load:none')).toMatchObject({
        outcome: 'nothing',
        exit: 1,
        answer: 'not_found',
      })
      expect(await tell(other, 'B', '#NONE')).toMatchObject({ outcome: 'refused', exit: 2, code: 'E001', at: 1 })
      expect((await one.list()).map((view) => view.session)).toEqual([session])
      await expect(one.say('#VERSION', { session: '../x' })).rejects.toMatchObject({
        code: 'INVALID_SESSION_ID',
        exit: 2,
      })
      await expect(one.say('#VERSION', { session: 'S' })).rejects.toMatchObject({ code: 'SESSION_NAME_TAKEN' })
    })

    it('without a name the current one is meant, started if need be', async () => {
      expect((await one.say('#STATE:save:k:v')).session).toBe('ctx_001')
      await becomes(() => other.current(), 'ctx_001')
      expect((await other.say('#STATE:load:k')).answer).toBe('v')
      expect(await other.start()).toEqual({ outcome: 'started', session: 'ctx_002' })
      await becomes(() => one.current(), 'ctx_002')
      expect((await one.say('#STATE:load:k')).answer).toBe('not_found')
      expect(await one.start('ctx_001')).toEqual({ outcome: 'unchanged', session: 'ctx_001' })
      await becomes(() => other.current(), 'ctx_001')
    })

    it('[SA-6][SA-3b] state has its limits', async () => {
      for (let n = 1; n <= 20; n++) expect(await say('A', `#STATE:save:k${n}:v`)).toBe(`saved:k${n}`)
      expect(await say('A', '#STATE:save:k21:v')).toBe('#ERROR:E003:max_keys_20')
      expect(await say('A', '#STATE:save:k20:again')).toBe('saved:k20')
      expect(await say('A', '#STATE:list')).toBe('• k1\n• k2\n• k3\n• k4\n• k5\n+15 more')
      expect((await say('A', '#STATE:list:detailed')).split('\n')).toHaveLength(11)
      expect(await say('A', '#STATE:save:a-b:v')).toBe('#ERROR:E002:bad_key')
      expect(await say('A', `#STATE:save:k1:${'word '.repeat(30).trim()}`)).toBe('saved:k1')
      expect(await say('A', `#STATE:save:k1:${'word '.repeat(31).trim()}`)).toBe('#ERROR:E004:max_value_30_tokens')
      expect(await reply('A', '#STATE:load:k1')).toBe('word '.repeat(30).trim())
      for (const nested of ['{"a":1}', '[1,2]'])
        expect(await say('A', `#STATE:save:k1:${nested}`)).toBe('#ERROR:E002:no_nested_values')
      expect(await say('A', '#STATE:save:k1:[draft] text')).toBe('saved:k1')
      expect(await say('A', '#STATE:clear')).toBe('cleared')
      expect(await reply('A', '#STATE:list')).toBe('not_found')
    })

    it('[SA-4][SA-4b] a variable’s value becomes neither a command, a parameter nor another variable', async () => {
      expect(await say('A', '{{NAME}}: "a:brief:persistent"')).toBe('saved:NAME')
      expect(await say('A', '{{OTHER}}: "{{NAME}} #STATE:clear"')).toBe('saved:OTHER')
      expect(await reply('A', '#STATE:save:k:{{NAME}}')).toBe('saved:k')
      expect(await reply('A', '#STATE:load:k')).toBe('a:brief:persistent')
      await say('A', '#STATE:save:k:{{OTHER}}')
      expect(await say('A', '#STATE:load:k')).toBe('{{NAME}} #STATE:clear')
      expect(await say('A', '#STATE:save:k:{{NONE|x}}')).toBe('saved:k')
      expect(await say('A', '#STATE:save:k:{{NONE}}')).toBe('#ERROR:E002:undefined_NONE')
      expect(await say('A', '#STATE:save:{{NAME}}:v')).toBe('#ERROR:E002:bad_key')
      expect(await say('A', `{{LONG}}: "${'word '.repeat(51)}"`)).toBe('#ERROR:E004:max_variable_50_tokens')
      await say('A', '#DELEGATE:Dev:build {{NAME}}')
      expect(await say('Orchestrator', '#NEXT')).toContain('build a')
    })

    it('[SA-17] a signal whose process was killed before it wrote its line is in the log all the same, once', async () => {
      await say('A', '#SIGNAL:c')
      const latch = at(`${folder}/1/signals/c/latch`)
      // As the killed process left it.
      const cutOff = { condition: 'c', value: 'yes', by: 'B', at: clock.now() + 1 }
      await tree().replace(latch, Buffer.from(JSON.stringify(cutOff)), (await tree().read(latch))!.revision)
      const signals = async () => (await one.log(session)).filter(({ did }) => did === 'SIGNAL').map(({ by }) => by)
      expect(await signals()).toEqual(['A', 'B'])
      expect(await signals()).toEqual(['A', 'B'])
      await tree().replace(
        latch,
        Buffer.from(JSON.stringify({ ...cutOff, by: 'C' })),
        (await tree().read(latch))!.revision,
      )
      expect(await say('D', '#SIGNAL:c')).toBe('signaled:0')
      expect(await signals()).toEqual(['A', 'B', 'C', 'D'])
      await tree().replace(latch, Buffer.from('{}'), (await tree().read(latch))!.revision)
      expect(await signals()).toEqual(['A', 'B', 'C', 'D'])
      expect(await reply('E', '#WAIT:c:0')).toBe('ready')
    })

    it('[SA-17] who has spoken long ago has been seen', async () => {
      await say('Early', '#STATE:save:k:0')
      for (let n = 0; n < 70; n++) await say('Late', `#STATE:save:k:${n}`)
      const seen: string[] = []
      for await (const agent of (await one.neutral()).seen()) seen.push(agent)
      expect(seen.sort()).toEqual(['Early', 'Late'])
    })

    it('[SA-17] every change is logged with who and when, however many there are', async () => {
      const agents = ['A', 'B', 'C']
      await Promise.all(
        agents.map(async (agent, n) => {
          for (let i = 0; i < 35; i++) await tell(n % 2 === 0 ? one : other, agent, `#STATE:save:${agent}:${i}`)
        }),
      )
      const log = await other.log(session)
      expect(log).toHaveLength(106)
      expect(log.map(({ n }) => n)).toEqual(Array.from({ length: 106 }, (_, i) => i + 1))
      expect(log[0]).toMatchObject({ did: 'start', at: '2026-01-01T12:00:00Z' })
      for (const agent of agents) {
        const own = log.filter(({ by, did }) => by === agent && did === 'STATE:save')
        expect(own.map(({ text }) => text)).toEqual(Array.from({ length: 35 }, (_, i) => String(i)))
      }
    })

    it('[SA-12a][SA-3e] locks: owner, end, renewal, force, and the end of the session', async () => {
      expect(await say('Dev', '#LOCK:src/a.js')).toBe('locked')
      expect(await one.locks(session)).toEqual([
        { resource: 'src/a.js', owner: 'Dev', until: '2026-01-01T12:05:00Z', fence: 1, waiting: [] },
      ])
      expect(await reply('Dev', '#LOCK:src/a.js:600')).toBe('locked')
      expect(await tell(other, 'Test', '#LOCK:src/a.js:60')).toMatchObject({ answer: 'busy:Dev', exit: 1 })
      expect(await tell(other, 'Test', '#UNLOCK:src/a.js')).toMatchObject({ answer: 'not_owner', exit: 1 })
      expect(await reply('Test', '#UNLOCK:src/a.js:force')).toBe('#ERROR:E005:only_orchestrator_may_force')
      expect(await reply('Orchestrator', '#UNLOCK:src/a.js:force')).toBe('unlocked')
      expect(await reply('Orchestrator', '#UNLOCK:src/a.js:force')).toBe('not_owner')
      expect(await reply('Test', '#LOCK:src/a.js:60')).toBe('locked')
      clock.advance(60_000)
      expect(await say('Dev', '#LOCK:src/a.js:60')).toBe('locked')
      expect((await one.locks(session))[0]!.fence).toBe(3)
      expect(await one.end(session)).toMatchObject({ outcome: 'ended' })
      expect(await reply('Test', '#LOCK:src/a.js:60')).toBe('locked')
    })

    it('[SA-12a] a path is one resource, however it is written', async () => {
      expect(await tell(one, 'Dev', '#LOCK:src/a.js:600')).toMatchObject({
        answer: 'locked',
        lock: { resource: 'src/a.js', owner: 'Dev', until: '2026-01-01T12:10:00Z', fence: 1 },
      })
      const folder = '/home/dev/shop'
      const local = await open({ ports: { folder } })
      for (const written of ['./src/a.js', 'src//a.js', 'src/./a.js', 'lib/../src/a.js', ' src/a.js', 'src/a.js/'])
        expect(await reply('Test', `#LOCK:${written}`), written).toBe('busy:Dev')
      for (const written of [`${folder}/src/a.js`, '../shop/src/a.js', `${folder}/../shop/src/a.js`])
        expect((await tell(local, 'Test', `#LOCK:${written}:60`)).answer, written).toBe('busy:Dev')
      expect(await reply('Test', '#WAIT:lock=./src/a.js:0')).toBe('timeout')
      for (const mistyped of ['src/a.js:30s', 'src/a.js:abc', 'src/a.js:'])
        expect(await tell(other, 'Test', `#LOCK:${mistyped}`)).toMatchObject({
          answer: '#ERROR:E002:bad_timeout',
          exit: 2,
        })
      expect(await reply('Test', '#LOCK: :60')).toBe('#ERROR:E002:missing_resource')
      for (const another of ['src/A.js', '/src/a.js', '../src/a.js', 'http://x//src/a.js'])
        expect(await reply('Test', `#LOCK:${another}`), another).toBe('locked')
      expect(await say('Dev', '#UNLOCK:.//src/a.js')).toBe('unlocked')
      expect(await tell(other, 'Test', '#WAIT:lock=src/a.js:0')).toMatchObject({ answer: 'ready', lock: { fence: 2 } })
    })

    it('[SA-12a][SA-12e] who waits for a lock gets it by priority; a circle is refused and named', async () => {
      await say('Dev', '#LOCK:a')
      await say('Test', '#LOCK:b')
      const late = reply('Late', '#WAIT:lock=a:20:P2')
      await inLine(1)
      const early = reply('Test', '#WAIT:lock=a:20:P0')
      await inLine(2)
      expect(await tell(one, 'Dev', '#WAIT:lock=b:20')).toMatchObject({
        lines: ['busy:Test', 'Dev → b → Test → a → Dev'],
        exit: 1,
      })
      expect(await say('Dev', '#UNLOCK:a')).toBe('unlocked')
      expect(await early).toBe('ready')
      expect(await say('Test', '#LOCK:a:60')).toBe('locked')
      expect(await say('Test', '#UNLOCK:a')).toBe('unlocked')
      expect(await late).toBe('ready')
      expect(await tell(one, 'Dev', '#WAIT:lock=a:0')).toMatchObject({ answer: 'timeout', exit: 1 })
    })

    it('[SA-12b][SA-3f] signals are latched, taken back by false, and count who waited', async () => {
      expect(await tell(one, 'A', '#WAIT:ready:0')).toMatchObject({ answer: 'timeout', exit: 1 })
      expect(await say('A', '#WAIT:lock=:1')).toBe('#ERROR:E002:missing_resource')
      expect(await say('A', '#SIGNAL:ready')).toBe('signaled:0')
      expect(await reply('B', '#WAIT:ready:5')).toBe('ready')
      expect(await say('A', '#SIGNAL:ready:false')).toBe('signaled:0')
      expect(await reply('B', '#WAIT:ready:0')).toBe('timeout')
      const both = [say('B', '#WAIT:ready:20'), reply('C', '#WAIT:ready:20')]
      await waiting('ready', 2)
      expect(await say('A', '#SIGNAL:ready:true')).toBe('signaled:2')
      expect(await Promise.all(both)).toEqual(['ready', 'ready'])
      const odd = 'Über: allem/../x'
      expect(await say('A', `#SIGNAL:${odd.replace(':', '\\:')}`)).toBe('signaled:0')
      expect(await say('B', `#WAIT:${odd}:1`)).toBe('ready')
    })

    it('[SA-12e] a waiter that died is not counted once its lease has ended', async () => {
      const line = at(`${folder}/1/signals/c/line/w-0123456789ab`)
      await say('A', '#VERSION')
      await tree().create(line, '{"owner":"Dead"}')
      expect(await say('A', '#SIGNAL:c')).toBe('signaled:1')
      await tree().create(line, '{"owner":"Dead"}')
      // A leaf that is made has the time of the disk; one that is touched, that of the clock.
      await tree().touch(line)
      clock.advance(5000)
      expect(await say('A', '#SIGNAL:c')).toBe('signaled:0')
      expect(await tree().look(line)).toBeUndefined()
    })

    it('[SA-6b] the end of a session ends waits and subscriptions, and twice is fine', async () => {
      await say('A', '#STATE:save:keep:1:persistent')
      await say('A', '#STATE:save:temp:2')
      await say('A', '#SUBSCRIBE:news')
      await say('B', '#LOCK:r')
      const waits = [reply('A', '#WAIT:never:20'), reply('A', '#WAIT:lock=r:20')]
      await waiting('never')
      await inLine(1)
      expect(await one.end(session)).toMatchObject({ outcome: 'ended' })
      expect(await Promise.all(waits)).toEqual(['timeout', 'timeout'])
      expect(await other.end(session)).toMatchObject({ outcome: 'unchanged' })
      expect(await one.end('never-there')).toMatchObject({ outcome: 'unchanged' })
      expect(await one.locks(session)).toEqual([])
      expect(await reply('A', '#STATE:load:keep')).toBe('1')
      expect(await reply('A', '#STATE:load:temp')).toBe('not_found')
      expect(await reply('B', '#BROADCAST:news:x')).toBe('sent:0')
    })

    it('[SA-12c][SA-12d][SA-3g] each message reaches each subscriber once, in order, also one that was away', async () => {
      for (const agent of ['A', 'B']) await say(agent, '#SUBSCRIBE:news')
      for (let n = 0; n < 40; n++) expect(await say('C', `#BROADCAST:news:${n}`)).toBe('sent:2')
      expect(await say('C', '#DIRECT:A:only you')).toBe('sent:A')
      const both = await Promise.all([one, other].map((sessions) => sessions.inbox('A', { session })))
      expect(both.flat().map(({ text }) => text)).toEqual([
        ...Array.from({ length: 40 }, (_, n) => String(n)),
        'only you',
      ])
      expect(both.flat()[0]).toMatchObject({ from: 'C', to: 'A', channel: 'news', sentAt: '2026-01-01T12:00:00Z' })
      expect(await one.inbox('A', { session })).toEqual([])
      expect(await one.inbox('B', { session, peek: true })).toHaveLength(40)
      await say('B', '#UNSUBSCRIBE:news')
      expect(await say('C', '#BROADCAST:news:last')).toBe('sent:1')
      expect((await other.inbox('B', { session })).at(-1)?.text).toBe('39')
      const awaited = other.inbox('B', { session, waitMs: 20_000 })
      await say('C', '#DIRECT:B:now')
      expect((await awaited).map(({ text }) => text)).toEqual(['now'])
      expect(await one.inbox('B', { session, waitMs: 1 })).toEqual([])
    })

    it('[SA-12d] what was not written out is given to the next reader, and marked', async () => {
      const inHand = { session, untilHandedOut: true }
      const texts = (mails: readonly Mail[]) =>
        mails.map(({ text, redelivered }) => `${text}${redelivered ? ' again' : ''}`)
      const impatient = await open({ settings: { handingMs: 1 } })
      await say('C', '#DIRECT:A:1')
      await say('C', '#DIRECT:A:2')
      const [first, second] = [await one.inbox('A', inHand), other.inbox('A', inHand)]
      expect(texts(first)).toEqual(['1', '2'])
      await say('C', '#DIRECT:A:3')
      // Another reader waits for the first, and then gets what came after.
      await one.handedOut('A', first, session)
      expect(texts(await second)).toEqual(['3'])
      // That one was killed or is held: the next one gets it, marked, and so does the one after it, with what is new.
      expect(texts(await impatient.inbox('A', inHand))).toEqual(['3 again'])
      await say('C', '#DIRECT:A:4')
      const [third] = [await impatient.inbox('A', { ...inHand, limit: 1 })]
      expect(texts(third)).toEqual(['3 again'])
      expect(texts(await impatient.inbox('A', { session, peek: true }))).toEqual(['3 again', '4'])
      // The one that was held goes on: what it writes out late was read.
      await other.handedOut('A', await second, session)
      await other.handedOut('A', first, session)
      expect(texts(await other.inbox('A', inHand))).toEqual(['4'])
      // Nobody waits for what was put back. Without `untilHandedOut` it counts as read at once.
      expect(await other.putBack('A', await other.inbox('A', { session, peek: true }), session)).toBe(true)
      const last = await one.inbox('A', { session })
      expect(texts(last)).toEqual(['4 again'])
      expect(await one.putBack('A', last, session)).toBe(false)
      expect(await one.inbox('A', { session })).toEqual([])
      expect(JSON.parse(await textAt(`${folder}/session.json`)).handing).toEqual([])
    })

    it('[SA-12c][SA-8] a task waits for what its agent depends on, and is told from what is recorded', async () => {
      await say('Orchestrator', '#DELEGATE:Test:test_auth:P0')
      await say('Orchestrator', '#DELEGATE:Dev:auth:P2')
      await reply('Test', '#DEPENDS:Dev:auth')
      expect(await say('Dev', '#DEPENDS:Test:test_auth')).toBe('#ERROR:E002:circle_Dev_Test_Dev')
      expect(await say('Dev', '#DEPENDS:Dev:auth')).toBe('#ERROR:E002:circle_Dev_Dev')
      expect(await say('Orchestrator', '#NEXT:')).toBe('task_id_002 P2 Dev auth')
      expect(await say('Test', '#NEXT:')).toBe('not_found')
      expect(await say('Orchestrator', '#SUMMARY')).toBe('done 0, running 0, blocked 1, waiting 1')
      expect(await say('Test', '#DONE:auth:x')).toBe('#ERROR:E005:not_your_task')
      expect(await reply('Dev', '#DONE:auth:coverage 95%')).toBe('done:task_id_002')
      expect(await say('Dev', '#DONE:auth:x')).toBe('#ERROR:E002:task_is_completed')
      expect(await say('Orchestrator', '#NEXT:')).toBe('task_id_001 P0 Test test_auth')
      expect(await say('Orchestrator', '#EVALUATE:coverage')).toBe('coverage 95%')
      expect(await say('Orchestrator', '#EVALUATE:speed')).toBe('not_found')
      expect(await say('Orchestrator', '#REPORT:Dev:results')).toBe('• auth: coverage 95%')
      expect(await say('Orchestrator', '#REPORT:Nobody:results')).toBe('not_found')
      expect(await say('Test', '#FAIL:test_auth:no database')).toBe('failed:task_id_001')
      expect(await say('Orchestrator', '#RETRY:Test:test_auth')).toBe('ack:task_id_001')
      expect(await say('Orchestrator', '#RETRY:Test:nothing')).toBe('not_found')
      expect(await say('Orchestrator', '#COORDINATE:Dev,Test')).toBe('coordinating:task_id_003')
      expect(await say('A', '#DEFINE:JWT:signed token')).toBe('defined:JWT')
      expect(await reply('A', '#DEFINE:JWT')).toBe('signed token')
      expect(await reply('A', '#DEFINE:XYZ')).toBe('not_found')
      expect(await reply('A', '#ASK:jwt')).toBe('• JWT: signed token')
      expect((await one.inbox('Test', { session })).map(({ kind, about }) => `${kind} ${about}`)).toEqual([
        'DELEGATE task_id_001',
        'RETRY task_id_001',
        'COORDINATE task_id_003',
      ])
    })

    it('[SA-8b] of several runners one does a task; one that was lost is found, and its late result does not count', async () => {
      const roles = 'roles:\n  Dev:\n    program: [sh, -c, "cat > /dev/null; echo fine"]\n'
      const all = await Promise.all(
        [1, 2, 3].map(() => open({ roles, ports: { runProgram, folder: '/' }, settings: { startRunners: false } })),
      )
      const [first, second] = [all[0]!, all[1]!]
      expect((await tell(first, 'Orchestrator', '#DELEGATE:Dev:work')).answer).toBe('ack:task_id_001')
      const done = await Promise.all(all.map((sessions) => sessions.work({ session })))
      expect(done.flat()).toEqual([{ task: 'task_id_001', agent: 'Dev', state: 'completed', result: 'fine' }])
      await tell(first, 'Orchestrator', '#DELEGATE:Dev:more')
      const neutral = await second.neutral()
      const taken = await neutral.take!('Dev', { place: session })
      expect((await tell(first, 'Orchestrator', '#REPORT:Dev:more')).answer).toBe('• more: runner lost')
      await tell(second, 'Orchestrator', '#RETRY:Dev:more')
      expect(await first.work({ session })).toMatchObject([{ state: 'completed', result: 'fine' }])
      if (taken.outcome !== 'taken') throw new Error('nothing was taken')
      await expect(neutral.done!(taken.receipt, { text: 'late' })).rejects.toMatchObject({ code: 'LOST_CLAIM' })
    })

    it('[SA-8] a task that another protocol carries goes out once, and its answer becomes the result once', async () => {
      const routing = new Routing({ tree: tree(), clock, settings: messageRouting.defaults })
      const roles = 'roles:\n  Dev:\n    via: mr\n    to: coder-1\n'
      const carry = async (...wanted: Parameters<typeof carryIn> extends [unknown, ...infer W] ? W : never) => {
        const own = await place.open(clock)
        trees.push(own)
        actForOthers(own)
        const mr = new Routing({ tree: own, clock, settings: messageRouting.defaults })
        const neutrals = { mr: () => mr.neutral(), session: () => sessionsOn(own, { clock, roles }).neutral() }
        return carryIn(busOf(own, neutrals), ...wanted)
      }
      const all = await Promise.all([1, 2, 3].map(() => open({ roles, ports: { carry } })))
      expect((await tell(all[0]!, 'Orchestrator', '#DELEGATE:Dev:work')).answer).toBe('ack:task_id_001')
      await Promise.all(all.map((sessions) => sessions.work({ session })))
      const { messages } = await routing.claiming.receive('coder-1')
      expect(messages.map(({ from, message }) => [from, message.payload])).toEqual([
        ['orchestrator', expect.objectContaining({ task: 'work' })],
      ])
      const answer = { from: 'coder-1', to: messages[0]!.from, type: 'result', payload: { status: 'success' } } as const
      await routing.sending.send({ ...answer, from: 'mallory', replyTo: messages[0]!.id })
      expect(await all[1]!.work({ session })).toEqual([])
      await routing.sending.send({ ...answer, replyTo: messages[0]!.id })
      const done = await Promise.all(all.map((sessions) => sessions.work({ session })))
      expect(done.flat()).toMatchObject([{ task: 'task_id_001', state: 'completed' }])
      expect((await routing.claiming.receive(answer.to)).messages.map(({ from }) => from)).toEqual(['mallory'])
    })

    it('[X-key][X-crash][X-held] a key gives one task, whichever change its sender is killed or held before', async () => {
      const draft = { from: 'lead', to: 'Dev', text: 'once' }
      const sendOn = async (on: Tree, key: string) =>
        (await sessionsOn(on, { clock }).neutral()).send!({ ...draft, text: key }, { key })
      let keys = 0
      for (let lives = 0, isAlive = false; !isAlive; lives++) {
        const key = `killed-${keys++}`
        isAlive = await survives(sendOn(mortal(trees[1]!, lives), key))
        expect((await sendOn(tree(), key)).message.summary).toBe(key)
      }
      for (let moment = 0, isHeld = true; isHeld; moment++) {
        const key = `held-${keys++}`
        const [reached, goOn] = [gate(), gate()]
        const slow = stoppedAt(trees[1]!, async (change) => {
          if (change !== moment) return
          reached.open()
          await goOn.opened
        })
        const first = sendOn(slow, key)
        isHeld = await Promise.race([reached.opened.then(() => true), first.then(() => false)])
        const second = await sendOn(tree(), key)
        goOn.open()
        expect((await first).message.id).toBe(second.message.id)
      }
      const texts: string[] = []
      for await (const { envelope } of (await other.neutral()).messages()) texts.push(envelope.summary)
      expect(texts.toSorted()).toEqual([...new Set(texts)].toSorted())
      expect(texts).toHaveLength(keys)
      expect(keys).toBeGreaterThan(4)
    })

    it('[SA-8] what a sender says must be done before is waited for', async () => {
      const neutral = await one.neutral()
      const first = await neutral.send!({ from: 'lead', to: 'Dev', text: 'first', place: session })
      const then = { from: 'lead', to: 'Test', text: 'then', place: session, dependsOn: [first.message.id] }
      const { message } = await neutral.send!(then)
      expect(message).toMatchObject({ dependsOn: [first.message.id] })
      expect((await neutral.take!('Test')).outcome).toBe('nothing')
      expect(await say('Dev', '#DONE:first')).toBe('done:task_id_001')
      expect((await neutral.take!('Test')).outcome).toBe('taken')
    })

    it('[X-human][SA-8] what is escalated waits for a person, and the answer comes back', async () => {
      expect(await say('Dev', '#ESCALATE:deploy blocked')).toBe('escalated:esc_001')
      const neutral = await other.neutral()
      const [question] = await all(neutral.questions!())
      expect(question).toMatchObject({ id: 's:esc_001', kind: 'escalation', from: 'Dev', summary: 'deploy blocked' })
      const answer = { verdict: 'answer', by: 'ada', text: 'wait until noon' } as const
      expect(await neutral.answer!(question!, { ...answer, digest: question!.digest })).toMatchObject({
        outcome: 'answered',
      })
      expect(await neutral.answer!(question!, answer)).toMatchObject({ outcome: 'unchanged' })
      await expect(neutral.answer!(question!, { ...answer, text: 'no' })).rejects.toMatchObject({
        code: 'ALREADY_ANSWERED',
      })
      expect(await all(neutral.questions!())).toEqual([])
      expect(await one.inbox('Dev', { session })).toMatchObject([
        { from: 'ada', about: 'esc_001', text: 'wait until noon' },
      ])
    })

    it('[SA-16] filters choose what is exported; a path stays where it may', async () => {
      await say('A', '#STATE:save:p:1:persistent')
      await say('A', '#STATE:save:t:2')
      await say('A', '{{V}}: "3"')
      await say('A', '#DELEGATE:D:task')
      for (const [filter, count] of [
        ['', 3],
        [':all', 4],
        [':critical', 2],
        [':tasks', 1],
        [':state', 2],
      ] as const)
        expect(await say('A', `#CONTEXT:export:c/x.ctx${filter}`)).toMatch(new RegExp(`^exported:${count} `))
      await say('A', '#STATE:save:t:4')
      expect(await say('A', '#CONTEXT:export:c/i.ctx:incremental')).toMatch(/^exported:1 items/)
      expect(await textAt('c/i.ctx')).toContain('t: "4"')
      for (const path of ['../x.ctx', '/etc/x', 'a/../../b', 'a\\b', ''])
        expect(await say('A', `#CONTEXT:export:${path}`)).toMatch(/^#ERROR:E002:/)
      for (const path of ['llm/missions/x.ctx', './.signalbox/x.ctx', '.git/x', 'state/agents/a/inbox/x'])
        expect(await say('A', `#CONTEXT:export:${path}`)).toMatch(/^#ERROR:E005:kept_folder/)
      // Somebody's own file is not written over; a context is.
      await tree().create(at('notes.md'), 'mine\n')
      expect(await say('A', '#CONTEXT:export:notes.md')).toBe('#ERROR:E005:no_context_file')
      expect(await textAt('notes.md')).toBe('mine\n')
      for (let n = 0; n < 2; n++) expect(await say('A', '#CONTEXT:export:c/plain:state')).toMatch(/^exported:2 items/)
    })

    it('[SA-16b] what two sessions export by themselves in one minute are two files', async () => {
      for (const name of ['one', 'two']) {
        await tell(one, 'A', '#STATE:save:k:v:persistent', name)
        await tree().append(at(`.signalbox/state/sessions/${name}/1/traffic`), '95000 .')
      }
      const named = async (name: string) => (await tell(one, 'A', '#HEALTH:context', name)).lines[2]
      expect(await named('one')).toBe('#CONTEXT:export:./context/auto_20260101_1200.ctx:critical')
      expect(await named('two')).toBe('#CONTEXT:export:./context/auto_20260101_1200_2.ctx:critical')
      expect(await named('one')).toBe('#CONTEXT:export:./context/auto_20260101_1200.ctx:critical')
      expect(await textAt('context/auto_20260101_1200.ctx')).toContain('session_id: one\n')
    })

    it.each([
      ['anchor', 'version: 1.1.0\nstate: &a\n', 'line_2_anchors_are_not_used_here'],
      ['alias', 'version: 1.1.0\nstate: *a\n', 'line_2_'],
      ['tag', 'version: 1.1.0\nstate: !!set {}\n', 'line_2_tags_are_not_used_here'],
      ['twice', 'version: 1.1.0\nversion: 1.1.0\n', 'line_2_the_key_version_stands_here…'],
      ['version', 'version: 2.0.0\n', 'line_1_version_2.0.0_is_not_one_of_1.0…'],
      ['shape', '- a\n', 'line_1_the_file_is_not_a_list_of_key…'],
      ['nested', 'version: 1.1.0\nstate:\n  persistent:\n    k: [1]\n', 'line_4_a_value_is_one_text_nested…'],
      ['key', 'version: 1.1.0\nstate:\n  persistent:\n    a-b: x\n', 'line_4_a-b_is_not_the_name_of_a_key'],
      ['unknown', 'version: 1.1.0\nmore: x\n', 'line_2_more_is_not_known_in_the_file'],
      ['large', 'version: 1.1.0 #'.padEnd(600 * 1024, 'x'), 'file_too_large'],
    ])('[SA-16] a context that is broken is refused with line and reason: %s', async (_, text, expected) => {
      await say('A', '#STATE:save:k:v')
      await tree().create(at('c.ctx'), text)
      for (const command of ['import', 'validate']) {
        const { answer, exit } = await tell(other, 'A', `#CONTEXT:${command}:c.ctx`)
        expect(answer.slice(0, 12)).toBe('#ERROR:E002:')
        expect(answer.slice(12, 12 + expected.length)).toBe(expected)
        expect(exit).toBe(2)
      }
      expect(await reply('A', '#STATE:load:k')).toBe('v')
    })

    it('[SA-15b] all five reasons for a new session are noticed', async () => {
      const status = async (of: string) => (await tell(one, 'A', '#HEALTH', of)).lines.at(-1)
      const add = (of: string, ...lines: string[]) =>
        Promise.all(lines.map((line) => tree().append(at(`.signalbox/state/sessions/${of}/1/traffic`), line)))
      await tell(one, 'A', '#VERSION', 'context')
      await add('context', '81000 .')
      expect(await status('context')).toBe('• Status: start new session (context)')
      for (let n = 0; n < 20; n++) await tell(one, 'A', `#STATE:save:k${n}:v`, 'keys')
      expect(await status('keys')).toBe('• Status: start new session (state keys)')
      for (let n = 0; n < 3; n++) await tell(one, 'A', '#NONE', 'errors')
      expect(await status('errors')).toBe('• Status: start new session (errors)')
      await tell(one, 'A', '#VERSION', 'slow')
      for (let n = 0; n < 20; n++) await add('slow', `1 . ${n < 10 ? 1 : 200}`)
      expect(await status('slow')).toBe('• Status: start new session (performance)')
      // Other commands that take longer, from the start, say nothing.
      await tell(one, 'A', '#VERSION', 'mixed')
      for (let n = 0; n < 20; n++) await add('mixed', n < 10 ? '1 . 1 STATE:load' : '1 . 200 STATE:save')
      expect(await status('mixed')).toBe('• Status: healthy')
      for (let n = 0; n < 10; n++) await add('mixed', '1 . 200 STATE:load')
      expect(await status('mixed')).toBe('• Status: start new session (performance)')
      await tell(one, 'A', '#STATE:save:phase:design', 'phase')
      expect(await status('phase')).toBe('• Status: healthy')
      await tell(one, 'A', '#STATE:save:phase:build', 'phase')
      expect(await status('phase')).toBe('• Status: start new session (phase)')
    })

    it('[SA-9] commands are added by configuration, and checked before anything is said', async () => {
      const roles = [
        'commands:',
        '  DEPLOY:start:',
        '    parameters: [env]',
        '    says: "deploying:{{ENV}}"',
        '    limit: fixed',
        '    help: Starts a deployment',
        '  SHIP:',
        '    says: shipped',
        '    limit: fixed',
        '    help: Ships',
        '    deprecated: "#DEPLOY:start"',
      ].join('\n')
      const added = await open({ roles })
      const answer = async (line: string) => (await tell(added, 'A', line)).answer
      expect(await answer('#DEPLOY:start:prod')).toBe('deploying:prod')
      expect(await answer('#DEPLOY:start')).toBe('#ERROR:E002:missing_env')
      expect(await answer('#HELP:DEPLOY:start')).toBe(
        'Usage: #DEPLOY:start:<env>\nStarts a deployment\nEx: #DEPLOY:start:env',
      )
      expect(await answer('#HELP:all')).toContain('• #SHIP - Ships [DEPRECATED]')
      expect(await answer('#SUPPORTS:#DEPLOY:start')).toBe('true')
      // Still works, and says so.
      expect(await answer('#SHIP')).toBe('shipped\n[DEPRECATED] Use #DEPLOY:start')
    })

    it('[SA-8][SA-9][X-doctor] a mistake in one role or command stops only what needs it', async () => {
      const command = 'limit: fixed\n    help: y'
      for (const [text, line, needs] of [
        [`commands:\n  STATE:drop:\n    says: x\n    ${command}`, 2, undefined],
        [`commands:\n  LOCK:\n    says: x\n    ${command}`, 2, undefined],
        [`commands:\n  deploy:\n    says: x\n    ${command}`, 2, undefined],
        ['commands:\n  DEPLOY:\n    says: x\n    help: y', 2, '#DEPLOY'],
        ['commands:\n  DEPLOY:\n    says: x\n    limit: fixed', 2, '#DEPLOY'],
        ['commands:\n  DEPLOY:\n    says: x\n    limit: huge\n    help: y', 4, '#DEPLOY'],
        ['roles:\n  Dev: {}', 2, '#DELEGATE:Dev:x'],
        ['roles:\n  Dev:\n    program: rm -rf', 3, '#DELEGATE:Dev:x'],
        // Nobody knows what was meant: any role, any command.
        ['rolls: x', 1, '#DELEGATE:Dev:x'],
        ['rolls: x', 1, '#DEPLOY'],
        ['roles: x', 1, '#DELEGATE:Dev:x'],
        ['roles:\n  Dev:\n    via: mr\n  Dev:\n    via: mr', 4, '#DELEGATE:Dev:x'],
        ['roles: [', 1, '#DELEGATE:Dev:x'],
      ] as const) {
        const broken = await open({ roles: text })
        expect((await tell(broken, 'A', '#VERSION')).answer).toBe('v1.1.0')
        expect((await tell(broken, 'Orchestrator', 'remember that owner is Ada')).exit).toBe(0)
        expect(await broken.inspect()).toMatchObject([
          { severity: 'error', code: 'BAD_CONFIGURATION', message: expect.stringContaining(`session.yaml:${line}: `) },
        ])
        if (needs === undefined) continue
        const expected = { code: 'BAD_CONFIGURATION', exit: 2, details: { line } }
        await expect(tell(broken, 'A', needs)).rejects.toMatchObject(expected)
      }
      const roles = [
        'roles:\n  Bad:\n    program: x\n  Fine:\n    program: [echo, fine]',
        `commands:\n  BAD:\n    says: x\n  SHIP:\n    says: shipped\n    ${command}`,
      ].join('\n')
      const settings = { startRunners: false, automaticCheckpoints: false }
      const earlier = await open({ roles: roles.replace('x', '[echo, x]'), settings })
      await tell(earlier, 'A', '#DELEGATE:Bad:before')
      const mixed = await open({ roles, settings, ports: { runProgram, folder: '/' } })
      const answer = async (line: string) => (await tell(mixed, 'A', line)).answer
      expect(await answer('#SHIP')).toBe('shipped')
      expect(await answer('#DELEGATE:Fine:work')).toBe('ack:task_id_002')
      expect(await answer('#DELEGATE:Else:work')).toBe('ack:task_id_003\nunassigned:Else')
      expect(await answer('#HELP:all')).toContain('• #SHIP - y')
      expect((await tell(mixed, 'A', '#NONE')).answer).toBe('#ERROR:E001:unknown_command_NONE')
      expect((await mixed.inspect()).map(({ message }) => /yaml:(\d+)/.exec(message)?.[1])).toEqual(['3', '7'])
      for (const needs of ['#BAD', '#DELEGATE:Bad:work', '#RETRY:Bad:before'])
        await expect(tell(mixed, 'A', needs), needs).rejects.toMatchObject({ code: 'BAD_CONFIGURATION' })
      // What was given before the mistake fails with its reason, and keeps nobody else waiting.
      expect(await mixed.work({ session })).toMatchObject([
        { task: 'task_id_001', state: 'failed', result: expect.stringContaining('session.yaml:3: ') },
        { task: 'task_id_002', state: 'completed', result: 'fine' },
      ])
    })

    it('[SA-13a][SA-13b] a checkpoint of one process is rolled back to by another, with files and state', async () => {
      const root = makeRepository()
      const ports = {
        workTree: ({ onBranch }: { readonly onBranch: boolean }) =>
          findWorkTree({ git: gitRunner(), files: plainFiles, from: root, leaveAlone: [], onBranch }),
      }
      one = await open({ ports })
      other = await open({ ports })
      await say('A', '#STATE:save:k:old')
      put(root, { 'work.txt': 'old\n' })
      expect(await say('A', '#CHECKPOINT:create:manual:first')).toBe('checkpoint_id:cp_001')
      // How long git takes says nothing about the session.
      const traffic = (await textAt(`${folder}/1/traffic`)).trimEnd().split('\n')
      expect(traffic.map((line) => line.replace(/\d+/g, 'N'))).toEqual(['N . N STATE:save', 'N .'])
      await say('A', '#STATE:save:k:new')
      await say('A', '#LOCK:r:600')
      put(root, { 'work.txt': 'new\n' })
      expect((await reply('B', '#ROLLBACK:first')).split('\n').at(-1)).toBe('rolled_back:cp_001')
      expect(readFileSync(join(root, 'work.txt'), 'utf8')).toBe('old\n')
      expect(await reply('B', '#STATE:load:k')).toBe('old')
      expect(await reply('B', '#LOCK:r:1')).toBe('locked')
      // Both processes take ids that nobody has.
      const made = await Promise.all([say('A', '#CHECKPOINT:create:auto:a'), reply('B', '#CHECKPOINT:create:auto:b')])
      expect(made.sort()).toEqual(['checkpoint_id:cp_003', 'checkpoint_id:cp_004'])
      expect(await say('A', '#ROLLBACK:cp_002')).toMatch(/rolled_back:cp_002$/)
      expect(readFileSync(join(root, 'work.txt'), 'utf8')).toBe('new\n')
      expect(await say('A', '#STATE:load:k')).toBe('new')
      expect(await one.inspect()).toEqual([])
    })

    it('[X-doctor] a document that cannot be read is told, and stops no other session', async () => {
      await say('A', '#STATE:save:k:v')
      const broken = at('.signalbox/state/sessions/broken/session.json')
      await tree().create(broken, '{"id": "broken"')
      await tree().create(at(`${folder}/log/000000.json`), 'no JSON')
      await expect(tell(one, 'A', '#VERSION', 'broken')).rejects.toMatchObject({ code: 'BAD_SESSION', exit: 5 })
      expect((await one.list()).map((view) => view.session)).toEqual([session])
      expect(await reply('A', '#STATE:load:k')).toBe('v')
      expect((await one.inspect()).map(({ code, path }) => [code, path])).toEqual([
        ['BAD_SESSION', broken],
        ['BAD_SESSION_LOG', `${folder}/log/000000.json`],
      ])
    })
  })
}

/** On a cluster another process may see a change a moment later. */
async function becomes<T>(ask: () => Promise<T>, expected: T): Promise<void> {
  const until = Date.now() + 10_000
  while ((await ask()) !== expected && Date.now() < until) await new Promise((done) => setTimeout(done, 1))
  expect(await ask()).toBe(expected)
}

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of stream) found.push(item)
  return found
}

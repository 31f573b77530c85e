/**
 * AC-MQ by nothing but the tree: what every engine must let it do. The scenarios beside the specification use real files
 * to play other programs; here only the library speaks, so that any engine can stand below.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { heldClock } from '../../src/kernel/clock.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import type { Mission } from '../../src/protocols/ac-mq/store/mission.ts'
import type { Claimed } from '../../src/protocols/ac-mq/store/outcomes.ts'
import type { Tree } from '../../src/tree/tree.ts'
import type { EnginePlace } from './every-engine.ts'

export function describeAcmq(name: string, prepare: () => Promise<EnginePlace>): void {
  describe(`AC-MQ on ${name}`, () => {
    const clock = heldClock(Date.now())
    let tree: Tree
    let mission: Mission
    /** Another process with the same mission open. */
    let elsewhere: { tree: Tree; mission: Mission }

    beforeEach(async () => {
      const place = await prepare()
      tree = await place.open(clock)
      mission = (await (await missionsOn(tree)).create('alpha', { objective: 'Build the thing' })).mission
      const other = await place.open(clock)
      elsewhere = { tree: other, mission: await (await missionsOn(other)).open('alpha') }
    })
    afterEach(async () => {
      await tree.close()
      await elsewhere.tree.close()
    })

    const missionsOn = (on: Tree) => acmq.open({ tree: on, clock, settings: acmq.defaults })
    const send = (summary: string, more: object = {}) =>
      mission.sending.send({ from: 'claude', to: 'gemini', body: `${summary}\n`, summary, ...more })
    const claimed = (claim: Claimed) => {
      if (claim.outcome !== 'claimed') throw new Error(`nothing to claim: ${JSON.stringify(claim)}`)
      return claim.message
    }
    const queue = async (of: string) => (await tree.list(treePath(`llm/missions/alpha/queue/${of}`))).map((e) => e.name)

    it('a message goes from queue to queue, and its status with it', async () => {
      const { message } = await send('Design the schema')
      const taken = claimed(await elsewhere.mission.claims.next({ agent: 'gemini' }))
      expect(taken).toMatchObject({ id: message.id, state: 'processing', attempt: 1, body: 'Design the schema\n' })
      expect([await queue('pending'), await queue('processing')]).toEqual([[], [message.name]])
      const done = await elsewhere.mission.settling.complete(
        taken,
        { agent: 'gemini', attempt: 1 },
        { text: 'Three tables.' },
      )
      expect(done.outcome).toBe('completed')
      const leaf = await tree.read(treePath(`llm/missions/alpha/queue/completed/${message.name}`))
      expect(Buffer.from(leaf!.bytes).toString()).toMatch(/^status: completed\s*$[\s\S]*Three tables\./m)
      expect(await (await mission.overview()).status()).toMatchObject({
        counts: { pending: 0, processing: 0, completed: 1, failed: 0 },
      })
    })

    it('is claimed by priority, then time, then id, and by one of many', async () => {
      const at = (second: number) => ({ timestamp: `2026-01-01T00:00:0${second}Z` })
      await send('low', { priority: 5, ...at(1) })
      await send('later', { priority: 3, ...at(3) })
      await send('older', { priority: 3, to: 'all', ...at(2) })
      await send('urgent', { priority: 1, ...at(9) })
      const order: string[] = []
      for (let i = 0; i < 4; i++) order.push(claimed(await mission.claims.next({ agent: 'gemini' })).summary)
      expect(order).toEqual(['urgent', 'older', 'later', 'low'])
      await send('one', { to: 'all' })
      const claims = await Promise.all(
        [mission, elsewhere.mission, mission].map((from, i) => from.claims.next({ agent: `agent-${i}` })),
      )
      expect(claims.filter(({ outcome }) => outcome === 'claimed').length).toBe(1)
    })

    it('waits for what it depends on, and wakes who waits for it', async () => {
      const { message: first } = await send('first')
      const { message: second } = await send('second', { dependencies: [`msg:${first.id}`] })
      const taken = claimed(await mission.claims.next({ agent: 'gemini' }))
      expect(taken.id).toBe(first.id)
      expect(await elsewhere.mission.claims.next({ agent: 'gemini' })).toMatchObject({ outcome: 'nothing' })
      const waiting = elsewhere.mission.claims.next({ agent: 'gemini', waitMs: 60_000 })
      await mission.settling.complete(taken, { agent: 'gemini', attempt: 1 })
      expect(claimed(await waiting).id).toBe(second.id)
    })

    it('stalls when its time has run out, and a late worker is told', async () => {
      const { message } = await send('slow', { timeoutSeconds: 60 })
      const first = claimed(await elsewhere.mission.claims.next({ agent: 'gemini' }))
      clock.advance(50_000)
      await elsewhere.mission.settling.renew(first, { agent: 'gemini', attempt: 1 })
      clock.advance(50_000)
      expect((await (await mission.upkeep()).supervise()).outcome).toBe('nothing')
      clock.advance(50_000)
      expect((await (await mission.upkeep()).supervise()).stalled).toMatchObject([
        { message: { id: message.id, state: 'failed' } },
      ])
      expect(await mission.settling.retry(message.id)).toMatchObject({ outcome: 'retried', message: { attempt: 2 } })
      const late = elsewhere.mission.settling.complete(first, { agent: 'gemini', attempt: 1 })
      await expect(late).rejects.toMatchObject({ code: 'LOST_CLAIM' })
      const again = claimed(await mission.claims.next({ agent: 'gemini', id: message.id }))
      expect((await mission.settling.complete(again, { agent: 'gemini', attempt: 2 })).outcome).toBe('completed')
    })

    it('can be sent, completed and failed twice, and archived once', async () => {
      expect((await send('Once', { id: 'fixed-id-1' })).outcome).toBe('sent')
      expect((await send('Once', { id: 'fixed-id-1' })).outcome).toBe('unchanged')
      await expect(send('Other', { id: 'fixed-id-1' })).rejects.toMatchObject({ code: 'DUPLICATE_ID' })
      await elsewhere.mission.claims.next({ agent: 'gemini', id: 'fixed-id-1' })
      await mission.settling.complete('fixed-id-1', { agent: 'gemini' }, { text: 'first' })
      expect((await elsewhere.mission.settling.complete('fixed-id-1', { agent: 'gemini' })).outcome).toBe('unchanged')
      const { message } = await send('Fails')
      await mission.claims.next({ agent: 'gemini' })
      await mission.settling.fail(message.id, { agent: 'gemini' }, { reason: 'no' })
      expect((await mission.settling.fail(message.id, { agent: 'gemini' }, { reason: 'again' })).outcome).toBe(
        'unchanged',
      )
      clock.advance(1000)
      expect((await (await mission.upkeep()).archive({ olderThanMs: 0 })).archived).toBe(1)
      expect((await (await elsewhere.mission.upkeep()).archive({ olderThanMs: 0 })).outcome).toBe('nothing')
      expect((await (await mission.overview()).show('fixed-id-1')).id).toBe('fixed-id-1')
    })

    it('with a large body refers to it', async () => {
      const body = 'x'.repeat(300 * 1024)
      const { message } = await mission.sending.send({ from: 'claude', to: 'gemini', body, summary: 'Large' })
      const context = await elsewhere.tree.read(treePath(`llm/missions/alpha/context/message-${message.id}.md`))
      expect(context?.size).toBe(body.length)
      expect(claimed(await elsewhere.mission.claims.next({ agent: 'gemini' })).id).toBe(message.id)
    })

    it('[X-cluster] its memory is the same for both, and each document is made once', async () => {
      const about = ['scans', 'needs an index on', 'plan of', 'measured on']
      for (const [i, what] of about.entries())
        await send(`Slow orders query ${what} the orders table`, { id: `slow000${i}` })
      const made = await Promise.all([(await mission.memory()).bus(), (await elsewhere.mission.memory()).bus()])
      expect(made.map(({ outcome }) => outcome).sort()).toEqual(['made', 'unchanged'])
      expect(await tree.list(treePath('llm/missions/alpha/findings'))).toHaveLength(1)
      const { hits } = await (await elsewhere.mission.memory()).search('indexes')
      expect(hits[0]?.message.id).toBe('slow0001')
      expect(await (await mission.memory()).snapshot(['pending'])).toMatchObject([{ queue: 'pending', messages: 4 }])
      const place = (name: string) => treePath(`llm/missions/alpha/context/${name}`)
      for (const [i, what] of about.entries())
        await tree.create(place(`${i}.md`), `The slow orders query ${what} the orders table\n`)
      const { moves } = await (await mission.memory()).organize()
      expect(moves).toHaveLength(4)
      expect((await elsewhere.mission.settling.checkLinks(['context/0.md'])).notices).toEqual([])
      expect((await (await elsewhere.mission.memory()).undoOrganize()).outcome).toBe('undone')
      expect((await tree.read(place('3.md')))?.size).toBeGreaterThan(0)
      expect((await (await elsewhere.mission.memory()).report({ mode: 'bottom-up' })).document).toContain('slow0003')
      expect((await (await mission.memory()).keep({ bus: true, snapshots: true, organizeFrom: 0 })).documents).toEqual(
        [],
      )
    })

    it('[X-cluster] a snapshot that is due is taken once by two, and what it covers is archived', async () => {
      const completed = (n: number) =>
        treePath(`llm/missions/alpha/queue/completed/20261117150000-m${1000000 + n}-from-a-to-b.md`)
      const header = (n: number) =>
        `id: m${1000000 + n}\nmission_id: alpha\ntimestamp: "2026-11-17T15:00:00Z"\nfrom: a\nto: b\nstatus: completed\ndependencies: []\nsummary: Done`
      await Promise.all(
        Array.from({ length: 52 }, (_, n) => tree.create(completed(n), `---\n${header(n)}\n---\nBody ${n}\n`)),
      )
      await send('Goes on', { id: 'needs000', dependencies: ['msg:m1000007'] })
      clock.advance(1000)
      const merged = await Promise.all([
        (await mission.memory()).merge({ by: 'one' }),
        (await elsewhere.mission.memory()).merge({ by: 'two' }),
      ])
      expect(merged.flatMap(({ snapshots }) => snapshots)).toMatchObject([{ queue: 'completed', messages: 52 }])
      // Who came too late for the archive leaves the rest to the next.
      await (await mission.memory()).merge()
      expect((await (await mission.overview()).list('completed')).messages.map(({ id }) => id)).toEqual(['m1000007'])
      expect((await (await elsewhere.mission.overview()).listArchived()).length).toBe(51)
      expect((await (await elsewhere.mission.overview()).show('m1000051')).body).toContain('Body 51')
      expect(await tree.list(treePath('llm/missions/alpha/artifacts/queue-snapshots'))).toHaveLength(1)
    })

    it('a document above what an engine takes as one value is there whole', async () => {
      const long = 'The orders query is slow on the orders table. '.repeat(5000)
      for (let i = 0; i < 6; i++) await send(`Slow orders ${i}`, { id: `long000${i}`, body: `${i} ${long}` })
      const { documents } = await (await mission.memory()).bus({ query: 'slow orders' })
      const leaf = await elsewhere.tree.read(treePath(documents[0]!.path))
      expect(leaf!.size).toBeGreaterThan(500_000)
      expect(await (await mission.memory()).bus({ query: 'slow orders' })).toMatchObject({ outcome: 'unchanged' })
    })

    it('missions, their manifests and findings are there for both', async () => {
      await (await missionsOn(tree)).create('alpha/beta')
      expect(await (await missionsOn(elsewhere.tree)).all()).toEqual(['alpha', 'alpha/beta'])
      expect((await (await elsewhere.mission.documents()).manifest())?.objective).toBe('Build the thing')
      expect(await (await elsewhere.mission.inspection()).run()).toEqual([])
    })
  })
}

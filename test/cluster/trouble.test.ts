/** What networks and paused machines do to a client, one thing at a time, with a proxy in between. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { treePath as at } from '../../src/kernel/tree-path.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import type { Mission } from '../../src/protocols/ac-mq/store/mission.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { type EtcdCluster, startEtcd, withoutEtcd } from '../support/etcd.ts'
import { type Mode, startProxy, type TcpProxy } from '../support/proxy.ts'

const reason = withoutEtcd()
const bytes = (text: string) => Buffer.from(text)

if (reason !== undefined) it.skip(`a client of etcd in trouble (skipped: ${reason})`, () => {})
else
  describe('a client of etcd in trouble', () => {
    let cluster: EtcdCluster
    let proxies: TcpProxy[]
    /** Reaches the cluster by the proxies. */
    let tree: Tree
    /** Another machine, whose way is clear. */
    let other: Tree
    let tenants = 0

    beforeAll(async () => {
      cluster = await startEtcd(1)
      // Two ways to one server: what goes wrong on the first can be settled by the second.
      proxies = [await startProxy(cluster.nodes[0]!.port), await startProxy(cluster.nodes[0]!.port)]
    }, 60_000)
    afterAll(() => cluster.stop())

    beforeEach(async () => {
      all('pass')
      const tenant = `t${++tenants}`
      const hosts = proxies.map(({ port }) => `127.0.0.1:${port}`).join(',')
      tree = await openEtcdTree({ address: `etcd://${hosts}/${tenant}` })
      other = await openEtcdTree({ address: cluster.address(tenant) })
      await tree.makeFolder(at('a'))
      return async () => {
        await tree.close()
        await other.close()
      }
    })

    const all = (mode: Mode) => {
      for (const proxy of proxies) proxy.mode = mode
    }
    const anyHeld = () => Promise.race(proxies.map((proxy) => proxy.held().then(() => proxy)))
    const names = async (folder: string, from = other) => (await from.list(at(folder))).map(({ name }) => name)

    it('a write that arrives late, when all believe it lost, has no effect', async () => {
      all('hold')
      const creating = tree.create(at('a/message'), bytes('one'))
      const late = await anyHeld()
      for (const proxy of proxies) if (proxy !== late) proxy.mode = 'pass'
      expect((await creating).outcome).toBe('created')
      expect((await other.move(at('a/message'), at('b/message'))).outcome).toBe('moved')
      // Now the first request gets through after all: the name is free again, and must stay so.
      late.release()
      late.mode = 'pass'
      await other.create(at('a/after'), bytes('later'))
      await reaches(async () => (await names('a', tree)).includes('after'))
      expect([await names('a'), await names('b')]).toEqual([['after'], ['message']])
    })

    it('a write that was done without an answer is known to be done, once, also when others have moved on', async () => {
      all('mute')
      const creating = tree.create(at('a/message'), bytes('one'))
      await reaches(async () => (await other.read(at('a/message'))) !== undefined)
      await other.move(at('a/message'), at('b/message'))
      all('pass')
      expect((await creating).outcome).toBe('created')
      expect([await names('a'), await names('b')]).toEqual([[], ['message']])
    })

    const verbs: [string, (tree: Tree) => Promise<{ outcome: string }>, string][] = [
      ['create', (from) => from.create(at('a/new'), bytes('x')), 'created'],
      [
        'replace',
        async (from) => from.replace(at('a/x'), bytes('y'), (await other.read(at('a/x')))!.revision),
        'replaced',
      ],
      ['touch', (from) => from.touch(at('a/x')), 'touched'],
      ['append', (from) => from.append(at('a/log'), 'line'), 'appended'],
      ['move', (from) => from.move(at('a/x'), at('a/y'), { change: (x) => Buffer.concat([x, x]) }), 'moved'],
      ['remove', (from) => from.remove(at('a/x')), 'removed'],
      ['lease', (from) => from.lease('lock', 'me', 60_000), 'held'],
      ['release', (from) => from.release('mine', 'me'), 'released'],
    ]
    it.each(verbs)('%s without an answer is done once, and said to be done', async (_, write, outcome) => {
      await tree.create(at('a/x'), bytes('x'))
      await tree.append(at('a/log'), 'first')
      await tree.lease('mine', 'me', 60_000)
      const state = async () => {
        const listed = await other.list(at('a'), { times: true })
        const texts = await Promise.all(listed.map(async ({ name }) => (await other.read(at(`a/${name}`)))?.bytes))
        return JSON.stringify([listed, texts.map(String), await other.leases()])
      }
      const before = await state()
      all('mute-writes')
      const writing = write(tree)
      await reaches(async () => (await state()) !== before)
      const after = await state()
      all('pass')
      expect((await writing).outcome).toBe(outcome)
      expect(await state()).toBe(after)
    })

    it('a network that drops everything on one way and is slow on the other costs time, nothing else', async () => {
      const [first, second] = proxies as [TcpProxy, TcpProxy]
      const expected = Array.from({ length: 12 }, (_, i) => `message-${10 + i}`)
      second.delayMs = 20
      for (const [i, name] of expected.entries()) {
        // Cut and restored in the middle of the work, again and again.
        first.mode = i % 4 === 0 ? 'drop' : 'pass'
        expect((await tree.create(at(`a/${name}`), bytes(name))).outcome).toBe('created')
        expect((await tree.move(at(`a/${name}`), at(`b/${name}`))).outcome).toBe('moved')
      }
      second.delayMs = 0
      expect([await names('a'), await names('b')]).toEqual([[], expected])
    })

    it('a watch that has fallen silent is noticed: what others wrote is seen', async () => {
      // Asked often enough, the folder is kept by a watch.
      for (let i = 0; i < 4; i++) await tree.list(at('a'))
      await other.create(at('a/first'), bytes('x'))
      await reaches(async () => (await names('a', tree)).includes('first'))
      for (const proxy of proxies) proxy.silence()
      await other.create(at('a/second'), bytes('x'))
      await reaches(async () => (await names('a', tree)).includes('second'))
    })

    it('a single command asks for what it needs, not for the folder it writes to', async () => {
      for (let i = 0; i < 300; i++) await other.create(at(`a/message-${i}`), Buffer.alloc(1000, 'x'))
      const before = proxies.map(({ received }) => received)
      // As a command does it: look, read one, write one, go.
      await tree.look(at('a'))
      await tree.read(at('a/message-7'))
      expect((await tree.create(at('a/new'), bytes('x'))).outcome).toBe('created')
      expect((await tree.move(at('a/message-7'), at('b/message-7'))).outcome).toBe('moved')
      const received = proxies.reduce((sum, proxy, i) => sum + proxy.received - before[i]!, 0)
      expect(received).toBeLessThan(20_000)
    })

    it('a claim by a fresh process costs as much with 500 waiting as with twenty', async () => {
      const mission = async (on: Tree) => await acmq.open({ tree: on, clock: systemClock, settings: acmq.defaults })
      const { mission: sender } = await (await mission(other)).create('alpha')
      const send = async (count: number) => {
        const task = { from: 'ann', to: 'bob', body: 'A task.\n'.repeat(60) }
        for (let sent = 0; sent < count; sent += 20)
          await Promise.all(Array.from({ length: 20 }, () => sender.sending.send(task)))
      }
      // Five, and one more where a policy is looked for again because winning the message took a while.
      const mostRequests = 6
      const cost = async (command: (fresh: Mission) => Promise<{ outcome: string }>) => {
        const sum = (of: 'requests' | 'received') => proxies.reduce((all, proxy) => all + proxy[of], 0)
        const [requests, received] = [sum('requests'), sum('received')]
        const hosts = proxies.map(({ port }) => `127.0.0.1:${port}`).join(',')
        // Another setting makes it another client, which shares nothing with those of the test.
        const fresh = await openEtcdTree({ address: `etcd://${hosts}/t${tenants}`, patienceMs: 20_001 })
        const { outcome } = await command(await (await mission(fresh)).open('alpha'))
        await fresh.close()
        const asked = sum('requests') - requests
        return { outcome, isQuick: asked <= mostRequests, isSmall: sum('received') - received < 20_000 }
      }
      const claim = (as: string) => (fresh: Mission) => fresh.claims.next({ agent: as })
      // The first that an agent does is noted, which is a write of its own.
      expect(await cost(claim('bob'))).toMatchObject({ outcome: 'nothing', isSmall: true })
      await send(20)
      const before = await cost(claim('bob'))
      await send(500)
      expect(before).toEqual({ outcome: 'claimed', isQuick: true, isSmall: true })
      expect(await cost(claim('bob'))).toEqual(before)
      expect(await cost((fresh) => fresh.sending.send({ from: 'ann', to: 'bob', body: 'More', priority: 1 }))).toEqual({
        outcome: 'sent',
        isQuick: true,
        isSmall: true,
      })
      expect(await cost((fresh) => claim('bob')(fresh))).toEqual(before)
      // The urgent one that was sent last was claimed first.
      const claimed = (await (await sender.overview()).list('processing')).messages
        .map(({ priority }) => priority)
        .sort()
      expect(claimed).toEqual([1, 3, 3])
      expect(await cost(claim('cara'))).toMatchObject({ outcome: 'nothing', isSmall: true })
    })

    it('labels go with their leaves, and one leaf without a label ends the short way', async () => {
      const first = () => tree.first!(at('a'), ['x ', 'y '], 2)
      expect(await first()).toEqual([])
      for (const [name, label] of Object.entries({ one: 'x 2', two: 'x 1', three: 'x 3', four: 'y 1', five: 'z 1' }))
        await tree.create(at(`a/${name}`), bytes(name), { label: () => label })
      const [one, two, three, four] = ['x 2 one', 'x 1 two', 'x 3 three', 'y 1 four']
      const found = async () => (await first())?.map(({ name, label }) => `${label} ${name}`)
      expect(await found()).toEqual([two, one, four])
      await tree.move(at('a/two'), at('b/two'))
      await tree.replace(at('a/one'), bytes('1'), (await tree.read(at('a/one')))!.revision)
      await tree.touch(at('a/one'))
      await tree.move(at('a/one'), at('a/one'), { change: () => bytes('2') })
      expect(await found()).toEqual([one, three, four])
      await tree.remove(at('a/one'))
      await tree.move(at('a/four'), at('a/four'), { change: () => bytes('4'), label: () => 'x 4' })
      expect(await found()).toEqual([three, 'x 4 four'])
      await tree.move(at('b/two'), at('a/two'), { label: () => 'y 2' })
      expect(await found()).toEqual([three, 'x 4 four', 'y 2 two'])
      await tree.append(at('a/three'), 'a line')
      expect(await found()).toBeUndefined()
      await tree.remove(at('a/three'))
      await other.create(at('a/plain'), bytes('x'))
      expect(await found()).toBeUndefined()
      await other.remove(at('a/plain'))
      expect(await found()).toEqual(['x 4 four', 'y 2 two'])
    })

    it('after compaction a watch begins anew, with nothing missing', async () => {
      for (let i = 0; i < 4; i++) await tree.list(at('a'))
      await other.create(at('a/first'), bytes('x'))
      await reaches(async () => (await names('a', tree)).includes('first'))
      all('refuse')
      for (const proxy of proxies) proxy.cut()
      await other.remove(at('a/first'))
      for (let i = 0; i < 20; i++) await other.create(at(`a/new-${i}`), bytes('x'))
      await compact(cluster)
      all('pass')
      const now = Array.from({ length: 20 }, (_, i) => `new-${i}`).sort()
      await reaches(async () => (await names('a', tree)).join() === now.join())
    })
  })

/** Waits for something that others do; a look costs a request, so this is no busy loop. */
async function reaches(isThere: () => Promise<boolean>): Promise<void> {
  while (!(await isThere())) await new Promise(setImmediate)
}

async function compact(cluster: EtcdCluster): Promise<void> {
  const ask = async (path: string, body: object) =>
    (await (await fetch(`${cluster.nodes[0]!.url}${path}`, { method: 'POST', body: JSON.stringify(body) })).json()) as {
      header: { revision: string }
    }
  const { revision } = (await ask('/v3/kv/range', { key: 'AA==' })).header
  await ask('/v3/kv/compaction', { revision, physical: true })
}

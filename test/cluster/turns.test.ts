/** Turns between processes and machines that die, sleep or are cut off. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { treePath as at } from '../../src/kernel/tree-path.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { spawnChild } from '../support/child.ts'
import { type EtcdCluster, startEtcd, withoutEtcd } from '../support/etcd.ts'
import { startProxy, type TcpProxy } from '../support/proxy.ts'

const reason = withoutEtcd()
/** The least that etcd makes of it. */
const turnSeconds = 2
const bytes = (text: string) => Buffer.from(text)

if (reason !== undefined) it.skip(`turns on etcd (skipped: ${reason})`, () => {})
else
  describe('turns on etcd', () => {
    let cluster: EtcdCluster
    let proxies: TcpProxy[]
    let address: string
    let tree: Tree
    let tenants = 0
    let machines = 0
    const opened: Tree[] = []

    beforeAll(async () => {
      cluster = await startEtcd(1)
      proxies = [await startProxy(cluster.nodes[0]!.port), await startProxy(cluster.nodes[0]!.port)]
    }, 60_000)
    afterAll(() => cluster.stop())

    beforeEach(async () => {
      for (const proxy of proxies) proxy.mode = 'pass'
      address = cluster.address(`t${++tenants}`)
      tree = await machine()
      return async () => {
        for (const one of opened.splice(0)) await one.close()
      }
    })

    /** A client of its own: other trees of this process share nothing with it. */
    async function machine(at = address): Promise<Tree> {
      const one = await openEtcdTree({ address: at, turnSeconds, patienceMs: 20_000 + ++machines })
      opened.push(one)
      return one
    }
    const byProxies = () => machine(`etcd://${proxies.map(({ port }) => `127.0.0.1:${port}`).join(',')}/t${tenants}`)
    const names = async (folder: string, from = tree) => (await from.list(at(folder))).map(({ name }) => name)
    /** How many stand in line, the one whose turn it is among them. */
    async function inLine(name: string): Promise<number> {
      const prefix = `sbx/t${tenants}/.signalbox/engine/turns\0${JSON.stringify(name)}\0`
      const wire = (text: string) => Buffer.from(text).toString('base64')
      const body = JSON.stringify({
        key: wire(prefix),
        range_end: wire(`${prefix.slice(0, -1)}\x01`),
        count_only: true,
      })
      const answer = await fetch(`${cluster.nodes[0]!.url}/v3/kv/range`, { method: 'POST', body })
      return Number(((await answer.json()) as { count?: string }).count ?? 0)
    }
    const line = async (length: number) => {
      while ((await inLine('inbox')) !== length) await new Promise(setImmediate)
    }

    it('[X-crash] end with a process that is killed; what it did stays', async () => {
      const holder = spawnChild('etcd-turn', [address, `${turnSeconds}`])
      expect(await holder.nextLine()).toBe('mine')
      const next = tree.exclusively('inbox', () => names('held'))
      await line(2)
      const killedAt = performance.now()
      holder.kill()
      expect(await next).toEqual(['first'])
      // Two seconds for the lease, half a second until etcd looks, and the rest for a busy machine.
      expect(performance.now() - killedAt).toBeLessThan(10_000)
    }, 30_000)

    it('are lost to a process that slept too long: whatever it writes then is refused', async () => {
      const holder = spawnChild('etcd-turn', [address, `${turnSeconds}`])
      expect(await holder.nextLine()).toBe('mine')
      await tree.append(at('held/log'), 'in time')
      holder.kill('SIGSTOP')
      const state = () =>
        tree.exclusively('inbox', async () => {
          const listed = await tree.list(at('held'), { times: true })
          return JSON.stringify([listed, String((await tree.read(at('held/log')))?.bytes), await tree.leases()])
        })
      const before = await state()
      holder.kill('SIGCONT')
      holder.say('go on')
      const said = JSON.parse((await holder.nextLine())!) as Record<string, string>
      expect(Object.keys(said).length).toBe(9)
      expect(new Set(Object.values(said))).toEqual(new Set(['TURN_LOST']))
      expect(await holder.nextLine()).toBe('created')
      expect((await holder.exited).code).toBe(0)
      expect(await tree.remove(at('held/again'))).toMatchObject({ outcome: 'removed' })
      expect(JSON.parse(await state())).toEqual(JSON.parse(before))
      expect(await names('')).toEqual(['held'])
    }, 30_000)

    it('are kept for longer than the lease by a process that lives', async () => {
      const other = await machine()
      let isOver = false
      const first = tree.exclusively('inbox', async () => {
        // A lease is the cluster's time, which no test can hold: longer than one and a half of them.
        for (let i = 0; i < turnSeconds * 1.5 + 1; i++) {
          await new Promise((resolve) => setTimeout(resolve, 1000))
          expect((await tree.create(at(`held/${i}`), bytes('x'))).outcome).toBe('created')
        }
        isOver = true
      })
      await line(1)
      expect(await other.exclusively('inbox', async () => isOver)).toBe(true)
      await first
    }, 30_000)

    it('come in the order in which they were asked for', async () => {
      const others = [await machine(), await machine(), await machine()]
      const order: number[] = []
      let go: () => void = () => {}
      const gone = new Promise<void>((resolve) => (go = resolve))
      const turns: Promise<unknown>[] = [tree.exclusively('inbox', () => gone)]
      await line(1)
      for (const [i, one] of others.entries()) {
        turns.push(one.exclusively('inbox', async () => order.push(i)))
        await line(i + 2)
      }
      go()
      await Promise.all(turns)
      expect(order).toEqual([0, 1, 2])
      expect(await inLine('inbox')).toBe(0)
    })

    it('see what was written in the turn before, also when a copy of the folder has fallen behind', async () => {
      const behind = await byProxies()
      await tree.create(at('a/one'), bytes('x'))
      for (let i = 0; i < 4; i++) await behind.list(at('a'))
      await tree.create(at('a/two'), bytes('x'))
      // It has just heard of something, and takes its copy for good.
      while (!(await names('a', behind)).includes('two')) await new Promise(setImmediate)
      for (const proxy of proxies) proxy.silence(/\/v3\/watch/)
      await tree.exclusively('inbox', () => tree.create(at('a/three'), bytes('x')))
      expect(await behind.exclusively('inbox', () => names('a', behind))).toEqual(['one', 'three', 'two'])
    })

    it('are asked for once, also when the answer never comes; nobody is left in line', async () => {
      const cutOff = await byProxies()
      await cutOff.exclusively('warm', async () => {})
      for (const proxy of proxies) proxy.mode = 'mute-writes'
      const turn = cutOff.exclusively('inbox', async () => inLine('inbox'))
      await line(1)
      for (const proxy of proxies) proxy.mode = 'pass'
      expect(await turn).toBe(1)
      expect(await inLine('inbox')).toBe(0)
    })

    it('that were asked for by a request that arrives much later are nobody’s', async () => {
      const cutOff = await byProxies()
      await cutOff.exclusively('warm', async () => {})
      for (const proxy of proxies) proxy.mode = 'hold'
      const turn = cutOff.exclusively('inbox', async () => 'had')
      const late = await Promise.race(proxies.map((proxy) => proxy.held().then(() => proxy)))
      for (const proxy of proxies) if (proxy !== late) proxy.mode = 'pass'
      expect(await turn).toBe('had')
      late.release()
      late.mode = 'pass'
      expect(await tree.exclusively('inbox', async () => 'had too')).toBe('had too')
      expect(await inLine('inbox')).toBe(0)
    })
  })

if (reason === undefined)
  describe('turns on etcd, while leaders change', () => {
    let cluster: EtcdCluster
    beforeAll(async () => {
      cluster = await startEtcd(3)
    }, 60_000)
    afterAll(() => cluster.stop())

    const ask = async (url: string, path: string, body: object) =>
      (await fetch(`${url}/v3/maintenance/${path}`, { method: 'POST', body: JSON.stringify(body) })).json()

    /** Makes another member the leader, which begins to count every lease anew. */
    async function changeLeader(): Promise<void> {
      const leader = await cluster.leader()
      const other = cluster.nodes.find((node) => node !== leader)!
      const { header } = (await ask(other.url, 'status', {})) as { header: { member_id: string } }
      await ask(leader.url, 'transfer-leadership', { targetID: header.member_id })
      while ((await cluster.leader()) === leader) await new Promise((done) => setTimeout(done, 10))
    }

    it('[X-crash] end with a process that is killed all the same', async () => {
      const address = cluster.address('t')
      const dead = [
        spawnChild('etcd-turn', [address, `${turnSeconds}`]),
        spawnChild('etcd-turn', [address, `${turnSeconds}`]),
      ]
      expect(await Promise.race(dead.map((one) => one.nextLine()))).toBe('mine')
      const tree = await openEtcdTree({ address, turnSeconds })
      try {
        let isMine = false
        const next = tree.exclusively('inbox', async () => {
          isMine = true
          return (await tree.list(at('held'))).map(({ name }) => name)
        })
        const killedAt = performance.now()
        for (const one of dead) one.kill()
        let changes = 0
        // Sooner than a lease ends, as long as somebody waits.
        while (!isMine && performance.now() - killedAt < 20_000) {
          await changeLeader()
          changes++
          for (let n = 0; n < 10 && !isMine; n++) await new Promise((done) => setTimeout(done, 100))
        }
        expect(await next).toEqual(['first'])
        expect(performance.now() - killedAt).toBeLessThan(10_000)
        expect(changes).toBeGreaterThan(1)
      } finally {
        await tree.close()
      }
    }, 60_000)

    it('stay with a process that lives', async () => {
      const address = cluster.address('living')
      const machines = [1, 2].map((n) => openEtcdTree({ address, turnSeconds, patienceMs: 30_000 + n }))
      const [one, other] = (await Promise.all(machines)) as [Tree, Tree]
      try {
        const said: string[] = []
        const first = one.exclusively('inbox', async () => {
          const next = other.exclusively('inbox', async () => said.push('second'))
          for (let n = 0; n < 2 * turnSeconds; n++) {
            await changeLeader()
            await one.create(at(`held/${n}`), bytes('x'))
            await new Promise((done) => setTimeout(done, 500))
          }
          said.push('first')
          return { next }
        })
        await (await first).next
        expect(said).toEqual(['first', 'second'])
      } finally {
        await one.close()
        await other.close()
      }
    }, 60_000)
  })

/** Work that may be repeated (`TurnOptions.mayRepeat`) is one transaction on etcd: whole or nothing, and never out of date. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { NoAnswer, Transport } from '../../src/engines/etcd/transport.ts'
import { conflict } from '../../src/kernel/errors.ts'
import { treePath as at } from '../../src/kernel/tree-path.ts'
import type { Leaf, Tree } from '../../src/tree/tree.ts'
import { type EtcdCluster, startEtcd, withoutEtcd } from '../support/etcd.ts'
import { gate } from '../support/mortal-tree.ts'

const reason = withoutEtcd()
const textOf = (leaf: Leaf | undefined) => leaf && Buffer.from(leaf.bytes).toString()
const bytes = (text: string) => Buffer.from(text)

if (reason !== undefined) it.skip(`transactions on etcd (skipped: ${reason})`, () => {})
else
  describe('transactions on etcd', () => {
    let cluster: EtcdCluster
    let address: string
    let tree: Tree
    let other: Tree
    let tenants = 0
    let machines = 0
    const opened: Tree[] = []
    const real = Transport.prototype.request
    /** The bodies of transactions that write. */
    let commits: string[] = []
    /** Called before such a transaction is sent, with its number. */
    let onCommit: (number: number, send: () => Promise<unknown>) => Promise<unknown> = (_, send) => send()

    beforeAll(async () => {
      cluster = await startEtcd(1)
      Transport.prototype.request = function (...words) {
        const send = () => real.apply(this, words)
        if (words[1] !== '/v3/kv/txn' || !/request_put|request_delete/.test(words[2])) return send()
        commits.push(words[2])
        return onCommit(commits.length, send) as ReturnType<typeof send>
      }
    }, 60_000)
    afterAll(async () => {
      Transport.prototype.request = real
      await cluster.stop()
    })
    beforeEach(async () => {
      address = cluster.address(`t${++tenants}`)
      tree = await machine()
      other = await machine()
      await tree.create(at('a/first'), bytes('1'))
      await tree.create(at('b/other'), bytes('b'))
      commits = []
      onCommit = (_, send) => send()
      return async () => {
        for (const one of opened.splice(0)) await one.close()
      }
    })

    /** A client of its own: other trees of this process share nothing with it. */
    async function machine(): Promise<Tree> {
      const one = await openEtcdTree({ address, patienceMs: 20_000 + ++machines })
      opened.push(one)
      return one
    }
    const names = async (folder: string, from = tree) =>
      (await from.list(at(folder), { fresh: true })).map(({ name }) => name)
    const reading = async (path: string, from = tree) => textOf(await from.read(at(path), { fresh: true }))
    const once = <T>(work: () => Promise<T>, on = tree) => on.exclusively('subject', work, { mayRepeat: true })

    it('[X-cluster] sees its own writes, and makes one request of them', async () => {
      await tree.append(at('a/log'), 'before')
      for (const folder of ['new/deep', 'c']) await tree.makeFolder(at(folder))
      commits = []
      const seen = await once(async () => {
        const { revision } = (await tree.read(at('a/first')))!
        await tree.replace(at('a/first'), bytes('2'), revision)
        await tree.create(at('new/deep/leaf'), 'made')
        await tree.move(at('b/other'), at('a/moved'), { change: (before) => Buffer.concat([before, bytes('!')]) })
        for (const line of ['line', 'next', 'last']) await tree.append(at('a/log'), line)
        await tree.create(at('a/note'), 'for a moment')
        await tree.remove(at('a/note'))
        const { lease } = await tree.lease('thing', 'me', 1000)
        return [
          await reading('a/first'),
          await reading('new/deep/leaf'),
          await reading('a/moved'),
          await reading('a/log'),
          await names('a'),
          await names('b'),
          await names('new'),
          (await tree.leases()).map(({ resource }) => resource),
          (await tree.create(at('c/guarded'), 'x', { under: lease })).outcome,
          (await tree.look(at('new')))?.kind,
        ]
      })
      expect(seen).toEqual([
        '2',
        'made',
        'b!',
        'before\nline\nnext\nlast\n',
        ['first', 'log', 'moved'],
        [],
        ['deep'],
        ['thing'],
        'created',
        'folder',
      ])
      expect([await names('a', other), await reading('a/log', other), await reading('c/guarded', other)]).toEqual([
        ['first', 'log', 'moved'],
        'before\nline\nnext\nlast\n',
        'x',
      ])
      expect(commits.length).toBe(1)
    })

    it('[X-cluster] does nothing when the work fails, and nothing of it is seen before the end', async () => {
      const [here, goOn] = [gate(), gate()]
      const failing = once(async () => {
        await tree.create(at('a/second'), 'x')
        here.open()
        await goOn.opened
        throw conflict('WRONG_STATE', 'No.', { hint: 'None.' })
      })
      await here.opened
      expect(await names('a', other)).toEqual(['first'])
      goOn.open()
      await expect(failing).rejects.toMatchObject({ code: 'WRONG_STATE' })
      expect(await names('a', other)).toEqual(['first'])
    })

    const changes: readonly (readonly [
      what: string,
      read: (on: Tree) => Promise<unknown>,
      change: () => Promise<unknown>,
    ])[] = [
      [
        'a leaf',
        (on) => on.read(at('a/first')),
        async () => other.replace(at('a/first'), bytes('9'), (await other.read(at('a/first')))!.revision),
      ],
      ['a leaf that was not there', (on) => on.read(at('a/second')), () => other.create(at('a/second'), '2')],
      ['a listing', (on) => on.list(at('a')), () => other.create(at('a/second'), '2')],
      ['a listing of nothing', (on) => on.list(at('none')), () => other.create(at('none/second'), '2')],
      ['what was looked at', (on) => on.look(at('a/first')), () => other.remove(at('a/first'))],
      ['a log', (on) => on.read(at('b/log')), () => other.append(at('b/log'), 'line')],
      ['leases', (on) => on.leases(), () => other.lease('r', 'they', 1000)],
      ['a lease', (on) => on.release('r', 'they'), () => other.lease('r', 'they', 1000)],
    ]
    for (const [what, read, change] of changes) {
      for (const isKnown of [false, true]) {
        it(`[X-cluster] runs again when ${what} was changed${isKnown ? ' and the copy is old' : ''}`, async () => {
          // After a few questions a copy of the folder is kept.
          if (isKnown) for (let i = 0; i < 5; i++) for (const folder of ['a', 'b', 'none']) await tree.list(at(folder))
          let runs = 0
          await once(async () => {
            await read(tree)
            if (++runs === 1) await other.exclusively('not in it', change)
            await tree.create(at(`out/run-${runs}`), 'x')
          })
          expect(runs).toBe(2)
          expect(await names('out')).toEqual(['run-2'])
        })
      }
    }

    it('[X-cluster] answers nothing that was out of date, also when it writes nothing or throws', async () => {
      for (let i = 0; i < 5; i++) await tree.list(at('a'))
      let runs = 0
      const seen = await once(async () => {
        const found = (await tree.list(at('a'))).length
        if (++runs === 1) await other.create(at('a/second'), '2')
        return found
      })
      expect([seen, runs]).toEqual([2, 2])
      await once(async () => {
        const found = await tree.read(at('a/third'))
        if (++runs === 3) await other.create(at('a/third'), '3')
        if (!found) throw conflict('WRONG_STATE', 'Not there.', { hint: 'None.' })
      })
      expect(runs).toBe(4)
    })

    it('[X-cluster] is fenced by a lease that another got meanwhile', async () => {
      const { lease } = await tree.lease('thing', 'me', 60_000)
      let runs = 0
      const outcome = await once(async () => {
        const written = await tree.create(at('a/guarded'), 'x', { under: lease })
        if (++runs === 1) {
          await other.release('thing', 'me')
          await other.lease('thing', 'they', 60_000)
        }
        return written.outcome
      })
      expect([outcome, await names('a')]).toEqual(['fenced', ['first']])
    })

    it('[X-cluster] waits for a turn that somebody has, and nobody has a turn in the middle of it', async () => {
      const [here, goOn] = [gate(), gate()]
      const slow = other.exclusively('subject', async () => {
        const before = await reading('a/first', other)
        here.open()
        await goOn.opened
        await other.replace(at('a/first'), bytes(`${before}+slow`), (await other.read(at('a/first')))!.revision)
      })
      await here.opened
      let runs = 0
      const quick = once(async () => {
        runs++
        const leaf = (await tree.read(at('a/first')))!
        await tree.replace(at('a/first'), bytes(`${textOf(leaf)}+quick`), leaf.revision)
      })
      // Its first commit fails, because the turn is not free; then it stands in line.
      while (
        commits.filter((body) => body.includes(Buffer.from('quick').toString('base64').slice(0, 4))).length === 0 &&
        runs < 1
      )
        await new Promise(setImmediate)
      goOn.open()
      await Promise.all([slow, quick])
      expect(await reading('a/first')).toBe('1+slow+quick')
    })

    it('[X-cluster] is done verb by verb where it is too large for one transaction', async () => {
      const many = async (on: Tree) => {
        for (let i = 0; i < 150; i++) await on.create(at(`many/leaf-${i}`), 'x')
      }
      await once(() => many(tree))
      expect((await names('many', other)).length).toBe(150)
      await once(async () => {
        for (const name of ['one', 'two']) await tree.create(at(`large/${name}`), Buffer.alloc(900_000, 1))
      })
      expect(await names('large', other)).toEqual(['one', 'two'])
    })

    it('[X-cluster] loses no update of many at once', async () => {
      const machines = [tree, other, await machine()]
      const add = (on: Tree) =>
        once(async () => {
          const leaf = (await on.read(at('a/first')))!
          await on.replace(at('a/first'), bytes(`${Number(textOf(leaf)) + 1}`), leaf.revision)
        }, on)
      await Promise.all(machines.flatMap((on) => Array.from({ length: 10 }, () => add(on))))
      expect(await reading('a/first')).toBe('31')
    })

    for (const arrives of [true, false]) {
      it(`[X-cluster] knows whether it was done when no answer comes (${arrives ? 'done' : 'not done'})`, async () => {
        onCommit = async (number, send) => {
          if (number !== 1) return send()
          if (arrives) await send()
          throw new NoAnswer('a lost answer', true)
        }
        let runs = 0
        await once(async () => {
          runs++
          await tree.move(at('a/first'), at('b/first'))
          await tree.append(at('b/log'), 'moved')
        })
        expect([runs, await names('a'), await names('b'), await reading('b/log')]).toEqual([
          runs,
          [],
          ['first', 'log', 'other'],
          'moved\n',
        ])
      })
    }

    it('[X-cluster] a lost answer is not taken for a failure when others go on in between', async () => {
      await tree.append(at('b/log'), 'before')
      commits = []
      onCommit = async (number, send) => {
        if (number !== 1) return send()
        await send()
        await other.move(at('b/first'), at('c/first'))
        throw new NoAnswer('a lost answer', true)
      }
      const { outcome } = await once(async () => {
        await tree.append(at('b/log'), 'moved')
        return tree.move(at('a/first'), at('b/first'))
      })
      expect([outcome, await names('c'), await reading('b/log')]).toEqual(['moved', ['first'], 'before\nmoved\n'])
    })

    it('[X-cluster] of two and of three that are held before every commit, each is whole', async () => {
      // Each moves the same leaf and tells of it. All orders in which their commits can come.
      for (const order of [
        [0, 1],
        [1, 0],
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
      ]) {
        const name = `race-${order.join('')}`
        await tree.create(at(`a/${name}`), 'x')
        const gates = order.map(gate)
        const machines = await Promise.all(order.map(machine))
        const working = machines.map((on, i) =>
          once(async () => {
            const moved = await on.move(at(`a/${name}`), at(`won/${name}-${i}`))
            if (moved.outcome === 'moved') await on.append(at(`won/${name}.log`), `${i}`)
            await gates[i]!.opened
            return moved.outcome
          }, on),
        )
        for (const i of order) {
          gates[i]!.open()
          await working[i]
        }
        const outcomes = await Promise.all(working)
        expect(outcomes).toEqual(order.map((_, i) => (i === order[0] ? 'moved' : 'gone')))
        expect(await reading(`won/${name}.log`)).toBe(`${order[0]}\n`)
      }
    })
  })

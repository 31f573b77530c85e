/** Large bodies in files: those that no leaf refers to any more are collected, and no other. */
import { readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { treePath as at } from '../../src/kernel/tree-path.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { type EtcdCluster, startEtcd, withoutEtcd } from '../support/etcd.ts'
import { tempDir } from '../support/temp.ts'

const reason = withoutEtcd()
const body = (letter: string) => Buffer.alloc(1_100_000, letter)

if (reason !== undefined) it.skip(`unused bodies (skipped: ${reason})`, () => {})
else
  describe('bodies in files', () => {
    let cluster: EtcdCluster
    let largeBodies: string
    let folder: string
    let address: string
    let tree: Tree
    let tenants = 0
    beforeAll(async () => {
      cluster = await startEtcd(1)
    }, 60_000)
    afterAll(() => cluster.stop())
    beforeEach(async () => {
      const tenant = `t${++tenants}`
      largeBodies = tempDir()
      folder = join(largeBodies, tenant)
      address = cluster.address(tenant)
      tree = await openEtcdTree({ address, largeBodies })
      return () => tree.close()
    })

    const files = () => readdirSync(folder).sort()
    const age = () => {
      const then = new Date(Date.now() - 2 * 3_600_000)
      for (const file of files()) utimesSync(join(folder, file), then, then)
    }
    const inspect = async (repair: boolean) =>
      (await tree.inspect({ repair })).map(({ code, repaired, path }) => ({ code, repaired, path }))
    /** Asked of whoever wrote it: the copy that others keep of a folder may be a moment behind. */
    const isWhole = async (path: string, letter: string, by: Tree = tree) =>
      Buffer.compare((await by.read(at(path)))!.bytes, body(letter)) === 0

    it('that no leaf refers to are removed once they are old', async () => {
      await tree.create(at('a/kept'), body('a'))
      const [kept] = files()
      await tree.append(at('a/kept'), 'and more')
      await tree.create(at('a/gone'), body('b'))
      await tree.remove(at('a/gone'))
      writeFileSync(join(folder, `.${kept}.cut-off`), 'half')
      expect(await inspect(true)).toEqual([])
      expect(files().length).toBe(3)
      age()
      const found = { code: 'UNUSED_BODIES', path: folder }
      expect(await inspect(false)).toEqual([{ ...found, repaired: false }])
      expect(files().length).toBe(3)
      expect(await inspect(true)).toEqual([{ ...found, repaired: true }])
      expect(files()).toEqual([kept])
      expect((await tree.read(at('a/kept')))!.size).toBe(1_100_000 + '\nand more\n'.length)
      expect(await inspect(true)).toEqual([])
    })

    it('that are taken again stay, however old they are', async () => {
      await tree.create(at('a/one'), body('a'))
      await tree.remove(at('a/one'))
      age()
      await tree.create(at('a/two'), body('a'))
      await tree.remove(at('a/two'))
      expect(await inspect(true)).toEqual([])
      expect(files().length).toBe(1)
    })

    it('are not lost when they are taken and collected at once', async () => {
      const other = await openEtcdTree({ address, largeBodies, patienceMs: 19_000 })
      for (let i = 0; i < 12; i++) {
        await other.create(at('a/before'), body('a'))
        await other.remove(at('a/before'))
        age()
        const [created] = await Promise.all([other.create(at(`a/${i}`), body('a')), tree.inspect({ repair: true })])
        expect(created.outcome).toBe('created')
        expect(await isWhole(`a/${i}`, 'a', other)).toBe(true)
        await other.remove(at(`a/${i}`))
      }
      await other.close()
    })

    it('are written again by a process that slept so long that they were collected', async () => {
      // The clock is asked between the file and the leaf.
      const now = () => {
        for (const file of files()) rmSync(join(folder, file))
        return Date.now()
      }
      const sleeper = await openEtcdTree({ address, largeBodies, clock: { now } })
      expect((await sleeper.create(at('a/one'), body('a'))).outcome).toBe('created')
      expect(await isWhole('a/one', 'a', sleeper)).toBe(true)
      const { revision } = (await sleeper.read(at('a/one')))!
      expect((await sleeper.replace(at('a/one'), body('b'), revision)).outcome).toBe('replaced')
      expect(await isWhole('a/one', 'b', sleeper)).toBe(true)
      await sleeper.close()
    })

    it('that are missing are told with their leaf; one that a killed collector had put aside comes back', async () => {
      await tree.create(at('deep/in/one'), body('a'))
      const [name = ''] = files()
      renameSync(join(folder, name), join(folder, `.${name}.aside`))
      expect(await inspect(false)).toEqual([{ code: 'MISSING_BODY', repaired: false, path: 'deep/in/one' }])
      age()
      expect(await inspect(true)).toEqual([])
      expect(await isWhole('deep/in/one', 'a')).toBe(true)
      rmSync(join(folder, name))
      expect(await inspect(true)).toEqual([{ code: 'MISSING_BODY', repaired: false, path: 'deep/in/one' }])
    })
  })

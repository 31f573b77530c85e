/** AC-MQ's memory on a cluster: large documents go by reference, and moved files are found there and back. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { cliJson, quickCli } from '../scenarios/cli-program.ts'
import { type EtcdCluster, startEtcd, withoutEtcd } from '../support/etcd.ts'
import { expectFound, organizedIn } from '../support/organized.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

const reason = withoutEtcd()
const settings = { ...acmq.defaults, busDocumentBytes: 4 * 1024 * 1024 }
const missionsOn = (tree: Tree) => acmq.open({ tree, clock: systemClock, settings })

if (reason !== undefined) it.skip(`the memory of AC-MQ (skipped: ${reason})`, () => {})
else
  describe('the memory of a mission on a cluster', () => {
    let cluster: EtcdCluster
    beforeAll(async () => {
      cluster = await startEtcd(1)
    }, 60_000)
    afterAll(() => cluster.stop())

    const fill = async (tree: Tree) => {
      const { mission } = await (await missionsOn(tree)).create('alpha')
      const long = 'The orders query is slow on the orders table. '.repeat(5000)
      for (let n = 0; n < 5; n++)
        await mission.sending.send({
          from: 'a',
          to: 'b',
          id: `long000${n}`,
          summary: `Slow orders ${n}`,
          body: `${n} ${long}`,
        })
      return mission
    }

    verifies('X-cluster', 'a document, a snapshot and a report above the value limit go by reference', async () => {
      const largeBodies = tempDir()
      const open = () => openEtcdTree({ address: cluster.address('large'), largeBodies })
      const tree = await open()
      const mission = await fill(tree)
      const { documents } = await (await mission.memory()).bus({ query: 'slow orders' })
      const [taken] = await (await mission.memory()).snapshot(['pending'])
      const { path: report } = await (await mission.memory()).report({ mode: 'bottom-up', out: 'findings/log.md' })
      const elsewhere = await open()
      for (const path of [documents[0]!.path, taken!.path, report!]) {
        const leaf = await elsewhere.read(treePath(path))
        expect([path, leaf!.size > 1_000_000]).toEqual([path, true])
        expect(Buffer.from(leaf!.bytes).toString('utf8')).toContain('4 The orders query')
      }
      expect(readdirSync(join(largeBodies, 'large'))).toHaveLength(3)
      const same = await (await missionsOn(elsewhere)).open('alpha')
      expect(await (await same.memory()).bus({ query: 'slow orders' })).toMatchObject({ outcome: 'unchanged' })
      const { hits } = await (await same.memory()).search('orders')
      expect(hits).toHaveLength(5)
      await Promise.all([tree.close(), elsewhere.close()])
    })

    verifies('X-cluster', 'without a place for them it is told what to do, and nothing is half there', async () => {
      const tree = await openEtcdTree({ address: cluster.address('small') })
      const mission = await fill(tree)
      await expect((await mission.memory()).bus({ query: 'slow orders' })).rejects.toMatchObject({
        code: 'BODY_TOO_LARGE',
      })
      expect(await tree.list(treePath('llm/missions/alpha/findings'))).toEqual([])
      // As it comes, documents stay below the limit, in parts.
      const usual = await (await acmq.open({ tree, clock: systemClock, settings: acmq.defaults })).open('alpha')
      expect(await (await usual.memory()).bus({ query: 'slow orders' })).toMatchObject({ outcome: 'made' })
      expect(await tree.list(treePath('llm/missions/alpha/findings'))).toHaveLength(2)
      await tree.close()
    })

    verifies(['AC-15.2', 'X-cluster'], 'files that were moved are found there, and back on files again', () => {
      const root = tempDir()
      const where = organizedIn(root, quickCli)
      const engine = cluster.address('organized')
      expect(cliJson(['import', root, '--engine', engine], { cwd: root }, quickCli)).toMatchObject({ exit: 0 })
      expectFound(root, where, quickCli, '--engine', engine)
      const back = join(tempDir(), 'back')
      expect(cliJson(['export', back, '--engine', engine], { cwd: root }, quickCli)).toMatchObject({ exit: 0 })
      expectFound(back, where, quickCli)
    })
  })

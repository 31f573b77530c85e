/** One wrong clock among the clients of a cluster: its members say what time it is. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { cliJson } from '../scenarios/cli-program.ts'
import { childProgram, runtime, spawnProgram } from '../support/child.ts'
import { type EtcdCluster, startEtcd, withoutEtcd } from '../support/etcd.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { day, offBy } from '../support/wrong-clock.ts'

const reason = withoutEtcd()
const isNear = (time: number, expected: number) => expect(Math.abs(time - expected)).toBeLessThan(60_000)

if (reason !== undefined) it.skip(`a wrong clock on a cluster (skipped: ${reason})`, () => {})
else
  describe('a wrong clock on a cluster', () => {
    let cluster: EtcdCluster
    let tenants = 0
    beforeAll(async () => {
      cluster = await startEtcd(1)
    }, 60_000)
    afterAll(() => cluster.stop())

    for (const by of [5 * (day / 24), 2 * day, -2 * day]) {
      verifies(
        ['X-clock', 'X-cluster'],
        `${by} ms off gives leaves and turns the time of the cluster, on ${runtime}`,
        async () => {
          const address = cluster.address(`t${++tenants}`)
          const { env, runtimeOptions } = offBy(by)
          const child = spawnProgram([process.execPath, ...runtimeOptions, childProgram('timekeeper'), address], {
            env,
          })
          const told = JSON.parse((await child.nextLine())!)
          await child.exited
          isNear(told.own, Date.now() + by)
          for (const time of [told.now, told.made, told.touched]) isNear(time, Date.now())
          expect(told.outcome).toBe('held')
          isNear(told.until, Date.now() + 15_000)
        },
      )

      verifies(
        ['X-clock', 'X-cluster'],
        `${by} ms off fails no young claim and archives nothing young, on ${runtime}`,
        () => {
          const cwd = tempDir()
          const on = ['--engine', cluster.address(`t${++tenants}`)]
          const right = (...words: string[]) => cliJson([...words, ...on], { cwd })
          const wrong = (...words: string[]) => cliJson([...words, ...on], { cwd, ...offBy(by) })
          right('acmq', 'create-mission', 'alpha')
          right('acmq', 'send', 'alpha', '--to', 'gemini', '--as', 'claude', '--body', 'Do it', '--timeout', '600')
          // Claimed by the one that is off, and looked after by the others as well as by it.
          const { output: claimed } = wrong('acmq', 'claim', 'alpha', '--as', 'gemini')
          isNear(Date.parse(claimed.until), Date.now() + 600_000)
          const nothing = { outcome: 'nothing', stalled: [], archived: 0 }
          for (const supervise of [right, wrong])
            expect(supervise('acmq', 'supervise', 'alpha', '--once').output).toMatchObject(nothing)
          wrong('acmq', 'complete', 'alpha', claimed.message.id, '--as', 'gemini')
          for (const supervise of [right, wrong])
            expect(supervise('acmq', 'supervise', 'alpha', '--once').output).toMatchObject(nothing)
          expect(wrong('doctor').output.findings).toContainEqual(expect.objectContaining({ code: 'CLOCK_DISAGREES' }))
          expect(JSON.stringify(right('doctor').output.findings)).not.toContain('CLOCK_DISAGREES')
        },
      )
    }

    it('a right clock is used as it is, to the millisecond', async () => {
      const tree = await openEtcdTree({ address: cluster.address(`t${++tenants}`) })
      const before = Date.now()
      await tree.create(treePath('a'), 'x')
      const now = await tree.now()
      const after = Date.now()
      for (const time of [now, (await tree.look(treePath('a')))!.modifiedAt]) {
        expect(time).toBeGreaterThanOrEqual(before)
        expect(time).toBeLessThanOrEqual(after)
      }
      await tree.close()
    })
  })

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { findingsIn } from '../../src/engines/etcd/inspect.ts'
import { cli, cliJson } from '../scenarios/cli-program.ts'
import { type EtcdCluster, startEtcd, withoutEtcd } from '../support/etcd.ts'
import { tempDir } from '../support/temp.ts'

const reason = withoutEtcd()

if (reason !== undefined) it.skip(`doctor on a cluster (skipped: ${reason})`, () => {})
else
  describe('doctor on a cluster', () => {
    let cluster: EtcdCluster
    beforeAll(async () => {
      cluster = await startEtcd(3)
    }, 60_000)
    afterAll(() => cluster.stop())

    it('init writes the settings here, with the address, and nothing into the cluster', () => {
      const cwd = tempDir()
      const address = cluster.address('fresh')
      const files = ['signalbox.yaml', '.signalbox/.gitignore', '.signalbox/README.md']
      const { exit, output } = cliJson(['init', '--root', 'deep/down', '--engine', address], { cwd })
      expect({ exit, made: output.made, engine: output.engine }).toEqual({ exit: 0, made: files, engine: address })
      const root = join(cwd, 'deep/down')
      expect(readFileSync(join(root, 'signalbox.yaml'), 'utf8')).toContain(`\nengine: "${address}"\n`)
      // A workspace alone decides no server: first the user trusts it, as they are told.
      const refused = cliJson(['acmq', 'create-mission', 'alpha'], { cwd: root })
      expect(refused).toMatchObject({ exit: 6, output: { error: { code: 'SERVER_NOT_TRUSTED' } } })
      expect(refused.output.error.hint).toContain(output.trustBy)
      expect(spawnSync('sh', ['-c', output.trustBy]).status).toBe(0)
      expect(cliJson(['init', '--engine', address], { cwd: root }).output.trustBy).toBeUndefined()
      expect(cliJson(['acmq', 'create-mission', 'alpha'], { cwd: root }).exit).toBe(0)
      expect(readdirSync(root).sort()).toEqual(['.signalbox', 'signalbox.yaml'])
      expect(cliJson(['acmq', 'missions', '--engine', address], { cwd }).output.missions).toHaveLength(1)
    })

    it('tells members, leader, size, history and latency, and who is missing', async () => {
      const cwd = tempDir()
      const env = { SIGNALBOX_ENGINE: cluster.address('team') }
      const healthy = cliJson(['doctor'], { cwd, env })
      // Nobody needs a workspace here to work with a cluster.
      expect(healthy.output.findings.map(({ code }: { code: string }) => code)).not.toContain('NO_WORKSPACE')
      expect(healthy).toMatchObject({
        exit: 0,
        output: {
          cluster: {
            members: [{ isReachable: true }, { isReachable: true }, { isReachable: true }],
            sizeBytes: expect.any(Number),
            quotaBytes: expect.any(Number),
            readMs: expect.any(Number),
            alarms: [],
          },
        },
      })
      expect(healthy.output.cluster.members.filter(({ isLeader }: { isLeader: boolean }) => isLeader).length).toBe(1)
      const { err, out } = cli(['doctor'], { cwd, env })
      expect(err).toBe('')
      expect(out).toMatch(/^member 127\.0\.0\.1:\d+: etcd \d+\.\d+\.\d+, leader$/m)
      expect(out).toMatch(/^size: [\d.]+ MB, \d+ % of its quota$/m)
      expect(out).toMatch(/^history: revision \d+, (compacted up to \d+|never compacted)$/m)
      expect(out).toMatch(/^latency: [\d.]+ ms for a read \(median\)$/m)

      const [gone] = cluster.nodes
      await gone!.kill()
      const tree = await openEtcdTree({ address: cluster.address('team') })
      const missing = { code: 'MEMBER_DOWN', severity: 'warning', path: `127.0.0.1:${gone!.port}` }
      expect(await tree.inspect()).toMatchObject([missing])
      await tree.close()
    })
  })

describe('what is found in a cluster', () => {
  const healthy = {
    place: 'etcd://h:1/t',
    members: [],
    hasLeader: true,
    sizeBytes: 1e9,
    quotaBytes: 8e9,
    revision: 5_000_000,
    compactedRevision: 4_999_000,
    alarms: [],
  }
  it.each([
    [{}, []],
    [{ sizeBytes: 7e9 }, ['CLUSTER_NEARLY_FULL']],
    [{ sizeBytes: 8e9, alarms: ['NOSPACE'] }, ['CLUSTER_FULL']],
    [{ alarms: ['CORRUPT'] }, ['CLUSTER_CORRUPT']],
    [{ compactedRevision: 0 }, ['NO_COMPACTION']],
    [{ hasLeader: false }, ['NO_LEADER_SEEN']],
    [{ members: [{ address: 'h:1', isReachable: false, isLeader: false }] }, ['MEMBER_DOWN']],
  ])('%j: %j', (differs, codes) => {
    expect(findingsIn({ ...healthy, ...differs }).map(({ code }) => code)).toEqual(codes)
  })
})

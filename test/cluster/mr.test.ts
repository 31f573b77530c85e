/** Message Routing on a cluster: real processes that send as one agent, and the command line. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { treePath as at } from '../../src/kernel/tree-path.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { cliJson, ownHome } from '../scenarios/cli-program.ts'
import { runtime, spawnChild } from '../support/child.ts'
import { type EtcdCluster, startEtcd, withoutEtcd } from '../support/etcd.ts'
import { heartbeat, openMr } from '../support/message-routing.ts'
import { startProxy } from '../support/proxy.ts'
import { tempDir } from '../support/temp.ts'

const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)
const reason = withoutEtcd()
const folder = (name: string) => at(`state/agents/coordinator-main/${name}`)

if (reason !== undefined) it.skip(`Message Routing on a cluster (skipped: ${reason})`, () => {})
else
  describe('Message Routing on a cluster', () => {
    let cluster: EtcdCluster
    let tree: Tree
    let address: string
    let tenants = 0
    beforeAll(async () => {
      cluster = await startEtcd(3)
    }, 60_000)
    afterAll(() => cluster.stop())

    async function open(): Promise<void> {
      address = cluster.address(`t${++tenants}`)
      tree = await openEtcdTree({ address })
    }
    const textOf = async (path: string) => Buffer.from((await tree.read(at(path)))?.bytes ?? '').toString()
    const namesIn = async (name: string) => (await tree.list(folder(name))).map((entry) => entry.name)

    it(`[MR-2a][MR-7a] 4 senders of one name on ${runtime} issue each number once, and the inbox never holds more than 100`, async () => {
      await open()
      const each = 30 * scale
      const total = 4 * each
      const journals = tempDir()
      // Seen from another machine, whenever something changes.
      const seen = { most: 0, looks: 0 }
      const watching = tree.watch(folder('inbox'), async () => {
        seen.most = Math.max(seen.most, (await namesIn('inbox')).length)
        seen.looks++
      })
      const senders = Array.from({ length: 4 }, (_, i) =>
        spawnChild('mr-sender', [address, join(journals, `${i}`), 'coder-1', 'coordinator-main', `${each}`]),
      )
      for (const sender of senders) expect(await sender.exited, sender.stderr()).toEqual({ code: 0, signal: null })
      watching.close()
      const told = readdirSync(journals).flatMap((name) =>
        readFileSync(join(journals, name), 'utf8')
          .trimEnd()
          .split('\n')
          .map((line) => line.split(' ').map(Number)),
      )
      const numbers = Array.from({ length: total }, (_, i) => i + 1)
      expect(told.map(([number]) => number).sort((a, b) => a! - b!)).toEqual(numbers)
      expect(Math.max(...told.map(([, depth]) => depth!))).toBe(100)
      expect([seen.looks > 20, seen.most]).toEqual([true, 100])
      const kept: number[] = []
      for (const name of ['inbox', 'evicted'])
        for (const file of await namesIn(name)) kept.push(JSON.parse(await textOf(`${folder(name)}/${file}`)).sequence)
      expect(kept.sort((a, b) => a - b)).toEqual(numbers)
      expect((await namesIn('inbox')).length).toBe(100)
      // Those who went are the oldest, and each has its line.
      const lines = (await textOf(folder('evictions.log'))).trimEnd().split('\n')
      expect(new Set(lines.map((line) => JSON.parse(line).msg_id)).size).toBe(total - 100)
      expect(lines.length).toBe(total - 100)
      expect(await textOf('state/agents/coder-1/.sequences/coordinator-main')).toBe(`${total}\n`)
      await tree.close()
    }, 300_000)

    it('a single command to a full inbox asks for the folder, not for each message in it', async () => {
      await open()
      const { mr, close } = await openMr(address)
      for (let i = 0; i < 100; i++) await mr.sending.send(heartbeat('coordinator-main'))
      const [node] = cluster.nodes
      const proxy = await startProxy(node!.port)
      const cold = await openMr(`etcd://127.0.0.1:${proxy.port}/t${tenants}`)
      const { evicted } = await cold.mr.sending.send(heartbeat('coordinator-main'))
      expect(evicted.length).toBe(1)
      expect(proxy.requests).toBeLessThan(45)
      await cold.close()
      await close()
      await tree.close()
    }, 60_000)

    it('[MR-12] is used by the command line; keys stay in files on this machine', async () => {
      await open()
      const cwd = tempDir()
      const env = { SIGNALBOX_ENGINE: address, SIGNALBOX_MR_SIGNING: 'require' }
      const run = (...words: string[]) => cliJson(['mr', ...words], { cwd, env })
      expect(run('keys', 'lead', '--generate')).toMatchObject({ exit: 0, output: { outcome: 'created' } })
      const sent = run(
        'send',
        '--from',
        'lead',
        '--to',
        'coder-1',
        '--type',
        'command',
        '--payload',
        '{"action":"pause"}',
      )
      expect(sent).toMatchObject({ exit: 0, output: { outcome: 'sent', durability: 'full' } })
      expect(run('receive', 'coder-1')).toMatchObject({ exit: 0, output: { messages: [{ from: 'lead' }] } })
      expect(run('metrics')).toMatchObject({ exit: 0 })
      const [own = ''] = readdirSync(join(ownHome, 'signalbox/workspaces'))
      expect(existsSync(join(ownHome, 'signalbox/workspaces', own, 'keys/private/lead.pem'))).toBe(true)
      expect((await tree.list(at('.signalbox/state'))).map(({ name }) => name)).not.toContain('keys')

      // Keys that lie in a workspace that moves to a cluster, for whatever reason, stay where they are.
      mkdirSync(join(cwd, '.signalbox/state/keys'), { recursive: true })
      writeFileSync(join(cwd, '.signalbox/state/keys/old.pem'), 'secret')
      const other = cluster.address(`t${++tenants}`)
      expect(cliJson(['import', cwd, '--engine', other], { cwd })).toMatchObject({ exit: 0 })
      const imported = await openEtcdTree({ address: other })
      expect(await imported.list(at('.signalbox/state'))).toEqual([])
      await imported.close()
      await tree.close()
    }, 60_000)
  })

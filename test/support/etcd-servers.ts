/**
 * Real etcd servers for tests and benchmarks: on fresh ports, with data of their own in memory where the system has that,
 * ended with the process. `cluster.nodes[i]` can be killed, paused, continued and started again.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface EtcdNode {
  readonly name: string
  readonly port: number
  readonly url: string
  kill(signal?: NodeJS.Signals): Promise<void>
  pause(): void
  resume(): void
  /** Starts it again with the data it had. */
  restart(): void
  /** Its own status; `undefined` if it does not answer within half a second. */
  status(): Promise<NodeStatus | undefined>
}

export interface NodeStatus {
  readonly isLeader: boolean
  readonly hasLeader: boolean
  readonly term: number
}

export interface EtcdCluster {
  readonly nodes: readonly EtcdNode[]
  /** `etcd://…/tenant` on all nodes. */
  address(tenant: string): string
  /** The node that is the leader. Waits until there is one. */
  leader(): Promise<EtcdNode>
  stop(): Promise<void>
}

/** Why these tests cannot run here; `undefined` if they can. */
export function withoutEtcd(): string | undefined {
  const { error } = spawnSync('etcd', ['--version'])
  return error ? (process.env.SIGNALBOX_WITHOUT_ETCD ?? 'etcd is not installed (Debian: etcd-server)') : undefined
}

const running = new Map<ChildProcess, string>()
/** Ends every server that this process has started, and removes what it wrote. */
export function stopAllEtcd(): void {
  for (const [server, directory] of running) {
    server.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  }
  running.clear()
}
process.on('exit', stopAllEtcd)

export async function startEtcd(count: number, more: readonly string[] = []): Promise<EtcdCluster> {
  const base = mkdtempSync(join(scratch(), 'signalbox-etcd-'))
  const ports = await freePorts(count * 2)
  const token = `t${process.pid}-${ports[0]}`
  const scheme = more.includes('--cert-file') ? 'https' : 'http'
  const members = Array.from({ length: count }, (_, i) => ({
    name: `e${i + 1}`,
    port: ports[i * 2]!,
    url: `${scheme}://127.0.0.1:${ports[i * 2]}`,
    peer: `http://127.0.0.1:${ports[i * 2 + 1]}`,
  }))
  const initial = members.map(({ name, peer }) => `${name}=${peer}`).join(',')

  const nodes = members.map(({ name, port, url, peer }): EtcdNode => {
    let server: ChildProcess
    const start = (state: 'new' | 'existing') => {
      server = spawn(
        'etcd',
        [
          ...['--name', name, '--data-dir', join(base, name), '--logger', 'zap', '--log-level', 'error'],
          ...['--listen-client-urls', url, '--advertise-client-urls', url],
          ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
          ...['--initial-cluster', initial, '--initial-cluster-state', state, '--initial-cluster-token', token],
          ...['--auto-compaction-mode', 'periodic', '--auto-compaction-retention', '5m'],
          // As docs/guide/cluster.md recommends for members that are close to each other.
          ...['--heartbeat-interval', '50', '--election-timeout', '500', '--pre-vote', ...more],
        ],
        { stdio: 'ignore' },
      )
      running.set(server, base)
      const child = server
      child.on('exit', () => running.delete(child))
    }
    start('new')
    return {
      name,
      port,
      url,
      kill: (signal = 'SIGKILL') =>
        new Promise((resolve) => {
          if (server.exitCode !== null || server.signalCode !== null) return resolve()
          server.once('exit', () => resolve())
          server.kill(signal)
        }),
      pause: () => void server.kill('SIGSTOP'),
      resume: () => void server.kill('SIGCONT'),
      restart: () => start('existing'),
      status: () => statusOf(url),
    }
  })

  const cluster: EtcdCluster = {
    nodes,
    address: (tenant) => `etcd://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${tenant}`,
    async leader() {
      for (const giveUpAt = performance.now() + 30_000; performance.now() < giveUpAt; ) {
        const all = await Promise.all(nodes.map(async (node) => ({ node, status: await node.status() })))
        const newest = Math.max(...all.map(({ status }) => status?.term ?? 0))
        // A former leader that was cut off still says that it leads, but with an older term.
        const leader = all.find(({ status }) => status?.isLeader && status.term === newest)
        const following = all.filter(({ status }) => status?.hasLeader && status.term === newest)
        if (leader && following.length > count / 2) return leader.node
      }
      throw new Error('etcd has no leader after 30 s')
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.kill()))
      rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
    },
  }
  if (scheme === 'http') await cluster.leader()
  return cluster
}

async function statusOf(url: string): Promise<NodeStatus | undefined> {
  try {
    const reply = await fetch(`${url}/v3/maintenance/status`, {
      method: 'POST',
      body: '{}',
      signal: AbortSignal.timeout(500),
    })
    const { header, leader = '0', raftTerm = '0' } = (await reply.json()) as StatusAnswer
    return { isLeader: leader === header.member_id, hasLeader: leader !== '0', term: Number(raftTerm) }
  } catch {
    // Refused, reset or too late: it does not answer.
    return undefined
  }
}

interface StatusAnswer {
  readonly header: { readonly member_id: string }
  readonly leader?: string
  readonly raftTerm?: string
}

/** In memory if there is such a file system, because these servers flush every write. */
function scratch(): string {
  try {
    accessSync('/dev/shm', constants.W_OK)
    return '/dev/shm'
  } catch {
    return tmpdir()
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          server.on('error', reject)
          server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
        }),
    ),
  )
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

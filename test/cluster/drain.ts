/** Eight processes drain a mission on a cluster while the test does to the cluster what it likes; then the count. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { Bell } from '../support/bell.ts'
import { type Child, spawnChild } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'

export interface DrainOptions {
  readonly address: string
  readonly messages: number
  readonly processes?: number
  /** Sends that are on their way at one time. */
  readonly inFlight?: number
  /** Trouble to make while work is under way. Messages go on being sent until it is over, `messages` at least. */
  readonly meanwhile?: (progress: Progress) => Promise<void>
}

export interface Progress {
  readonly sent: number
  readonly completed: number
}

export interface Drained {
  readonly sent: readonly string[]
  /** As the queues of the mission say in the end. */
  readonly queues: Readonly<Record<'pending' | 'processing' | 'completed' | 'failed', readonly string[]>>
  /** Ids as the agents were told, one for each time. */
  readonly claims: readonly string[]
  readonly completions: readonly string[]
  readonly seconds: { readonly sending: number; readonly draining: number }
}

/** How far sending may be ahead while there is trouble. */
const mostWaiting = 100

const queueNames = ['pending', 'processing', 'completed', 'failed'] as const

export async function drain(options: DrainOptions): Promise<Drained> {
  const { address, messages, processes = 8, inFlight = 32, meanwhile } = options
  const journals = join(tempDir(), 'journals')
  mkdirSync(journals)
  const tree = await openEtcdTree({ address })
  const missions = await acmq.open({ tree, clock: systemClock, settings: acmq.defaults })
  const { mission } = await missions.create('alpha', { objective: 'Drain' })
  const progress = { sent: 0, completed: 0 }
  const sent: string[] = []
  let isTroubled = meanwhile !== undefined
  let isSending = true
  const moved = new Bell()
  const startedAt = performance.now()

  const sending = async () => {
    let next = 0
    const lane = async () => {
      for (let i = next++; i < messages || isTroubled; i = next++) {
        const { message } = await mission.sending.send({
          from: 'claude',
          to: i % 10 ? 'gemini' : 'all',
          body: `Task ${i}\n`,
        })
        progress.sent = sent.push(message.id)
        // Under trouble there is always work, but no mountain of it.
        while (isTroubled && progress.sent - progress.completed > mostWaiting) {
          await moved.heard()
        }
      }
    }
    await Promise.all(Array.from({ length: inFlight }, lane))
    isSending = false
  }

  const children: Child[] = []
  const working = async (n: number) => {
    const child = spawnChild('etcd-worker', [address, join(journals, `${n}`), 'gemini'])
    children.push(child)
    for await (const line of child.lines()) {
      progress.completed += Number(line)
      moved.ring()
      // Each worker has up to nine that it has not told of.
      if (isSending || progress.completed < sent.length - processes * 9) continue
      const { length } = await tree.list(queuePath('completed'))
      if (length === sent.length) for (const one of children) one.say('stop')
    }
    const { code } = await child.exited
    if (code !== 0) throw new Error(`worker ${n} ended with ${code}: ${child.stderr()}`)
  }
  const troubling = async () => {
    await meanwhile?.(progress)
    isTroubled = false
    moved.ring()
  }

  // Without trouble all are sent before the first is claimed: the queue is at its fullest.
  const sends = sending()
  if (!meanwhile) await sends
  const drainingFrom = performance.now()
  await Promise.all([sends, troubling(), ...Array.from({ length: processes }, (_, n) => working(n))])
  const endedAt = performance.now()

  const queues = Object.fromEntries(
    await Promise.all(queueNames.map(async (queue) => [queue, await idsIn(tree, queue)])),
  ) as Drained['queues']
  await tree.close()
  const lines = readdirSync(journals).flatMap((name) => readFileSync(join(journals, name), 'utf8').trim().split('\n'))
  const told = (word: string) => lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.split(' ')[1]!)
  return {
    sent,
    queues,
    claims: told('claimed'),
    completions: told('completed'),
    seconds: { sending: (drainingFrom - startedAt) / 1000, draining: (endedAt - drainingFrom) / 1000 },
  }
}

const queuePath = (queue: string) => treePath(`llm/missions/alpha/queue/${queue}`)

async function idsIn(tree: Tree, queue: (typeof queueNames)[number]): Promise<string[]> {
  const folder = queuePath(queue)
  const ids: string[] = []
  for (const { name } of await tree.list(folder)) {
    const leaf = await tree.read(treePath(`${folder}/${name}`))
    const id = leaf && /^id: "?([^"\n]+?)"?$/m.exec(Buffer.from(leaf.bytes).toString('utf8'))?.[1]
    if (id) ids.push(id)
  }
  return ids
}

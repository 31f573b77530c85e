/** One of many agents that send, receive, scan and validate at the same time. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openWorkspace } from '../../src/index.ts'
import { BareInbox } from './bare.ts'
import { agents, type Cost, emptySamples, fullInbox, nameOfAgent, payload, type Samples } from './workload.ts'

export interface AgentWork {
  readonly root: string
  /** The folder for the bare calls, and for the files `ready-N` and `go`. */
  readonly bare: string
  readonly me: number
  readonly steps: number
  /** Average pause between two steps, as agents think between messages. */
  readonly pauseMs: number
}

/** Steps that do not count. Otherwise the figures would show twenty processes that load their code at the same time. */
export const rehearsals = 5

/** Opens everything, waits for `go`, and answers the milliseconds of every step. */
export async function runAgent({ root, bare, me, steps, pauseMs }: AgentWork): Promise<Samples> {
  const { mr, close } = await openWorkspace({ root, environment: {} })
  const inboxes = Array.from({ length: agents }, (_, n) => new BareInbox(join(bare, nameOfAgent(n))))
  const full = new BareInbox(join(bare, fullInbox.agent))
  const own = nameOfAgent(me)
  const { messages } = await mr.claiming.receive(fullInbox.agent, { peek: true })
  const bytes = Buffer.from(JSON.stringify(messages[0]?.message))

  const step = async (n: number, samples: Samples): Promise<void> => {
    // All agents write to different recipients at a time, and each to all others in a round.
    const to = (me + 1 + (n % (agents - 1))) % agents
    const sent = await timed(samples.write.ours, () =>
      mr.sending.send({ from: own, to: nameOfAgent(to), type: 'task-delegation', payload }),
    )
    const { id, message } = sent.message
    await timed(samples.write.bare, () => inboxes[to]!.write(id, message))
    await timed(samples.read.ours, () => mr.claiming.receive(own))
    await timed(samples.read.bare, () => inboxes[me]!.take())
    await timed(samples.scan.ours, () => mr.claiming.receive(fullInbox.agent, { peek: true }))
    await timed(samples.scan.bare, () => full.scan())
    await timed(samples.validation.ours, () => mr.validate(bytes))
    await timed(samples.validation.bare, () => JSON.parse(bytes.toString('utf8')))
  }
  for (let n = 0; n < rehearsals; n++) await step(n, emptySamples())

  writeFileSync(join(bare, `ready-${me}`), '')
  while (!existsSync(join(bare, 'go'))) await pause(2)

  const samples = emptySamples()
  for (let n = 0; n < steps; n++) {
    await pause(pauseMs * (0.5 + Math.random()))
    await step(n, samples)
  }
  await close()
  return samples
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

async function timed<T>(cost: Cost, work: () => T | Promise<T>): Promise<T> {
  const before = process.cpuUsage()
  const startedAt = performance.now()
  const done = await work()
  cost.wall.push(performance.now() - startedAt)
  const { user, system } = process.cpuUsage(before)
  cost.cpu += (user + system) / 1000
  return done
}

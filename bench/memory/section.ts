/**
 * AC-MQ's memory in a mission of 10,000 messages (1,200 with --quick): what supervision pays for it when nothing has happened and
 * when something has, what others notice of a supervisor that runs beside them, and how fast texts become vectors.
 */
import { readFileSync } from 'node:fs'
import { localEmbedder, modelFiles } from '../../src/adapters/embeddings/local-embedder.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { acmq, type Mission } from '../../src/protocols/ac-mq/index.ts'
import { compare, interleave, median } from '../measure.ts'
import { inRepository } from '../repository.ts'
import type { Section } from '../section.ts'
import { Beside } from './beside.ts'
import { type MadeMessage, madeMessages, wordsOfPack } from './corpus.ts'

/** Of a pass with nothing new, against one without any of this. */
export const nothingNewGoal = { atMost: 2 }
/** Of a pass with 100 new messages, against doing it all. */
export const newsGoal = { atMost: 0.05 }
/** Of claims and sends beside a supervisor, against those without one. */
export const besideGoal = { atLeast: 0.95 }

const everything = { bus: true, snapshots: true, organizeFrom: 40 } as const
const news = 100
/** What changed within the last two seconds counts as changing still. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 2500))

export const memory: Section = {
  title: 'Memory: supervision with and without it, and texts as vectors',

  async run(places, { rounds, isQuick }) {
    const count = isQuick ? 1200 : 10_000
    const root = places.memory.folder('memory')
    const tree = await openFileTree({ root })
    const missions = await acmq.open({ tree, clock: systemClock, settings: acmq.defaults })
    const { mission } = await missions.create('alpha')
    const read = (path: string) => readFileSync(inRepository(path))
    const made = madeMessages(wordsOfPack(read(modelFiles.pack)))
    const texts: string[] = []
    const ids = new Map<string, string>()
    const send = async (most: number) => {
      for (let n = 0; n < most; n++) {
        const { id, summary, body, after } = made.next().value as MadeMessage
        const before = after === undefined ? undefined : ids.get(after)
        const dependencies = before === undefined ? {} : { dependencies: [`msg:${before}`] }
        const sent = await mission.sending.send({ from: 'claude', to: 'gemini', summary, body, ...dependencies })
        ids.set(id, sent.message.id)
        texts.push(`${summary}\n${body}`)
      }
    }
    await send(count)
    await settled()
    const all = await spent(async () => (await mission.memory()).keep(everything))
    await settled()
    await (await mission.memory()).keep(everything)
    const quiet = await interleave(rounds, {
      ours: () =>
        timed(async () => [
          await (await mission.upkeep()).supervise(),
          await (await mission.memory()).keep(everything),
        ]),
      theirs: () => timed(async () => (await mission.upkeep()).supervise()),
    })
    const some: number[] = []
    for (let round = 0; round < Math.min(rounds, 6); round++) {
      await send(news)
      await (await mission.upkeep()).supervise()
      some.push(await spent(async () => (await mission.memory()).keep(everything)))
    }

    const supervisor = await Beside.start(root, 'alpha')
    const work = () => agentsAtWork(mission, isQuick ? 500 : 6000)
    const beside = await interleave(Math.min(rounds, 6), {
      ours: () => supervisor.running(work),
      theirs: () => supervisor.paused(work),
    })
    const mostMemory = supervisor.mostMemory()
    await supervisor.stop()
    await tree.close()

    const model = localEmbedder(read)
    await model.embed(['warm'])
    const embedded = texts.slice(0, 200)
    const embedding = await timed(() => model.embed(embedded))
    const nothingNew = {
      name: 'a pass with nothing new',
      against: 'one without memory',
      ...quiet,
      goal: nothingNewGoal,
    }
    const withNews = {
      name: `a pass with ${news} new messages`,
      against: `one over all ${count}`,
      ours: some,
      theirs: some.map(() => all),
      // What it finds out is written down now and then, which counts too.
      amortised: true as const,
      // Among few messages all are compared again.
      ...(isQuick ? {} : { goal: newsGoal }),
    }
    const atOnce = { name: 'send, claim and complete', against: 'without a supervisor', ...beside, goal: besideGoal }
    return {
      figures: [
        compare({ ...nothingNew, unit: 'ms', ratio: 'cost' }),
        compare({ ...withNews, unit: 'ms', ratio: 'cost' }),
        compare({ ...atOnce, unit: 'ms', ratio: 'speed' }),
      ],
      notes: [
        `${count} messages: all documents in ${all.toFixed(0)} ms, after ${news} more messages ${median(some).toFixed(0)} ms.`,
        `${Math.round(embedded.length / (embedding / 1000))} texts a second become vectors.`,
        `The supervisor beside took ${mostMemory === undefined ? 'an unknown amount' : `${Math.round(mostMemory / 1e6)} MB`} of memory at most.`,
      ],
    }
  },
}

/** Agents that send, claim and complete some messages, and then think: how long a message takes on average, in milliseconds. */
async function agentsAtWork(mission: Mission, forMs: number): Promise<number> {
  const until = performance.now() + forMs
  let took = 0
  let messages = 0
  while (performance.now() < until) {
    took += await timed(async () => {
      for (let n = 0; n < 10; n++) {
        await mission.sending.send({
          from: 'claude',
          to: 'worker',
          summary: 'Beside',
          body: `Number ${n}`,
          priority: 1,
        })
        const claimed = await mission.claims.next({ agent: 'worker' })
        if (claimed.outcome === 'claimed') await mission.settling.complete(claimed.message.id, { agent: 'worker' })
      }
    })
    messages += 10
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return took / messages
}

async function timed(work: () => unknown): Promise<number> {
  const since = performance.now()
  await work()
  return performance.now() - since
}

/** In processor time, since nothing waits in it: the clock on the wall would count what else the machine does. */
async function spent(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

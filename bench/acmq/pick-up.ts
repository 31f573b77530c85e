/** How long it takes until an idle worker has a message of another process: from the call of `send` to the claim. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { compare, interleave, median, type Turn } from '../measure.ts'
import { short } from '../print.ts'
import { Resident } from '../resident.ts'
import type { Figure, Goal, Section } from '../section.ts'
import { openSharedClock } from '../shared-clock.ts'
import { message } from '../steps/message.ts'
import { inputFor } from './message.ts'
import { openBox } from './queue.ts'

/** As a multiple of what a bare watch takes. */
export const pickUpGoal: Goal = { atMost: 2.5 }
/** Milliseconds, after which the worker is waiting again. */
const idleMs = 10
/** Messages that do not count: a worker that runs for long has its code compiled. The first ones have a line of their own. */
const rehearsals = 3000

export const acmqPickUp: Section = {
  title: 'AC-MQ: an idle worker picks up what another process sends',

  async run(places, { isQuick }) {
    const place = places.memory
    const clock = await openSharedClock()
    const [root, bareRoot] = [place.folder('pick-up'), place.folder('bare')]
    const { acmq } = await openBox(root)
    const { mission } = await acmq.create('bench')
    const input = inputFor('bench')
    const [draft, pending, processing] = ['tmp', 'pending', 'processing'].map((name) => join(bareRoot, name)) as [
      string,
      string,
      string,
    ]
    for (const folder of [draft, pending, processing]) mkdirSync(folder)
    const workers = [new Resident('acmq-wait', [root, 'bench']), new Resident('bare-wait', [pending, processing])]
    const [ours, bare] = workers as [Resident, Resident]
    for (const worker of workers) await worker.next()

    const turns = {
      ours: async () => {
        const since = clock()
        const sent = await mission.sending.send(input)
        return tookSince(since, sent.message.id, await ours.next())
      },
      theirs: async (round: number) => {
        const name = `${round}.md`
        const since = clock()
        writeFileSync(join(draft, name), message)
        renameSync(join(draft, name), join(pending, name))
        return tookSince(since, name, await bare.next())
      },
    }
    const afterRest = (turn: Turn) => async (round: number) => {
      await pause(idleMs)
      return turn(round)
    }
    const rested = { ours: afterRest(turns.ours), theirs: afterRest(turns.theirs) }
    const rounds = isQuick ? 40 : 200
    const young = await interleave(rounds, rested)
    await interleave(0, turns, isQuick ? 100 : rehearsals)
    const resident = await interleave(rounds, rested)
    await Promise.all(workers.map((worker) => worker.close()))
    return {
      figures: [
        inMilliseconds('pick-up, p50', resident),
        compare({
          name: 'the same',
          against: 'a bare watch',
          ...resident,
          unit: 'ms',
          ratio: 'cost',
          goal: pickUpGoal,
        }),
        inMilliseconds('of the first messages', young),
      ],
      notes: [
        `On ${place.fileSystem}; two processes that rest ${idleMs} ms before each message; p99 ${short(percentile(resident.ours, 0.99))} ms. The worker waits for events and looks by itself every 2 seconds.`,
      ],
    }
  },
}

type Samples = Readonly<Record<'ours' | 'theirs', readonly number[]>>

function inMilliseconds(name: string, samples: Samples, goal?: Goal): Figure {
  const ratio = compare({ name, against: 'from send to claim', ...samples, unit: 'ms', ratio: 'cost' })
  const spread = [percentile(samples.ours, 0), percentile(samples.ours, 1)] as const
  return { ...ratio, ratio: median(samples.ours), unit: 'ms', spread, ...(goal ? { goal } : {}) }
}

function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)]!
}

function tookSince(since: number, sent: string, line: string): number {
  const [got, at] = line.split(' ')
  if (got !== sent) throw new Error(`the worker picked up ${got} instead of ${sent}`)
  return Number(at) - since
}

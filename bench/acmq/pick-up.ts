/** How long until an idle worker holds a message that another process sends: from the call of `send` to the claim. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { compare, interleave, median } from '../measure.ts'
import { short } from '../print.ts'
import { Resident } from '../resident.ts'
import type { Goal, Section } from '../section.ts'
import { openSharedClock } from '../shared-clock.ts'
import { message } from '../steps/message.ts'
import { inputFor } from './message.ts'
import { openBox } from './queue.ts'

/** Milliseconds. */
export const pickUpGoal: Goal = { atMost: 0.5 }
/** Long enough for the worker to have gone back to waiting. */
const idleMs = 10

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

    const samples = await interleave(isQuick ? 40 : 200, {
      ours: async () => {
        await pause(idleMs)
        const since = clock()
        const sent = await mission.send(input)
        return tookSince(since, sent.message.id, await ours.next())
      },
      theirs: async (round) => {
        await pause(idleMs)
        const name = `${round}.md`
        const since = clock()
        writeFileSync(join(draft, name), message)
        renameSync(join(draft, name), join(pending, name))
        return tookSince(since, name, await bare.next())
      },
    })
    await Promise.all(workers.map((worker) => worker.close()))
    const ratio = compare({ name: 'the same', against: 'a bare watch', ...samples, unit: 'ms', ratio: 'cost' })
    const sorted = [...samples.ours].sort((a, b) => a - b)
    return {
      figures: [
        {
          ...ratio,
          name: 'pick-up, p50',
          against: 'from send to claim',
          ratio: median(samples.ours),
          unit: 'ms',
          spread: [sorted[0]!, sorted.at(-1)!],
          goal: pickUpGoal,
        },
        ratio,
      ],
      notes: [
        `On ${place.fileSystem}; two processes; p99 ${short(sorted[Math.floor(sorted.length * 0.99)]!)} ms. The worker waits for events and looks by itself every 2 seconds.`,
      ],
    }
  },
}

function tookSince(since: number, sent: string, line: string): number {
  const [got, at] = line.split(' ')
  if (got !== sent) throw new Error(`the worker picked up ${got} instead of ${sent}`)
  return Number(at) - since
}

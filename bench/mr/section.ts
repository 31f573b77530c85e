/** Message Routing: the limits of its specification with twenty agents at once, and a full inbox beside an empty one. */
import { openWorkspace } from '../../src/index.ts'
import { runChild } from '../child.ts'
import { compare, interleave, median } from '../measure.ts'
import type { Place } from '../places.ts'
import { short } from '../print.ts'
import type { Figure, Section } from '../section.ts'
import { runCrowd } from './crowd.ts'
import { agents, limits, p99, payload, type Samples, type Step, slowdownOf, stepNames } from './workload.ts'

export const messageRouting: Section = {
  title: `Message Routing: ${agents} agents in ${agents} processes at once; a full inbox`,

  async run(places, { rounds, isQuick }) {
    const place = places.memory
    // Each child adds a listener that ends it with us.
    process.setMaxListeners(agents + process.getMaxListeners())
    const runs: Samples[] = []
    for (let run = 0; run < (isQuick ? 1 : 3); run++) {
      const [root, bare] = [place.folder('mr'), place.folder('mr-bare')]
      const start = (args: readonly string[]) => runChild('mr-agent', args, {})
      runs.push(await runCrowd({ root, bare, steps: isQuick ? 10 : 19, pauseMs, start }))
    }
    return {
      figures: [
        ...stepNames.map((step) => againstLimit(step, runs)),
        ...stepNames.map((step) => againstBare(step, runs)),
        await fullAgainstEmpty(place, rounds, isQuick ? 50 : 200),
      ],
      notes: [
        `On ${place.fileSystem}; messages of about 1 KB. The first four are 99th percentiles against the specification's limits.`,
        'Bare: a temporary file and a rename; a listing, reading and JSON.parse; no checks, no limit, no order among writers.',
        `Each agent does all four about every ${pauseMs} ms. Bare calls took ${short(median(runs.map(slowdownOf)))} times their processor time: what else ran here makes ours as late.`,
      ],
    }
  },
}

/** Real agents pause longer. With this pause, twenty of them do not use up two processors. */
const pauseMs = 500

function againstLimit(step: Step, runs: readonly Samples[]): Figure {
  const ours = runs.map((run) => p99(run[step].ours.wall))
  return compare({
    name: `${step}, 99th percentile`,
    against: `the limit of ${limits[step]} ms`,
    ours,
    theirs: ours.map(() => limits[step]),
    unit: 'ms',
    ratio: 'cost',
    goal: { atMost: 1 },
  })
}

function againstBare(step: Step, runs: readonly Samples[]): Figure {
  const each = (side: 'ours' | 'bare') => runs.map((run) => run[step][side].cpu / run[step][side].wall.length)
  return compare({
    name: `${step}, processor time`,
    against: 'the bare calls',
    ours: each('ours'),
    theirs: each('bare'),
    unit: 'ms',
    ratio: 'cost',
  })
}

/** In a full inbox the oldest message is evicted for each new one. That may cost as much as the message, not more. */
async function fullAgainstEmpty(place: Place, rounds: number, count: number): Promise<Figure> {
  const { mr, close } = await openWorkspace({ root: place.folder('mr-full'), environment: {} })
  const send = (to: string) => mr.sending.send({ from: 'sender', to, type: 'task-delegation', payload })
  for (let n = 0; n < 100; n++) await send('full')
  const microsecondsOf = async (to: string, afterEach: () => Promise<unknown>): Promise<number> => {
    let sum = 0
    for (let n = 0; n < count; n++) {
      const before = process.cpuUsage()
      await send(to)
      const { user, system } = process.cpuUsage(before)
      sum += user + system
      await afterEach()
    }
    return sum / count
  }
  const { full, empty } = await interleave(rounds, {
    full: () => microsecondsOf('full', async () => {}),
    empty: () => microsecondsOf('empty', () => mr.claiming.receive('empty')),
  })
  await close()
  return compare({
    name: 'send to a full inbox, processor time',
    against: 'to an empty one',
    ours: full,
    theirs: empty,
    unit: 'µs a message',
    ratio: 'cost',
    goal: { atMost: 2 },
  })
}

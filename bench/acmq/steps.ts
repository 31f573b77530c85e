/** What the whole library adds to the system calls of a send, a claim and a lifecycle: validation, ids, headers, dependencies. */
import { compare } from '../measure.ts'
import type { Figure, Goal, Section } from '../section.ts'
import { openBare } from '../steps/bare.ts'
import { type Calls, contest, type Samples, type Step, steps } from '../steps/contender.ts'
import { openLimit } from '../steps/limit.ts'
import { openLibrary } from './library.ts'
import { dependencies, size } from './message.ts'

/** A bare loop trusts names. The library wins a message before it judges it, which takes two calls more. */
export const stepGoals: Readonly<Record<Step, Goal>> = {
  send: { atLeast: 0.6 },
  claim: { atLeast: 0.35 },
  lifecycle: { atLeast: 0.45 },
}

export const acmqSteps: Section = {
  title: 'AC-MQ, the whole library: send, claim, lifecycle (send, claim, complete)',

  async run(places, { rounds, isQuick }) {
    const place = places.memory
    const whole = await openLibrary(place.folder('acmq'), place.folder('counted'), { name: '', dependencies })
    const plain = await openLibrary(place.folder('plain'), place.folder('counted'), {
      name: ', no dependencies',
      dependencies: [],
    })
    const bare = await openBare(place.folder('bare'), 'absolute')
    const limit = openLimit(place.folder('limit'))
    const contenders = [whole, plain, bare, ...('missing' in limit ? [] : [limit])]
    const samples = await contest(contenders, rounds, isQuick ? 1000 : 2000)
    const measured: Measured[] = []
    for (const [i, contender] of contenders.entries()) {
      measured.push({ name: contender.name, times: samples[i]!, calls: await contender.countCalls() })
    }
    const [ours, without, theirs, c] = measured
    return {
      figures: [
        ...figuresOf(ours!, theirs!, stepGoals),
        ...figuresOf(without!, theirs!),
        ...(c === undefined ? [] : figuresOf(ours!, c)),
      ],
      notes: [
        `On ${place.fileSystem}; messages of ${size} bytes, each with a file and a finished message it depends on; ratios of speed.`,
        ...('missing' in limit ? [`Not compared with C: ${limit.missing}.`] : []),
      ],
    }
  },
}

interface Measured {
  readonly name: string
  readonly times: Samples
  readonly calls: Calls
}

const figuresOf = (ours: Measured, other: Measured, goals?: Readonly<Record<Step, Goal>>): Figure[] =>
  steps.map((step) =>
    compare({
      name: step + ours.name,
      against: other.name,
      ours: ours.times[step],
      theirs: other.times[step],
      unit: 'µs a message',
      ratio: 'speed',
      ...(goals ? { goal: goals[step] } : {}),
      calls: { ours: ours.calls[step], theirs: other.calls[step] },
    }),
  )

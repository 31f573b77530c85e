/** What the whole library adds to the system calls of a send, a claim and a lifecycle: validation, ids, headers, dependencies. */
import { compare } from '../measure.ts'
import type { Figure, Goal, Section } from '../section.ts'
import { openBare } from '../steps/bare.ts'
import { type Contender, contest, type Samples, type Step, steps } from '../steps/contender.ts'
import { openLimit } from '../steps/limit.ts'
import { openLibrary } from './library.ts'
import { dependencies, size } from './message.ts'

export const stepGoals: Readonly<Record<Step, Goal>> = {
  send: { atLeast: 0.85 },
  claim: { atLeast: 0.85 },
  lifecycle: { atLeast: 0.85 },
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
    const [wholeTimes, plainTimes, bareTimes, limitTimes] = await contest(contenders, rounds, isQuick ? 200 : 400)
    return {
      figures: [
        ...figuresOf(whole, wholeTimes!, bare, bareTimes!, stepGoals),
        ...figuresOf(plain, plainTimes!, bare, bareTimes!),
        ...('missing' in limit ? [] : figuresOf(whole, wholeTimes!, limit, limitTimes!)),
      ],
      notes: [
        `On ${place.fileSystem}; messages of ${size} bytes, each with a file and a finished message it depends on; ratios of speed.`,
        ...('missing' in limit ? [`Not compared with C: ${limit.missing}.`] : []),
      ],
    }
  },
}

const figuresOf = (
  ours: Contender,
  ourTimes: Samples,
  other: Contender,
  theirTimes: Samples,
  goals?: Readonly<Record<Step, Goal>>,
): Figure[] =>
  steps.map((step) =>
    compare({
      name: step + ours.name,
      against: other.name,
      ours: ourTimes[step],
      theirs: theirTimes[step],
      unit: 'µs a message',
      ratio: 'speed',
      ...(goals ? { goal: goals[step] } : {}),
      calls: { ours: ours.calls[step], theirs: other.calls[step] },
    }),
  )

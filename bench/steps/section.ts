/** Send, claim and lifecycle: what the engine costs beyond its system calls, and compared with C. */
import { compare } from '../measure.ts'
import type { Figure, Goal, Section } from '../section.ts'
import { openBare } from './bare.ts'
import { type Calls, contest, type Samples, type Step, steps } from './contender.ts'
import { openLimit } from './limit.ts'
import { message } from './message.ts'
import { openOurs } from './ours.ts'

const goals: Readonly<Record<string, Readonly<Record<Step, Goal>>>> = {
  'a bare loop': { send: { atLeast: 0.85 }, claim: { atLeast: 0.85 }, lifecycle: { atLeast: 0.85 } },
  C: { send: { atLeast: 0.65 }, claim: { atLeast: 0.55 }, lifecycle: { atLeast: 0.55 } },
}

export const engineSteps: Section = {
  title: 'Engine: send, claim (move and change of status), lifecycle (send, claim, complete)',

  async run(places, { rounds, isQuick }) {
    const place = places.memory
    const ours = await openOurs(place.folder('ours'), place.folder('counted'))
    const bare = await openBare(place.folder('bare'), 'absolute')
    const byDescriptor = await openBare(place.folder('descriptor'), 'descriptor')
    const limit = openLimit(place.folder('limit'))
    const contenders = [
      ours,
      bare,
      ...(process.platform === 'linux' ? [byDescriptor] : []),
      ...('missing' in limit ? [] : [limit]),
    ]
    const samples = await contest(contenders, rounds, isQuick ? 200 : 500)
    const calls = await Promise.all(contenders.map((contender) => contender.countCalls()))
    const results = contenders.map(({ name }, i) => ({ name, times: samples[i]!, calls: calls[i]! }))
    return {
      figures: results.slice(1).flatMap((other) => figuresOf(results[0]!, other)),
      notes: [
        `On ${place.fileSystem}; messages of ${message.length} bytes; ratios of speed.`,
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

function figuresOf(ours: Measured, other: Measured): Figure[] {
  return steps.map((step) =>
    compare({
      name: step,
      against: other.name,
      ours: ours.times[step],
      theirs: other.times[step],
      unit: 'µs a message',
      ratio: 'speed',
      ...(goals[other.name] ? { goal: goals[other.name]![step] } : {}),
      calls: { ours: ours.calls[step], theirs: other.calls[step] },
    }),
  )
}

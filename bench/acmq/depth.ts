/**
 * Claims from a deep queue and from shallow ones, by a process that stays. Opening a queue reads every header once, and that
 * cost is divided among its claims. The deep queue is opened once, the shallow ones are opened and emptied again and again.
 */
import type { Mission } from '../../src/protocols/ac-mq/store/mission.ts'
import { compare, interleave } from '../measure.ts'
import type { Goal, Section } from '../section.ts'
import { microsecondsEach } from '../steps/contender.ts'
import { fillPending, openBox, take } from './queue.ts'

const deepCount = 100_000
const shallowCount = 1000
export const depthGoal: Goal = { atMost: 1.3 }

export const acmqDepth: Section = {
  title: `AC-MQ: claiming with ${deepCount / 1000},000 pending against ${shallowCount / 1000},000, in a process that stays`,

  async run(places, { isQuick }) {
    const place = places.memory
    const root = place.folder('depth')
    const { acmq } = await openBox(root)
    const slices = isQuick ? 2 : 5

    const { mission: deep } = await acmq.create('deep')
    fillPending(root, 'deep', deepCount)
    const since = performance.now()
    await deep.claims.next({ agent: 'somebody-else' })
    const share = microsecondsEach(since, deepCount)

    const samples = await interleave(isQuick ? 3 : 8, {
      ours: async () => share + (await claimAll([deep], slices * shallowCount)),
      theirs: async (round) => {
        const missions: Mission[] = []
        for (let slice = 0; slice < slices; slice++) {
          const name = `shallow-${round}-${slice}`
          const { mission } = await acmq.create(name)
          fillPending(root, name, shallowCount)
          missions.push(mission)
        }
        return claimAll(missions, shallowCount)
      },
    })
    return {
      figures: [
        compare({
          name: `claim, ${deepCount} pending`,
          against: `${shallowCount} pending`,
          ...samples,
          unit: 'µs a message',
          ratio: 'cost',
          goal: depthGoal,
          amortised: true,
        }),
      ],
      notes: [
        `On ${place.fileSystem}; all rounds together; ${share.toFixed(1)} µs of each deep claim are its share of opening the queue.`,
      ],
    }
  },
}

async function claimAll(missions: readonly Mission[], each: number): Promise<number> {
  const since = performance.now()
  for (const mission of missions) for (let i = 0; i < each; i++) await take(mission)
  return microsecondsEach(since, missions.length * each)
}

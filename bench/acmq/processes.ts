/** Two processes emptying one queue together against one alone; every message is to be handed out exactly once. */
import { readdirSync } from 'node:fs'
import { compare, interleave } from '../measure.ts'
import { Resident } from '../resident.ts'
import type { Figure, Goal, Section } from '../section.ts'
import { microsecondsEach } from '../steps/contender.ts'
import { fillPending, openBox, queueFolder } from './queue.ts'

export const togetherGoal: Goal = { atLeast: 1.2 }
const name = 'acmq-drain'
/** Rounds that do not count: until the code of both processes is compiled, compilers use the second core. */
const rehearsals = 10

export const acmqProcesses: Section = {
  title: 'AC-MQ: two processes emptying a queue against one',

  async run(places, { isQuick }) {
    const place = places.memory
    const root = place.folder('processes')
    const { acmq } = await openBox(root)
    const [alone, first, second] = [1, 2, 3].map(() => new Resident(name, [root])) as [Resident, Resident, Resident]
    const count = isQuick ? 1000 : 4000
    const tally = { twice: 0, lost: 0, shared: 0 }

    const fill = async (mission: string, workers: readonly Resident[]) => {
      await acmq.create(mission)
      const ids = fillPending(root, mission, count)
      await Promise.all(workers.map((worker) => worker.ask(`open ${mission}`)))
      return ids
    }
    const library = (who: string, workers: readonly Resident[]) => async (round: number) => {
      const mission = `${who}-${round}`
      const ids = await fill(mission, workers)
      const since = performance.now()
      const handed = await Promise.all(workers.map((worker) => worker.ask('library')))
      const each = microsecondsEach(since, count)
      const all = handed.flatMap((line) => JSON.parse(line) as string[])
      const done = readdirSync(queueFolder(root, mission, 'completed')).length
      const different = new Set(all)
      tally.twice += all.length - different.size
      tally.lost += Math.max(ids.filter((id) => !different.has(id)).length, ids.length - done)
      if (workers.length > 1) tally.shared += count
      return each
    }
    const bare = (who: string, workers: readonly Resident[]) => async (round: number) => {
      await fill(`bare-${who}-${round}`, workers)
      const since = performance.now()
      await Promise.all(workers.map((worker, part) => worker.ask(`bare ${part} ${workers.length}`)))
      return microsecondsEach(since, count)
    }
    const turns = {
      together: library('together', [first, second]),
      alone: library('alone', [alone]),
      bareTogether: bare('together', [first, second]),
      bareAlone: bare('alone', [alone]),
    }
    const samples = await interleave(isQuick ? 5 : 15, turns, isQuick ? 1 : rehearsals)
    await Promise.all([alone, first, second].map((child) => child.close()))

    const shared = { unit: 'µs a message', ratio: 'speed' } as const
    const { together, bareTogether, alone: one, bareAlone } = samples
    return {
      figures: [
        compare({
          name: 'two processes',
          against: 'one',
          ours: together,
          theirs: one,
          ...shared,
          goal: togetherGoal,
        }),
        compare({ name: 'two bare loops', against: 'one', ours: bareTogether, theirs: bareAlone, ...shared }),
        counted('handed out twice', tally.twice, tally.shared),
        counted('lost', tally.lost, tally.shared),
      ],
      notes: [
        `On ${place.fileSystem}; claim and complete, ${count} messages a round. Bare loops share the messages out beforehand: what this machine gives two.`,
      ],
    }
  },
}

const counted = (what: string, found: number, of: number): Figure => ({
  name: what,
  against: 'by two processes',
  ratio: found,
  unit: 'messages',
  spread: [found, found],
  rounds: 1,
  goal: { atMost: 0 },
  amounts: { ours: found, theirs: of, unit: 'messages' },
})

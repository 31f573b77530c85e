/** Sending, and taking and ending, by the verbs for every agent against the verbs of each protocol, in a process that stays. */
import { setTimeout as pause } from 'node:timers/promises'
import { compare, interleave } from '../measure.ts'
import type { Place } from '../places.ts'
import type { Figure, Goal, Section } from '../section.ts'
import { processorTime, processorTimeEach } from '../steps/contender.ts'
import { neutralVerbs, protocols, unnotedVerbs, type Verbs, workspaceAt } from './verbs.ts'

export const neutralGoal: Goal = { atLeast: 0.75 }
/** Messages that are sent before those that count, so that folders and notes are there. */
const first = 3
/** Milliseconds in which an engine loads what makes its later calls cheaper. */
const restMs = 30

type Side = 'ours' | 'theirs' | 'unnoted'

export const neutralSteps: Section = {
  title: 'Neutral: the verbs for every agent against the verbs of each protocol',

  async run(places, { rounds, isQuick }) {
    const figures: Figure[] = []
    for (const name of Object.keys(protocols)) figures.push(...(await figuresOf(name, places.memory, rounds, isQuick)))
    return {
      figures,
      notes: [
        `On ${places.memory.fileSystem}; processor time; messages of 1 KB, in a new workspace each round, whose recipient is listed.`,
        'What is taken is noted as shown, which the verbs of a protocol do not do; in Message Routing both send the answer.',
      ],
    }
  },
}

async function figuresOf(name: string, place: Place, rounds: number, isQuick: boolean): Promise<Figure[]> {
  const { title, home, own } = protocols[name]!
  // An inbox of Message Routing holds a hundred.
  const count = isQuick ? 20 : 50
  const taking: Record<Side, number[]> = { ours: [], theirs: [], unnoted: [] }
  const turn = (side: Side) => async (round: number) => {
    const workspace = await workspaceAt(place.folder(`neutral-${name}`), home)
    const verbs = await {
      ours: () => neutralVerbs(workspace),
      theirs: () => own(workspace),
      unnoted: () => unnotedVerbs(workspace, name),
    }[side]()
    await microsecondsOf(verbs.send, first)
    await microsecondsOf(verbs.takeAndEnd, first)
    await pause(restMs)
    const sending = await microsecondsOf(verbs.send, count)
    const each = await microsecondsOf(verbs.takeAndEnd, count)
    if (round >= rehearsals) taking[side].push(each)
    await workspace.close()
    return sending
  }
  const rehearsals = isQuick ? 3 : 10
  const turns = { ours: turn('ours'), theirs: turn('theirs'), unnoted: turn('unnoted') }
  const sending = await interleave(rounds, turns, rehearsals)
  const figure = (what: string, ours: readonly number[], theirs: readonly number[], goal?: Goal) =>
    compare({
      name: `${title}: ${what}`,
      against: 'its own verbs',
      ours,
      theirs,
      unit: 'µs a message',
      ratio: 'speed',
      ...(goal ? { goal } : {}),
    })
  return [
    figure('send', sending.ours, sending.theirs, neutralGoal),
    figure('take and done', taking.ours, taking.theirs, neutralGoal),
    figure('the same, not noted as shown', taking.unnoted, taking.theirs),
  ]
}

async function microsecondsOf(step: Verbs['send'], count: number): Promise<number> {
  const since = processorTime()
  for (let n = 0; n < count; n++) await step()
  return processorTimeEach(since, count)
}

/** The whole library as a contender: `workspace.acmq` as a program uses it, one awaited call after the other. */
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import type { Missions } from '../../src/protocols/ac-mq/store/missions.ts'
import { breathe } from '../measure.ts'
import { type Calls, type Contender, processorTime, processorTimeEach, type Round } from '../steps/contender.ts'
import { callsOfEach, countingDisk, isWarm } from '../steps/counting.ts'
import { inputFor } from './message.ts'
import { missionWithHistory, openBox, take, takeAndComplete } from './queue.ts'

export async function openLibrary(
  root: string,
  countIn: string,
  options: { readonly name: string; readonly dependencies: readonly string[] },
): Promise<Contender> {
  const { name, dependencies } = options
  const { acmq: missions } = await openBox(root)
  return {
    name,
    countCalls: () => countCalls(countIn, dependencies),
    prepare: (round, count) => prepare(missions, root, dependencies, round, count),
  }
}

async function prepare(
  missions: Missions,
  root: string,
  dependencies: readonly string[],
  round: number,
  count: number,
): Promise<Round> {
  const name = `bench-${round}`
  const mission = await missionWithHistory(missions, root, name)
  const input = inputFor(name, dependencies)
  const timed = (step: () => Promise<unknown>) => async () => {
    const since = processorTime()
    for (let i = 0; i < count; i++) await step()
    return processorTimeEach(since, count)
  }
  return {
    send: timed(() => mission.sending.send(input)),
    claim: timed(() => take(mission)),
    lifecycle: timed(async () => {
      await mission.sending.send(input)
      await takeAndComplete(mission)
    }),
  }
}

async function countCalls(root: string, dependencies: readonly string[]): Promise<Calls> {
  const counting = countingDisk()
  const { disk } = counting
  const tree = await openFileTree({ root, disk })
  const missions = await acmq.open({ tree, clock: systemClock, settings: acmq.defaults })
  const count = 500
  await (await prepare(missions, root, dependencies, 0, 50)).send()
  while (!isWarm(disk)) await breathe()
  const round = await prepare(missions, root, dependencies, 1, count)
  const perMessage = await callsOfEach(round, count, counting)
  await tree.close()
  return perMessage
}

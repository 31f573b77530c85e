/** Sessions: a cold command, how long it takes until a wait that another process ends is over, and what an idle one costs. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openWorkspace } from '../../src/index.ts'
import { againstEmpty } from '../cold/against-empty.ts'
import { runsEach } from '../cold/launch.ts'
import { emptyName, launcherEnvironment, onBun } from '../cold/runtime.ts'
import { compare, interleave } from '../measure.ts'
import type { Place } from '../places.ts'
import { inRepository } from '../repository.ts'
import { Resident } from '../resident.ts'
import type { Figure, Section } from '../section.ts'
import { openSharedClock } from '../shared-clock.ts'
import { idleCalls } from './idle.ts'

/** Milliseconds, after which the other process is waiting again. */
const idleMs = 10

export const sessions: Section = {
  title: `Sessions: a cold session say against ${emptyName}, and a wait that another process ends`,

  async run(places, { isQuick }) {
    const cwd = places.memory.folder('cold-say')
    const workspace = await openWorkspace({ root: cwd })
    await workspace.sessions.say('#STATE:save:k:v', { session: 'bench' })
    await workspace.close()
    const say = [
      inRepository('bin', 'signalbox'),
      'session',
      'say',
      '--root',
      cwd,
      '--session',
      'bench',
      '#STATE:load:k',
    ]
    const cold = await againstEmpty(say, {
      cwd,
      rounds: isQuick ? 5 : 9,
      goals: onBun ? { wall: { atMost: 3 } } : {},
    })
    const woken = await wokenAgainstBare(places.memory, isQuick ? 40 : 200, isQuick ? 100 : 1000)
    const idle = await idleCalls(cwd, isQuick ? 20 : 60, launcherEnvironment)
    return {
      figures: [...cold, woken, ...(idle ? [idle] : [])],
      notes: [
        ...(idle ? [] : ['The calls of an idle wait were not counted: strace is not here, or may not look.']),
        `On ${places.memory.fileSystem}; ${runsEach} starts a round; ratios of cost.`,
        'The wait: from the call of `#SIGNAL` to `ready` in the other process; bare, from writing a file to the event of a watch.',
      ],
    }
  },
}

async function wokenAgainstBare(place: Place, rounds: number, rehearsals: number): Promise<Figure> {
  const clock = await openSharedClock()
  const [root, bareRoot] = [place.folder('wait'), place.folder('bare-wait')]
  const { sessions: ours, close } = await openWorkspace({ root })
  await ours.start('bench')
  const [draft, pending, processing] = ['tmp', 'pending', 'processing'].map((name) => join(bareRoot, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [draft, pending, processing]) mkdirSync(folder)
  const waiter = new Resident('session-wait', [root])
  const bare = new Resident('bare-wait', [pending, processing])
  for (const one of [waiter, bare]) await one.next()
  let n = 0
  let bareCount = 0
  const turns = {
    ours: async () => {
      const since = clock()
      await ours.say(`#SIGNAL:c${n}`, { session: 'bench' })
      return endedAt(await waiter.next(), `c${n++}`) - since
    },
    theirs: async () => {
      const name = `${bareCount++}.md`
      const since = clock()
      writeFileSync(join(draft, name), 'x')
      renameSync(join(draft, name), join(pending, name))
      return endedAt(await bare.next(), name) - since
    },
  }
  const afterRest = (turn: () => Promise<number>) => async () => {
    await pause(idleMs)
    return turn()
  }
  // Signals that do not count: who waits for long has its code compiled.
  await interleave(0, turns, rehearsals)
  const samples = await interleave(rounds, { ours: afterRest(turns.ours), theirs: afterRest(turns.theirs) })
  await Promise.all([waiter.close(), bare.close()])
  await close()
  return compare({
    name: 'a wait that ends',
    against: 'a bare watch',
    ...samples,
    unit: 'ms',
    ratio: 'cost',
    goal: { atMost: 3 },
  })
}

function endedAt(line: string, expected: string): number {
  const [got, at] = line.split(' ')
  if (got !== expected) throw new Error(`the other process told of ${got} instead of ${expected}`)
  return Number(at)
}

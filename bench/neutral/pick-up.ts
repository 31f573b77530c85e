/** How long it takes until an agent that waits in `take` has a message of another process. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { compare, interleave, type Turn } from '../measure.ts'
import { Resident } from '../resident.ts'
import type { Figure, Goal, Section } from '../section.ts'
import { openSharedClock } from '../shared-clock.ts'
import { message } from '../steps/message.ts'
import { protocols, sender, text, worker, workspaceAt } from './verbs.ts'

/** As a multiple of what a bare watch takes. For AC-MQ alone: elsewhere sending takes longer than that by itself. */
export const neutralPickUpGoal: Goal = { atMost: 2.5 }
/** Milliseconds, after which the worker is waiting again. */
const idleMs = 10

export const neutralPickUp: Section = {
  title: 'Neutral: an agent that waits takes what another process sends',

  async run(places, { isQuick }) {
    const place = places.memory
    const clock = await openSharedClock()
    const figures: Figure[] = []
    for (const [name, { title, home }] of Object.entries(protocols)) {
      const [root, bareRoot] = [place.folder(`neutral-wait-${name}`), place.folder('bare')]
      const workspace = await workspaceAt(root, home)
      const [draft, pending, processing] = ['tmp', 'pending', 'processing'].map((folder) => join(bareRoot, folder)) as [
        string,
        string,
        string,
      ]
      for (const folder of [draft, pending, processing]) mkdirSync(folder)
      await workspace.send({ from: sender, to: worker, text })
      const workers = [new Resident('neutral-wait', [root]), new Resident('bare-wait', [pending, processing])]
      const [ours, bare] = workers as [Resident, Resident]
      for (const one of workers) await one.next()
      await ours.next()
      let bareCount = 0
      const turns = {
        ours: async () => {
          const since = clock()
          const sent = await workspace.send({ from: sender, to: worker, text })
          return tookSince(since, sent.message.handle, await ours.next())
        },
        theirs: async () => {
          const file = `${bareCount++}.md`
          const since = clock()
          writeFileSync(join(draft, file), message)
          renameSync(join(draft, file), join(pending, file))
          return tookSince(since, file, await bare.next())
        },
      }
      const afterRest =
        (turn: () => Promise<number>): Turn =>
        async () => {
          await pause(idleMs)
          return turn()
        }
      // Those do not count: an agent that waits for long has its code compiled.
      // A session keeps all its tasks in one document, so that it gets fewer.
      await interleave(0, turns, isQuick || name === 'session' ? 50 : 500)
      const samples = await interleave(isQuick ? 40 : 100, {
        ours: afterRest(turns.ours),
        theirs: afterRest(turns.theirs),
      })
      await Promise.all(workers.map((one) => one.close()))
      await workspace.close()
      figures.push(
        compare({
          name: title,
          against: 'a bare watch',
          ...samples,
          unit: 'ms',
          ratio: 'cost',
          ...(name === 'acmq' ? { goal: neutralPickUpGoal } : {}),
        }),
      )
    }
    return {
      figures,
      notes: [
        `On ${place.fileSystem}; from the call of send until the other process has the message; both rest ${idleMs} ms before each.`,
      ],
    }
  },
}

function tookSince(since: number, sent: string, line: string): number {
  const [got, at] = line.split(' ')
  if (got !== sent) throw new Error(`the worker took ${got} instead of ${sent}`)
  return Number(at) - since
}

/**
 * What `Journal` promises, on one engine: a change is whole in the end wherever its process is killed or held, one that was lost
 * leaves nothing, and notes of strangers do nothing. A kill is an error that no code of ours catches.
 * First with notes, which every engine can do; then, on engines that have transactions, as one transaction.
 */
import { afterEach, describe, expect } from 'vitest'
import { systemClock } from '../../src/kernel/clock.ts'
import { childOf, type TreePath, treePath } from '../../src/kernel/tree-path.ts'
import { Journal, type Steps } from '../../src/messaging/journal/journal.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { gate } from '../support/mortal-tree.ts'
import { verifies } from '../support/verifies.ts'
import type { EnginePlace } from './every-engine.ts'

/** A job: its file travels from `waiting/` to `done/`, a mark says who has it, and the log tells it once. */
type JobStep =
  | { readonly do: 'mark'; readonly job: Job; readonly by: string }
  /** Decides what is done next. */
  | { readonly do: 'decide'; readonly job: Job; readonly by: string }
  | { readonly do: 'carry'; readonly job: Job }
  | { readonly do: 'tell'; readonly job: Job; readonly by: string }
type Job = `job-${string}`

const at = (folder: string, name: string): TreePath => childOf(treePath(folder), name)
const log = treePath('log')
const notes = treePath('notes')

class Killed extends Error {}

/** Called before every effect; it may throw, or wait. */
type Fate = (moment: string) => Promise<void>

const kinds: readonly unknown[] = ['mark', 'decide', 'tell']

const stepsOn = (tree: Tree, fate: Fate): Steps<JobStep, Job> => ({
  parse: (steps, job) => {
    const isOurs = (step: unknown): step is JobStep => {
      const { do: kind, job: about, by } = (step ?? {}) as Record<string, unknown>
      return about === job && (kind === 'carry' || (kinds.includes(kind) && typeof by === 'string'))
    }
    return steps.every(isOurs) ? (steps as readonly JobStep[]) : undefined
  },
  async perform(step, isRepeat) {
    await fate(`before ${step.do}`)
    const did = await perform(tree, step, isRepeat)
    await fate(`after ${step.do}`)
    return did
  },
  undo: (step) => (step.do === 'mark' ? tree.remove(at('marks', step.job)) : Promise.resolve()),
})

async function perform(tree: Tree, step: JobStep, isRepeat: boolean) {
  switch (step.do) {
    case 'mark':
      await tree.create(at('marks', step.job), step.by)
      return undefined
    case 'decide':
      return {
        next: [
          { do: 'carry', job: step.job },
          { do: 'tell', job: step.job, by: step.by },
        ],
      } as const
    case 'carry': {
      const moved = await tree.move(at('waiting', step.job), at('done', step.job))
      if (moved.outcome === 'moved') return undefined
      return isRepeat && (await tree.look(at('done', step.job))) ? undefined : 'lost'
    }
    case 'tell': {
      const line = `${step.job} ${step.by}`
      const told = Buffer.from((await tree.read(log, { fresh: true }))?.bytes ?? []).toString('utf8')
      if (isRepeat && told.split('\n').includes(line)) return undefined
      const appended = await tree.append(log, line)
      return appended.outcome === 'appended' ? appended.durability : undefined
    }
  }
}

export function describeJournal(title: string, prepare: () => Promise<EnginePlace>, nodes: number): void {
  describe(`the journal on ${title}`, () => {
    const opened: Tree[] = []
    afterEach(async () => {
      for (const tree of opened.splice(0)) await tree.close()
    })

    /** A process of its own: its tree, its journal, and what happens to it. */
    const processOn = async (
      place: EnginePlace,
      fate: Fate = async () => {},
      options: { readonly largestNote?: number; readonly alwaysNoted?: boolean } = {},
    ) => {
      const tree = await place.open(systemClock)
      opened.push(tree)
      const journal = new Journal<JobStep, Job>(tree, stepsOn(tree, fate), {
        folder: notes,
        isSubject: (name): name is Job => name.startsWith('job-'),
        turnOf: (job) => `jobs ${job}`,
        stepsIn: ({ steps, deeds = steps }) => deeds,
        alwaysNoted: true,
        ...options,
      })
      const finish = (job: Job, by: string) =>
        journal.turn(job, () =>
          journal.commit(job, [
            { do: 'mark', job, by },
            { do: 'decide', job, by },
          ]),
        )
      return { tree, journal, finish }
    }

    const namesIn = async (tree: Tree, folder: string) =>
      (await tree.list(treePath(folder), { fresh: true })).map(({ name }) => name)
    const linesOf = async (tree: Tree) =>
      Buffer.from((await tree.read(log, { fresh: true }))?.bytes ?? [])
        .toString('utf8')
        .split('\n')
        .filter(Boolean)
    /** The whole of a finished job, and nothing besides. */
    const expectDone = async (tree: Tree, by: string) => {
      expect(await namesIn(tree, 'waiting')).toEqual([])
      expect(await namesIn(tree, 'done')).toEqual(['job-1'])
      expect(await linesOf(tree)).toEqual([`job-1 ${by}`])
      expect(await namesIn(tree, notes)).toEqual([])
    }

    verifies(['X-journal', 'X-crash'], 'does every step once and leaves no note', async () => {
      const { tree, finish } = await processOn(await prepare())
      await tree.create(at('waiting', 'job-1'), 'work')
      expect(await finish('job-1', 'ann')).toMatchObject({ outcome: 'done' })
      await expectDone(tree, 'ann')
    })

    verifies('X-crash', 'undoes the steps before one that another process won', async () => {
      const { tree, finish } = await processOn(await prepare())
      expect(await finish('job-1', 'ann')).toEqual({ outcome: 'lost' })
      expect(await namesIn(tree, 'marks')).toEqual([])
      expect(await linesOf(tree)).toEqual([])
      expect(await namesIn(tree, notes)).toEqual([])
    })

    const moments = ['mark', 'decide', 'carry', 'tell'].flatMap((step) => [`before ${step}`, `after ${step}`])
    for (const moment of moments) {
      verifies(['X-journal', 'X-crash'], `is finished by the next process when one is killed ${moment}`, async () => {
        const place = await prepare()
        const killed = await processOn(place, async (now) => {
          if (now === moment) throw new Killed()
        })
        await killed.tree.create(at('waiting', 'job-1'), 'work')
        await expect(killed.finish('job-1', 'ann')).rejects.toThrow(Killed)
        const next = await processOn(place)
        // It wants the job for itself: what is there was begun for ann, and is hers.
        expect(await next.finish('job-1', 'bob')).toEqual({ outcome: 'lost' })
        expect(await next.journal.finishAll()).toEqual([])
        await expectDone(next.tree, 'ann')
      })

      verifies('X-crash', `is finished although the one that finishes it is killed too, ${moment}`, async () => {
        const place = await prepare()
        const { tree, finish } = await processOn(place, async (now) => {
          if (now === 'after mark') throw new Killed()
        })
        await tree.create(at('waiting', 'job-1'), 'work')
        await expect(finish('job-1', 'ann')).rejects.toThrow(Killed)
        const second = await processOn(place, async (now) => {
          if (now === moment) throw new Killed()
        })
        await expect(second.journal.finishAll()).rejects.toThrow(Killed)
        const third = await processOn(place)
        expect(await third.journal.finishAll()).toEqual([])
        await expectDone(third.tree, 'ann')
      })

      verifies('X-held', `is waited for by others when its process is held ${moment}`, async () => {
        const place = await prepare()
        const [held, goOn] = [gate(), gate()]
        const slow = await processOn(place, async (now) => {
          if (now !== moment) return
          held.open()
          await goOn.opened
        })
        const other = await processOn(place)
        await slow.tree.create(at('waiting', 'job-1'), 'work')
        const first = slow.finish('job-1', 'ann')
        await held.opened
        const second = other.finish('job-1', 'bob')
        goOn.open()
        expect(await first).toMatchObject({ outcome: 'done' })
        expect(await second).toEqual({ outcome: 'lost' })
        await expectDone(other.tree, 'ann')
      })
    }

    verifies('X-crash', 'finishes what the same process could not, before it changes the subject again', async () => {
      let isBroken = true
      const { tree, journal, finish } = await processOn(await prepare(), async (now) => {
        if (isBroken && now === 'before tell') throw new Killed()
      })
      await tree.create(at('waiting', 'job-1'), 'work')
      await expect(finish('job-1', 'ann')).rejects.toThrow(Killed)
      isBroken = false
      expect(await journal.turn('job-1', () => journal.commit('job-1', []))).toMatchObject({ outcome: 'done' })
      await expectDone(tree, 'ann')
    })

    verifies('X-crash', 'does not decide again what a killed process has written down', async () => {
      const place = await prepare()
      const killed = await processOn(place, async (now) => {
        if (now === 'before carry') throw new Killed()
      })
      await killed.tree.create(at('waiting', 'job-1'), 'work')
      await expect(killed.finish('job-1', 'ann')).rejects.toThrow(Killed)
      const done: string[] = []
      const next = await processOn(place, async (now) => void done.push(now))
      expect(await next.journal.unfinished('job-1')).toMatchObject([{ do: 'mark' }, { do: 'carry' }, { do: 'tell' }])
      expect(await next.journal.finishAll()).toEqual([])
      expect(done.filter((now) => now.startsWith('before'))).toEqual(['before mark', 'before carry', 'before tell'])
      expect(await next.journal.unfinished('job-1')).toBe(undefined)
    })

    verifies('X-crash', 'finishes notes of an earlier version', async () => {
      const { tree, journal } = await processOn(await prepare())
      await tree.create(at('waiting', 'job-1'), 'work')
      const deeds = [
        { do: 'carry', job: 'job-1' },
        { do: 'tell', job: 'job-1', by: 'ann' },
      ]
      await tree.create(childOf(notes, 'job-1.json'), JSON.stringify({ deeds }))
      expect(await journal.finishAll()).toEqual([])
      await expectDone(tree, 'ann')
    })

    verifies('X-notes', 'believes notes as large as its protocol writes them, and no larger', async () => {
      const place = await prepare()
      const text = JSON.stringify({ steps: [{ do: 'carry', job: 'job-1' }] })
      const { tree, journal } = await processOn(place, undefined, { largestNote: text.length - 1 })
      await tree.create(at('waiting', 'job-1'), 'work')
      const path = childOf(notes, 'job-1.json')
      await tree.create(path, text)
      expect(await journal.notes()).toEqual([{ path, subject: undefined }])
      const other = await processOn(place, undefined, { largestNote: text.length })
      expect(await other.journal.finishAll()).toEqual([])
      expect(await namesIn(tree, 'done')).toEqual(['job-1'])
    })

    const strange: readonly (readonly [what: string, text: string])[] = [
      ['no JSON', '{"steps":'],
      ['endless JSON', '['.repeat(100_000)],
      ['no object', 'null'],
      ['no steps', '{"steps":7}'],
      ['a step that nobody knows', '{"steps":[{"do":"format","job":"job-1"}]}'],
      ['steps about another subject', '{"steps":[{"do":"carry","job":"job-2"}]}'],
      ['far too much', `{"steps":[],"more":"${'x'.repeat(1024 * 1024)}"}`],
    ]
    verifies('X-notes', 'does nothing that a note of a stranger says, tells of it, and goes on', async () => {
      for (const [what, text] of strange) {
        const { tree, journal, finish } = await processOn(await prepare())
        await tree.create(at('waiting', 'job-1'), 'work')
        await tree.create(at('waiting', 'job-2'), 'work')
        const path = childOf(notes, 'job-1.json')
        await tree.create(path, text)
        expect(await journal.finishAll(), what).toEqual([])
        expect(await namesIn(tree, 'waiting'), what).toEqual(['job-1', 'job-2'])
        expect(await journal.notes(), what).toEqual([{ path, subject: undefined }])
        expect(await finish('job-1', 'ann'), what).toMatchObject({ outcome: 'done' })
        expect(await namesIn(tree, 'waiting'), what).toEqual(['job-2'])
        expect(await journal.notes(), what).toEqual([])
      }
    })

    if (nodes === 0) return

    const inTransactions = { alwaysNoted: false }

    verifies('X-crash', 'finishes in its transaction what a process with notes left', async () => {
      const place = await prepare()
      const killed = await processOn(place, async (now) => {
        if (now === 'after carry') throw new Killed()
      })
      await killed.tree.create(at('waiting', 'job-1'), 'work')
      await expect(killed.finish('job-1', 'ann')).rejects.toThrow(Killed)
      const next = await processOn(place, undefined, inTransactions)
      expect(await next.finish('job-1', 'bob')).toEqual({ outcome: 'lost' })
      await expectDone(next.tree, 'ann')
    })

    for (const moment of moments) {
      verifies('X-crash', `leaves nothing in a transaction when its process is killed ${moment}`, async () => {
        const place = await prepare()
        const kill: Fate = async (now) => {
          if (now === moment) throw new Killed()
        }
        const killed = await processOn(place, kill, inTransactions)
        await killed.tree.create(at('waiting', 'job-1'), 'work')
        await expect(killed.finish('job-1', 'ann')).rejects.toThrow(Killed)
        const next = await processOn(place, undefined, inTransactions)
        expect(await namesIn(next.tree, 'marks')).toEqual([])
        expect(await namesIn(next.tree, notes)).toEqual([])
        expect(await next.finish('job-1', 'bob')).toMatchObject({ outcome: 'done' })
        await expectDone(next.tree, 'bob')
      })

      verifies('X-held', `holds up nobody in a transaction when its process is held ${moment}`, async () => {
        const place = await prepare()
        const [held, goOn] = [gate(), gate()]
        const hold: Fate = async (now) => {
          if (now !== moment) return
          held.open()
          await goOn.opened
        }
        const slow = await processOn(place, hold, inTransactions)
        const other = await processOn(place, undefined, inTransactions)
        await slow.tree.create(at('waiting', 'job-1'), 'work')
        const first = slow.finish('job-1', 'ann')
        await held.opened
        expect(await other.finish('job-1', 'bob')).toMatchObject({ outcome: 'done' })
        goOn.open()
        expect(await first).toEqual({ outcome: 'lost' })
        await expectDone(other.tree, 'bob')
      })
    }

    verifies('X-held', 'is whole in transactions of three processes, in every order of two that are held', async () => {
      for (const [one, moment] of moments.entries()) {
        for (const second of moments.slice(one % 2).filter((_, i) => i % 2 === 0)) {
          const place = await prepare()
          const gates = [gate(), gate()]
          const [ann, bob] = await Promise.all(
            [moment, second].map((at, i) =>
              processOn(place, async (now) => (now === at ? gates[i]!.opened : undefined), inTransactions),
            ),
          )
          const eve = await processOn(place, undefined, inTransactions)
          await eve.tree.create(at('waiting', 'job-1'), 'work')
          const held = [ann!.finish('job-1', 'ann'), bob!.finish('job-1', 'bob')]
          const winner = one % 3
          if (winner === 2) await eve.finish('job-1', 'eve')
          gates[winner % 2]!.open()
          await held[winner % 2]
          gates[1 - (winner % 2)]!.open()
          await Promise.all(held)
          await expectDone(eve.tree, ['ann', 'bob', 'eve'][winner]!)
        }
      }
    })
  })
}

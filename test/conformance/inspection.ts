/**
 * What `doctor` tells of any protocol, on one engine: a change or a send that a killed process left is found under one code and
 * finished where that is asked for, and what a process is at right now is no error.
 */
import { describe, expect } from 'vitest'
import { childOf, type TreePath, treePath } from '../../src/kernel/tree-path.ts'
import { unfinishedChanges } from '../../src/messaging/inspection/changes.ts'
import { unfinishedSends } from '../../src/messaging/inspection/findings.ts'
import { Journal, type Steps } from '../../src/messaging/journal/journal.ts'
import { SendingOnce } from '../../src/messaging/sending-once/sending-once.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { heldBeforeEach, killedBeforeEach, namesIn, openers } from '../support/mortal-tree.ts'
import { verifies } from '../support/verifies.ts'
import type { EnginePlace } from './every-engine.ts'

type PutStep = { readonly do: 'put'; readonly name: string }

const notes = treePath('notes')
const put = treePath('put')

const journalOn = (tree: Tree): Journal<PutStep, 'job'> => {
  const steps: Steps<PutStep, 'job'> = {
    parse: (read) => read as readonly PutStep[],
    perform: async ({ name }) => void (await tree.create(childOf(put, name), name)),
  }
  // Noted also where there are transactions, so that something can be left.
  return new Journal(tree, steps, {
    folder: notes,
    isSubject: (name) => name === 'job',
    turnOf: (job) => job,
    alwaysNoted: true,
  })
}

const change = (tree: Tree) => {
  const journal = journalOn(tree)
  const steps: PutStep[] = ['a', 'b'].map((name) => ({ do: 'put', name }))
  return journal.turn('job', () => journal.commit('job', steps))
}

const places = { notes: treePath('sent'), staged: treePath('staged'), ending: '.md' }
const publishOn = (tree: Tree) => (staged: TreePath) => tree.move(staged, childOf(put, 'message.md'))

async function send(tree: Tree) {
  const begun = await new SendingOnce(tree, places).begin('key', 'text', 'digest')
  if (begun.outcome === 'begun') await publishOn(tree)(begun.staged)
}

export function describeInspection(title: string, prepare: () => Promise<EnginePlace>): void {
  describe(`inspection on ${title}`, () => {
    const place = openers(prepare)

    verifies('X-doctor', 'a change that was cut off anywhere is told under one code, and finished by a repair', () =>
      killedBeforeEach(place, {
        work: change,
        async after(tree, when) {
          const begun = (await namesIn(tree, notes)).length > 0
          const found = await unfinishedChanges(tree, journalOn(tree), false)
          expect(
            found.map(({ code }) => code),
            when,
          ).toEqual(begun ? ['UNFINISHED_CHANGE'] : [])
          const repaired = await unfinishedChanges(tree, journalOn(tree), true)
          expect(
            repaired.map(({ repaired }) => repaired),
            when,
          ).toEqual(begun ? [true] : [])
          if (begun) expect((await namesIn(tree, put)).sort(), when).toEqual(['a', 'b'])
          expect(await unfinishedChanges(tree, journalOn(tree), true), when).toEqual([])
        },
      }),
    )

    verifies('X-doctor', 'a change that a process is at is a note, and a repair leaves it to that process', () =>
      heldBeforeEach(place, {
        work: change,
        meanwhile: (tree) => unfinishedChanges(tree, journalOn(tree), true),
        async after(tree, when, { other }) {
          expect(
            other.filter(({ severity }) => severity === 'error'),
            when,
          ).toEqual([])
          expect((await namesIn(tree, put)).sort(), when).toEqual(['a', 'b'])
          expect(await namesIn(tree, notes), when).toEqual([])
        },
      }),
    )

    verifies(
      'X-doctor',
      'a send that was cut off is told under one code, and a repair puts the message where it belongs',
      () =>
        killedBeforeEach(place, {
          work: send,
          async after(tree, when) {
            const isNoted = (await namesIn(tree, places.notes)).length > 0
            const isMoved = (await namesIn(tree, put)).length > 0
            const found = await unfinishedSends(tree, new SendingOnce(tree, places))
            expect(
              found.map(({ code }) => code),
              when,
            ).toEqual(isNoted && !isMoved ? ['UNFINISHED_SEND'] : [])
            await unfinishedSends(tree, new SendingOnce(tree, places), publishOn(tree))
            expect(await namesIn(tree, put), when).toEqual(isNoted ? ['message.md'] : [])
          },
        }),
    )
  })
}

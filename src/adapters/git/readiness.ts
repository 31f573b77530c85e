/**
 * What speaks against a rollback: git is in the middle of something that it was not in the middle of then, or another branch is
 * checked out whose commits it would move. `force` skips this, but not what makes a rollback impossible.
 */
import { conflict } from '../../kernel/errors.ts'
import { expectNothingUnderWay } from './branch.ts'
import type { CheckpointNote } from './keeping.ts'
import type { Parts } from './parts.ts'
import { headOf, progressOf } from './progress.ts'
import { expectUnlocked } from './user-index.ts'

interface Options {
  readonly force: boolean
  readonly onBranch: boolean
}

export async function expectReady(at: Parts, about: CheckpointNote, { force, onBranch }: Options): Promise<void> {
  await expectUnlocked(at)
  if (onBranch) expectNothingUnderWay(at)
  if (force) return
  const [now, then] = [progressOf(at), about.progress]
  if (now !== then) throw otherProgress(now, then)
  const { branch } = await headOf(at)
  if (onBranch && branch !== about.head.branch) throw otherBranch(branch, about.head.branch)
}

function otherProgress(now: string, then: string) {
  const isOver = now === 'none'
  const message = isOver
    ? `The checkpoint was made in the middle of a ${then}, which is over.`
    : `A ${now} is under way that was not when the checkpoint was made.`
  const hint = isOver
    ? 'Use another checkpoint, or `force` to bring back the files all the same.'
    : `Finish it or give it up (git ${now} --abort), or use \`force\`, which leaves it under way.`
  return conflict('GIT_IN_PROGRESS', message, { hint, details: { now, then } })
}

const otherBranch = (now: string | undefined, then: string | undefined) =>
  conflict('OTHER_BRANCH', `The checkpoint was made on ${then ?? 'no branch'}, and now it is ${now ?? 'no branch'}.`, {
    hint: 'Check out that branch, or use `force` to move the one that is checked out.',
    details: { now, then },
  })

/**
 * A work tree of git, of which checkpoints can be made and brought back. What is kept, where, and why:
 * docs/decisions/0037-checkpoints-in-git.md.
 */
import { SignalboxError } from '../../kernel/errors.ts'
import { asUser, locate } from './locate.ts'
import { asOurselves, openPrivateDir } from './private-dir.ts'
import type { Git } from './run.ts'
import { WorkTree, type WorkTreeOptions } from './work-tree.ts'

/** A new repository, with nothing of the user's templates in it. False where there is no git. */
export async function makeRepository(git: Git, folder: string): Promise<boolean> {
  try {
    await git({ args: ['init', '--quiet', '--template=', '--initial-branch=main'], cwd: folder })
    return true
  } catch (error) {
    if (error instanceof SignalboxError && error.code === 'GIT_MISSING') return false
    throw error
  }
}

export { type Git, type GitCall, gitRunner } from './run.ts'

export async function findWorkTree(options: WorkTreeOptions): Promise<WorkTree> {
  const { git, files, from } = options
  const place = await locate(git, from)
  const { home, id } = openPrivateDir(files, place)
  const own = asOurselves(git, place, { home, id })
  return new WorkTree({ files, place, user: asUser(git, place), own, home, id }, options)
}

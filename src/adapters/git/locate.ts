/** Finds the repository that holds a directory, and how to speak to it. */
import { resolve } from 'node:path'
import { denied, notFound, type SignalboxError, unavailable, unsupported } from '../../kernel/errors.ts'
import { type RawPath, rawPath } from '../../kernel/plain-files.ts'
import type { Git, GitAnswer, GitCall } from './run.ts'

export interface RepositoryPlace {
  readonly top: string
  /** From the top to the directory that was asked for, with a slash at its end; empty at the top. */
  readonly prefix: RawPath
  /** Of this work tree: the index and HEAD are here. Another one for each linked work tree. */
  readonly gitDir: string
  /** Of the whole repository: objects and branches are here. */
  readonly commonDir: string
  readonly objectFormat: string
}

/** Whatever the user's configuration says: nothing is started, signed, fetched or tidied up on the way. */
const asked = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.logAllRefUpdates=false',
  'core.filesRefLockTimeout=200',
  'gc.auto=0',
  'maintenance.auto=false',
  'commit.gpgSign=false',
  'submodule.recurse=false',
  'protocol.allow=never',
  'advice.detachedHead=false',
].flatMap((setting) => ['-c', setting])

const inspecting = [
  '--is-inside-work-tree',
  '--absolute-git-dir',
  '--git-common-dir',
  '--show-object-format',
  '--show-prefix',
  '--show-toplevel',
]

export async function locate(git: Git, from: string): Promise<RepositoryPlace> {
  const { bytes, status, complaint } = await git({
    args: [...asked, 'rev-parse', ...inspecting],
    cwd: from,
    fine: [128],
  })
  if (status !== 0) throw notUsable(from, complaint)
  const text = bytes.toString()
  const [isInside, gitDir = '', commonDir = '', objectFormat = '', prefix = '', top = '', ...rest] = text.split('\n')
  if (isInside !== 'true' || rest.length !== 1 || !Buffer.from(text).equals(bytes)) throw oddPath(from)
  return { top, prefix: rawPath(prefix), gitDir, commonDir: resolve(from, commonDir), objectFormat }
}

function notUsable(from: string, complaint: string): SignalboxError {
  if (/must be run in a work tree/.test(complaint))
    return unsupported('NO_WORK_TREE', `The repository at ${from} is bare: it has no files to keep or to bring back.`, {
      hint: 'Work in a clone of it, or in a linked work tree (git worktree add).',
    })
  if (/dubious ownership|unsafe repository/.test(complaint)) {
    // The workspace may lie below it, and git asks for the repository itself.
    const top = /repository (?:at |\()'(.+?)'/.exec(complaint)?.[1] ?? from
    return denied('REPOSITORY_NOT_TRUSTED', `The repository at ${top} belongs to another user, so git refuses it.`, {
      hint: `If you trust it: git config --global --add safe.directory '${top}'`,
    })
  }
  if (/not a git repository/.test(complaint))
    return notFound('NO_REPOSITORY', `${from} is in no git repository, and checkpoints are kept in git.`, {
      hint: 'Make one there: git init',
    })
  return unavailable('GIT_FAILED', `git does not know what to do with ${from}: ${complaint}`, {
    hint: 'Run `git status` there and put right what it complains about.',
  })
}

const oddPath = (from: string): SignalboxError =>
  unsupported('REPOSITORY_PATH', `The path of the repository at ${from} has a line end in it, or is not UTF-8.`, {
    hint: 'Move the repository to a directory with a plain name.',
  })

/** git as the user has it: their index, their ignore rules, their branches. */
export const asUser =
  (git: Git, { top, gitDir }: RepositoryPlace): Git =>
  (call: GitCall): Promise<GitAnswer> =>
    git({
      ...call,
      args: [...asked, ...call.args],
      env: { GIT_DIR: gitDir, GIT_WORK_TREE: top, ...call.env },
    })

/** Where HEAD is, and what git is in the middle of. */
import { rawPath } from '../../kernel/plain-files.ts'
import type { Parts } from './parts.ts'
import { outputLine } from './run.ts'

export type Progress = 'merge' | 'rebase' | 'cherry-pick' | 'revert' | 'none'

const signs: readonly (readonly [string, Progress])[] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
]

export const progressOf = ({ files, place }: Parts): Progress =>
  signs.find(([name]) => files.look(rawPath(`${place.gitDir}/${name}`)))?.[1] ?? 'none'

export interface Head {
  /** `undefined` before the first commit. */
  readonly commit?: string
  /** `refs/heads/main`; `undefined` when detached. */
  readonly branch?: string
}

export async function headOf({ user, place }: Parts): Promise<Head> {
  const branch = await branchOf({ user, place })
  const commit = await commitAt(user, place.top, 'HEAD')
  return { ...(commit === undefined ? {} : { commit }), ...(branch === '' ? {} : { branch }) }
}

/** `refs/heads/main`; empty when HEAD is detached. */
export const branchOf = ({ user, place }: Pick<Parts, 'user' | 'place'>): Promise<string> =>
  outputLine(user, { args: ['symbolic-ref', '-q', 'HEAD'], cwd: place.top, fine: [1] })

export async function commitAt(git: Parts['user'], cwd: string, name: string): Promise<string | undefined> {
  const args = ['rev-parse', '-q', '--verify', `${name}^{commit}`]
  const { status, bytes } = await git({ args, cwd, fine: [1, 128] })
  return status === 0 ? bytes.toString().trim() : undefined
}

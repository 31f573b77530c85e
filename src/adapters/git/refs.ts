/** The references that keep checkpoints: `refs/signalbox/checkpoints/WORKTREE/SESSION/cp_001`. */
import { unavailable } from '../../kernel/errors.ts'
import { rawPath } from '../../kernel/plain-files.ts'
import type { Parts } from './parts.ts'
import { commitAt } from './progress.ts'

/** git forbids some names that a session may have, such as `a..b`. */
const folderOf = ({ id }: Parts, session: string): string =>
  `refs/signalbox/checkpoints/${id}/${session.replaceAll(/[^A-Za-z0-9_-]/gu, (sign) => `%${Buffer.from(sign).toString('hex')}`)}`

export interface CheckpointRef {
  readonly commit: string
  /** The first line of its message. */
  readonly message: string
  /** In milliseconds. */
  readonly at: number
}

/** What a session has kept, by the last part of the reference. */
export async function checkpointRefs(at: Parts, session: string): Promise<Map<string, CheckpointRef>> {
  const format = '%(objectname) %(committerdate:unix) %(refname) %(subject)'
  const args = ['for-each-ref', `--format=${format}`, `${folderOf(at, session)}/`]
  const { bytes } = await at.user({ args, cwd: at.place.top })
  const lines = bytes.toString().split('\n')
  return new Map(
    lines.flatMap((line) => {
      const [, commit, seconds, ref, message] = /^(\S+) (\d+) (\S+) (.*)$/.exec(line) ?? []
      if (commit === undefined || ref === undefined) return []
      return [[ref.slice(ref.lastIndexOf('/') + 1), { commit, message: message ?? '', at: Number(seconds) * 1000 }]]
    }),
  )
}

/** How long another git, which may have outlived its caller, has for a reference. */
const patienceMs = 1000

/** Makes the reference, unless it is there with another commit. Twice is fine. */
export async function publishRef(
  at: Parts,
  session: string,
  name: string,
  commit: string,
): Promise<'published' | 'taken'> {
  const { user, place, files } = at
  const ref = `${folderOf(at, session)}/${name}`
  const none = '0'.repeat(commit.length)
  const lock = rawPath(`${place.commonDir}/${ref}.lock`)
  for (const startedAt = performance.now(); ; ) {
    const args = ['update-ref', '--no-deref', ref, commit, none]
    const { status, complaint } = await user({ args, cwd: place.top, fine: [1, 128] })
    if (status === 0) return 'published'
    const found = await commitAt(user, place.top, ref)
    if (found !== undefined) return found === commit ? 'published' : 'taken'
    if (!files.look(lock)) throw notPublished(ref, complaint)
    // Only we write here, one process at a time: this lock is of a git that was killed, or is about to end.
    if (performance.now() - startedAt > patienceMs) files.remove(lock)
  }
}

const notPublished = (ref: string, complaint: string) =>
  unavailable('GIT_FAILED', `git could not make ${ref}: ${complaint.split('\n')[0]}`, {
    hint: 'Put right what git complains about, then repeat the command.',
  })

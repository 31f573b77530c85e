/**
 * Files that are no messages, in the inbox of people: a person corrects one and has it put back, or says that it may stay as it
 * is. What may stay is remembered in the workspace, one small file each, as long as the file says what it said then.
 */
import { digestOf } from '../formats/digest.ts'
import type { Headline } from '../kernel/envelope.ts'
import { childOf, type TreePath } from '../kernel/tree-path.ts'
import { changeLeaf } from '../messaging/leaves/change.ts'
import { lookIfThere, unlessFailed } from '../messaging/leaves/tolerant.ts'
import type { Neutral, Quarantined, Question } from '../protocols/contract.ts'
import { stateOf } from '../tree/home.ts'
import type { Tree } from '../tree/tree.ts'

const leftFolder = childOf(stateOf('approvals'), 'left')

const noteOf = (protocol: string, { path, digest }: Quarantined): TreePath =>
  childOf(leftFolder, `${digestOf(protocol, path, digest)}.json`)

/** Whether a person has said that it may stay as it is. */
export const isLeft = async (tree: Tree, protocol: string, file: Quarantined): Promise<boolean> =>
  (await lookIfThere(tree, noteOf(protocol, file))) !== undefined

/** Remembers that it may. */
export async function leave(
  tree: Tree,
  protocol: string,
  file: Quarantined,
  decided: { readonly by: string; readonly reason: string },
): Promise<'answered' | 'unchanged'> {
  if (await isLeft(tree, protocol, file)) return 'unchanged'
  const at = new Date(await tree.now()).toISOString()
  const note = `${JSON.stringify({ protocol, path: file.path, ...decided, at })}\n`
  await changeLeaf(tree, noteOf(protocol, file), () => Buffer.from(note))
  return 'answered'
}

/** The files that no person has decided on yet. `seen` is called for every file, decided or not. */
export async function* waitingFiles(
  tree: Tree,
  protocol: string,
  neutral: Neutral,
  seen: (note: TreePath) => void,
): AsyncGenerator<Question> {
  for await (const file of neutral.quarantined?.() ?? []) {
    seen(noteOf(protocol, file))
    if (!(await isLeft(tree, protocol, file))) yield questionOf(neutral, file)
  }
}

/**
 * Forgets what was decided on files that are gone, or say something else by now. A user who may read and not write leaves it to
 * the next one.
 */
export const forgetLeft = async (tree: Tree, kept: ReadonlySet<TreePath>): Promise<void> =>
  unlessFailed(forgetOthers(tree, leftFolder, kept))

/** Removes the notes of a folder but for those in `kept`. */
export async function forgetOthers(
  tree: Tree,
  folder: TreePath,
  kept: { has(path: TreePath): boolean },
): Promise<void> {
  for (const { name, kind } of await tree.list(folder)) {
    if (kind === 'leaf' && !kept.has(childOf(folder, name))) await tree.remove(childOf(folder, name))
  }
}

export function questionOf(neutral: Neutral, file: Quarantined): Question {
  const { id, place, path, reason, since: askedAt, text, digest, next } = file
  return {
    id,
    ...(place === undefined ? {} : { place }),
    kind: 'quarantine',
    from: 'unknown',
    summary: reason,
    text,
    digest,
    options: [],
    answers: neutral.putBack ? ['approve', 'deny'] : ['deny'],
    why: 'It lies where a message should be, and is none.',
    askedAt,
    facts: [...(place === undefined ? [] : [['of', place] as const]), ['file', path], ['what to do', next]],
    details: { path, next },
  }
}

/** A file as if it were a message, for a person who names it by its id. */
export const envelopeOfFile = (protocol: string, file: Quarantined): Headline => {
  const { id, place, path, reason: summary, since: createdAt } = file
  const known = { protocol, id, from: 'unknown', to: 'unknown', state: 'quarantined', path, summary, createdAt }
  return place === undefined ? known : { ...known, place }
}

/**
 * Moves files of `context/` that belong together into folders of their own, and back. AC-MQ §15.
 *
 * In one turn: the journal says what will move, then the files move one by one, then each folder gets its README, then the
 * journal says that it is done. Whoever comes after a crash finishes what the journal says. No file is ever replaced.
 */
import { conflict } from '../../../../kernel/errors.ts'
import type { AcmqPorts } from '../../ports.ts'
import type { MissionFiles } from '../parts.ts'
import { fitsJournal, type Run, readRuns, writeRuns } from './aliases.ts'
import { finish, renewReadmes, wayBack } from './organize-moves.ts'
import { isOwnName, type PlannedMove, plan } from './organize-plan.ts'

export type { PlannedMove } from './organize-plan.ts'

export interface Organized {
  readonly outcome: 'organized' | 'planned' | 'unchanged' | 'undone'
  readonly moves: readonly PlannedMove[]
  /** Loose files that stay, each with the reason. */
  readonly stay: readonly { readonly path: string; readonly reason: string }[]
}

const turn = (files: MissionFiles): string => `ac-mq organize ${files.path}`

export async function organize(files: MissionFiles, ports: AcmqPorts, { dryRun = false } = {}): Promise<Organized> {
  return files.tree.exclusively(turn(files), async () => {
    if (!dryRun) {
      await finishInterrupted(files)
      await renewReadmes(files)
    }
    const { moves, stay, texts } = await plan(files, ports)
    if (moves.length === 0) return { outcome: 'unchanged', moves, stay }
    if (dryRun) return { outcome: 'planned', moves, stay }
    const run: Run = {
      at: await files.tree.now(),
      state: 'moving',
      moves: moves.map(({ from, to }) => ({ from, to, digest: texts.get(from)!.digest, size: texts.get(from)!.size })),
      clusters: [...new Set(moves.map(({ cluster }) => cluster))],
    }
    const runs = [...(await readRuns(files.tree, files.place.address)), run]
    if (!fitsJournal(runs)) return { outcome: 'unchanged', moves: [], stay: [...stay, ...moves.map(notRemembered)] }
    await writeRuns(files.tree, files.place.address, runs)
    await finish(files, run)
    return { outcome: 'organized', moves, stay }
  })
}

const notRemembered = ({ from }: PlannedMove) => ({
  path: from,
  reason: 'so many files were moved before that no more can be remembered',
})

/** Only when at least so many files lie loose. */
export async function organizeAbove(
  files: MissionFiles,
  ports: AcmqPorts,
  looseFiles: number,
): Promise<Organized | undefined> {
  const entries = await files.tree.list(files.inside('context'))
  const loose = entries.filter(({ name, kind }) => kind === 'leaf' && !isOwnName(name)).length
  return loose >= looseFiles || (await isInterrupted(files)) ? organize(files, ports) : undefined
}

/**
 * Puts back what the last `organize` moved, as it is now: what was edited comes back with its edit. What cannot go back stays,
 * with the reason; when nothing can, that is a conflict.
 */
export async function undoOrganize(files: MissionFiles): Promise<Organized> {
  const { tree, place } = files
  return tree.exclusively(turn(files), async () => {
    await finishInterrupted(files)
    const runs = await readRuns(tree, place.address)
    const last = runs.at(-1)
    if (!last) return { outcome: 'unchanged', moves: [], stay: [] }
    const { back, kept, stay } = await wayBack(files, last)
    if (back.length === 0 && kept.length > 0) throw changedSince(stay)
    const undoing: Run = { ...last, moves: [...back, ...kept], state: 'undoing' }
    await writeRuns(tree, place.address, [...runs.slice(0, -1), undoing])
    await finish(files, undoing)
    const moves = back.map(({ from, to }) => ({ from: to, to: from, cluster: clusterOf(to) }))
    return { outcome: back.length === 0 ? 'unchanged' : 'undone', moves, stay }
  })
}

const changedSince = (stay: Organized['stay']) => {
  const reasons = stay.map(({ path, reason }) => `${path}: ${reason}`)
  return conflict(
    'CHANGED_SINCE',
    `It cannot be undone, because somebody changed things since: ${reasons.slice(0, 5).join('; ')}.`,
    { hint: 'Put these back as they were, or move the files by hand.', details: { reasons } },
  )
}

/** For `doctor --fix`: finishes what a process that was killed had begun. False when there is nothing to finish. */
export async function finishOrganizing(files: MissionFiles): Promise<boolean> {
  if (!(await isInterrupted(files))) return false
  return files.tree.exclusively(turn(files), () => finishInterrupted(files))
}

async function isInterrupted({ tree, place }: MissionFiles): Promise<boolean> {
  const last = (await readRuns(tree, place.address)).at(-1)
  return last !== undefined && last.state !== 'done'
}

/** What a process that was killed had begun. */
async function finishInterrupted(files: MissionFiles): Promise<boolean> {
  const last = (await readRuns(files.tree, files.place.address)).at(-1)
  if (!last || last.state === 'done') return false
  await finish(files, last)
  return true
}

const clusterOf = (path: string): string => path.split('/')[1] ?? ''

/**
 * Moves files of `context/` that belong together into folders of their own, and back. AC-MQ §15. Both are changes of the journal. The
 * new places are recorded before the first file moves, and no file is ever replaced.
 */
import { conflict, unavailable } from '../../../../kernel/errors.ts'
import { childOf, nameOf, parentOf, type TreePath } from '../../../../kernel/tree-path.ts'
import { unfinishedChanges } from '../../../../messaging/inspection/changes.ts'
import { Journal, type Steps } from '../../../../messaging/journal/journal.ts'
import { stateOf } from '../../../../tree/home.ts'
import { type Finding, finding, type Tree } from '../../../../tree/tree.ts'
import { printReadme } from '../../memory/clusters.ts'
import { isAsWritten } from '../../memory/generated.ts'
import type { AcmqPorts } from '../../ports.ts'
import { moveDocument, writeDocument } from '../moving.ts'
import type { MissionFiles } from '../parts.ts'
import { isOwnName, readme, textsInCluster } from './context-files.ts'
import {
  type FileMove,
  fitsLedger,
  isClusterName,
  isInContext,
  isMove,
  isThere,
  latestMoves,
  ledgerPath,
  missionStateName,
  movedFiles,
  type Run,
  readRuns,
  whereItWent,
  writeRuns,
} from './moved-files.ts'
import { type PlannedMove, plan } from './organize-plan.ts'

export type { PlannedMove } from './organize-plan.ts'

export interface Organized {
  readonly outcome: 'organized' | 'planned' | 'unchanged' | 'undone'
  readonly moves: readonly PlannedMove[]
  readonly stay: readonly { readonly path: string; readonly reason: string }[]
}

export async function organize(files: MissionFiles, ports: AcmqPorts, { dryRun = false } = {}): Promise<Organized> {
  if (dryRun) {
    const { moves, stay } = await plan(files, ports)
    return { outcome: moves.length === 0 ? 'unchanged' : 'planned', moves, stay }
  }
  return inTurn(files, async (commit) => {
    await renewReadmes(files)
    const { moves, stay, texts } = await plan(files, ports)
    if (moves.length === 0) return { outcome: 'unchanged', moves, stay }
    const runs = await readRuns(files)
    const run: Run = {
      at: Math.max(await files.tree.now(), (runs.at(-1)?.at ?? 0) + 1),
      moves: moves.map(({ from, to }) => ({ from, to, digest: texts.get(from)!.digest, size: texts.get(from)!.size })),
      clusters: [...new Set(moves.map(({ cluster }) => cluster))],
    }
    if (!fitsLedger([...runs, run])) return { outcome: 'unchanged', moves: [], stay: [...stay, ...moves.map(notKept)] }
    await commit(organizeSteps(run))
    return { outcome: 'organized', moves, stay }
  })
}

const notKept = ({ from }: PlannedMove) => ({
  path: from,
  reason: 'so many files were moved before that no more can be remembered',
})

export async function organizeAbove(
  files: MissionFiles,
  ports: AcmqPorts,
  looseFiles: number,
): Promise<Organized | undefined> {
  const entries = await files.tree.list(files.inside('context'))
  const loose = entries.filter(({ name, kind }) => kind === 'leaf' && !isOwnName(name)).length
  const isLeft = (await unfinishedOrganize(files).notes()).some((note) => note.subject !== undefined)
  return loose >= looseFiles || isLeft ? organize(files, ports) : undefined
}

/** Puts back what the last `organize` moved, as it is now. What cannot go back stays, with the reason. */
export async function undoOrganize(files: MissionFiles): Promise<Organized> {
  return inTurn(files, async (commit) => {
    const last = (await readRuns(files)).at(-1)
    if (!last) return { outcome: 'unchanged', moves: [], stay: [] }
    const { back, kept, gone, stay } = await planUndo(files, last)
    if (back.length === 0 && kept > 0) throw changedSince(stay)
    await commit(undoSteps({ ...last, moves: back }, gone))
    const moves = back.map(({ from, to }) => ({ from: to, to: from, cluster: to.split('/')[1] ?? '' }))
    return { outcome: back.length === 0 ? 'unchanged' : 'undone', moves, stay }
  })
}

async function planUndo(files: MissionFiles, { moves, clusters }: Run) {
  const back: FileMove[] = []
  const gone: string[] = []
  const stay: { path: string; reason: string }[] = []
  for (const move of moves) {
    const { from, to } = move
    if (!(await isThere(files, to))) {
      const elsewhere = await whereItWent(files, from)
      if (elsewhere === undefined) gone.push(from)
      stay.push({ path: to, reason: elsewhere === undefined ? 'it is gone' : `somebody moved it to ${elsewhere}` })
    } else if (await files.tree.look(files.inside(from))) stay.push({ path: to, reason: `${from} is there again` })
    else back.push(move)
  }
  const kept = stay.length - gone.length
  for (const cluster of clusters) {
    const path = `context/${cluster}/${readme}`
    const leaf = await files.tree.read(files.inside(path))
    if (leaf && !isOurs(leaf.bytes)) stay.push({ path, reason: 'somebody changed it' })
  }
  return { back, kept, gone, stay }
}

const changedSince = (stay: Organized['stay']) => {
  const reasons = stay.map(({ path, reason }) => `${path}: ${reason}`)
  return conflict(
    'CHANGED_SINCE',
    `It cannot be undone, because somebody changed things since: ${reasons.slice(0, 5).join('; ')}.`,
    { hint: 'Put these back as they were, or move the files by hand.', details: { reasons } },
  )
}

type OrganizeStep =
  /** Old paths lead to the new ones from now on, unless a file is at the old path again. */
  | ({ readonly do: 'record' } & Omit<Run, 'interrupted'>)
  | { readonly do: 'move'; readonly from: string; readonly to: string }
  | { readonly do: 'readme'; readonly cluster: string }
  /** Removes from the run `at` the files that did not move or are back, and those in `gone`. */
  | { readonly do: 'forget'; readonly at: number; readonly isUndo: boolean; readonly gone: readonly string[] }

type Commit = (steps: readonly OrganizeStep[]) => Promise<unknown>

const moveSteps = (moves: readonly Pick<FileMove, 'from' | 'to'>[]) =>
  moves.map(({ from, to }) => ({ do: 'move', from, to }) as const)
const readmeSteps = (clusters: Run['clusters']) => clusters.map((cluster) => ({ do: 'readme', cluster }) as const)

const organizeSteps = ({ at, moves, clusters }: Run): OrganizeStep[] => [
  { do: 'record', at, moves, clusters },
  ...moveSteps(moves),
  ...readmeSteps(clusters),
  { do: 'forget', at, isUndo: false, gone: [] },
]

const undoSteps = ({ at, moves, clusters }: Run, gone: readonly string[] = []): OrganizeStep[] => [
  ...moveSteps(moves.map(({ from, to }) => ({ from: to, to: from }))),
  ...readmeSteps(clusters),
  { do: 'forget', at, isUndo: true, gone },
]

const subject = 'organize'
/** In bytes: enough for as many files as are ever looked at, with the longest names. */
const largestNote = 16 * 1024 * 1024

const journalOf = (files: MissionFiles): Journal<OrganizeStep, typeof subject> =>
  new Journal(files.tree, stepsIn(files), {
    folder: childOf(childOf(stateOf('aliases'), 'unfinished'), missionStateName(files.place.address)),
    isSubject: (name) => name === subject,
    turnOf: () => `ac-mq organize ${files.path}`,
    // It reads whole folders, and may move very many files.
    alwaysNoted: true,
    largestNote,
  })

async function inTurn<T>(files: MissionFiles, work: (commit: Commit) => Promise<T>): Promise<T> {
  const journal = journalOf(files)
  const commit: Commit = (steps) => journal.commit(subject, steps)
  return journal.turn(subject, async () => {
    // Earlier versions kept their plan in the ledger.
    const last = (await readRuns(files)).at(-1)
    if (last?.interrupted === 'moving') await commit(organizeSteps(last))
    if (last?.interrupted === 'undoing') await commit(undoSteps(last))
    return work(commit)
  })
}

/** Changes that a killed process has left, for `doctor` and supervision: noted in the journal, or by earlier versions in the ledger. */
const unfinishedOrganize = (files: MissionFiles) => {
  const journal = journalOf(files)
  const hasEarlier = async () => (await readRuns(files)).at(-1)?.interrupted !== undefined
  return {
    notes: async () => [
      ...(await journal.notes()),
      ...((await hasEarlier()) ? [{ path: ledgerPath(files), subject } as const] : []),
    ],
    finishAll: async () => {
      const stuck = await journal.finishAll()
      if (await hasEarlier()) await inTurn(files, async () => {})
      return stuck
    },
  }
}

const stepsIn = (files: MissionFiles): Steps<OrganizeStep, typeof subject> => ({
  parse: (steps) => (steps.every(isStep) ? steps : undefined),
  async perform(step) {
    if (step.do === 'record') await record(files, step)
    if (step.do === 'move') await moveFile(files.tree, files.inside(step.from), files.inside(step.to))
    if (step.do === 'readme') await keepReadme(files, step.cluster)
    if (step.do === 'forget') await forget(files, step)
    return undefined
  },
})

function isStep(value: unknown): value is OrganizeStep {
  const step = (value ?? {}) as Record<string, unknown>
  const isList = (list: unknown, isOne: (one: unknown) => boolean) => Array.isArray(list) && list.every(isOne)
  switch (step.do) {
    case 'record':
      return typeof step.at === 'number' && isList(step.moves, isMove) && isList(step.clusters, isClusterName)
    case 'move':
      return isInContext(step.from) && isInContext(step.to)
    case 'readme':
      return isClusterName(step.cluster)
    default:
      return step.do === 'forget' && typeof step.at === 'number' && isList(step.gone, isInContext)
  }
}

async function record(files: MissionFiles, { at, moves, clusters }: Run): Promise<void> {
  const runs = await readRuns(files)
  const names = new Set(moves.map(({ from }) => from))
  const before = runs.find((run) => run.at === at)?.moves.filter(({ from }) => !names.has(from)) ?? []
  await writeRuns(files, [...runs.filter((run) => run.at !== at), { at, moves: [...before, ...moves], clusters }])
}

async function forget(files: MissionFiles, { at, isUndo, gone }: Extract<OrganizeStep, { do: 'forget' }>) {
  const runs = await readRuns(files)
  const run = runs.find((one) => one.at === at)
  if (!run) return
  const left: FileMove[] = []
  for (const move of run.moves) {
    const [isAtFrom, isAtTo] = [await isThere(files, move.from), await isThere(files, move.to)]
    // A file whose new name was taken has stayed where it was. A file that a person moved elsewhere has not come back, and is
    // still found by its old name.
    const isForgotten = isUndo ? gone.includes(move.from) || (isAtFrom && !isAtTo) : isAtFrom || !isAtTo
    if (!isForgotten) left.push(move)
  }
  const changed = isUndo && left.length === 0 ? [] : [{ ...run, moves: left }]
  const next = runs.flatMap((one) => (one === run ? changed : [one]))
  await writeRuns(files, next)
}

/**
 * Moves a file, unless it was moved before or is gone. A file that another process is changing, or that a failed move left under a
 * private name, is not found either, but a listing shows it; listing also puts the latter back.
 */
async function moveFile(tree: Tree, from: TreePath, to: TreePath): Promise<void> {
  for (let n = 0; n < mostTries; n++) {
    if ((await moveDocument(tree, from, to)).outcome !== 'gone') return
    if (!(await tree.list(parentOf(from))).some(({ name }) => name === nameOf(from))) return
  }
  throw unavailable('FILE_IN_USE', `${from} cannot be moved, because another program is changing it.`, {
    hint: 'Try again in a moment; what has been moved already is remembered.',
    details: { path: from },
  })
}

const mostTries = 5

/** A person may have added a file to a cluster or taken one away. A README that a person removed is not made again. */
async function renewReadmes(files: MissionFiles): Promise<void> {
  const clusters = new Set((await readRuns(files)).flatMap((run) => run.clusters))
  for (const cluster of clusters)
    if (await files.tree.look(files.inside(`context/${cluster}/${readme}`))) await keepReadme(files, cluster)
}

/** Writes the README of a cluster, or removes it when the last file is gone. */
async function keepReadme(files: MissionFiles, cluster: string): Promise<void> {
  const { tree, place } = files
  const folder = files.inside(`context/${cluster}`)
  const path = childOf(folder, readme)
  if (!(await tree.list(folder)).some(({ name }) => name !== readme)) {
    await tree.remove(path, { onlyIf: isOurs })
    return
  }
  const inside = await textsInCluster(files, cluster)
  if (inside.length === 0) return
  const text = printReadme(place.address, cluster, inside, [])
  const before = await tree.read(path)
  if (before && Buffer.from(before.bytes).toString('utf8') === text) return
  await writeDocument(tree, path, text, isOurs)
}

const isOurs = (bytes: Uint8Array): boolean => isAsWritten(Buffer.from(bytes).toString('utf8'))

/** For `doctor`: unfinished moves, and moved files that are gone. */
export async function memoryFindings(files: MissionFiles, repair: boolean): Promise<Finding[]> {
  const findings = await unfinishedChanges(files.tree, unfinishedOrganize(files), repair)
  const moves = latestMoves(await readRuns(files))
  const found = moves.size === 0 ? new Map() : await movedFiles(files)
  for (const [from, { to }] of moves) {
    if (found.has(from) || (await files.tree.look(files.inside(from)))) continue
    const message = `It was moved to ${to} and is not there any more.`
    const hint = 'Restore it from a copy if something still needs it.'
    findings.push(finding('note', 'MOVED_FILE_LOST', `${files.path}/${from}`, message, hint))
  }
  return findings
}

/**
 * How far a message has come: written, claimed, shown, finished or failed. All of it follows from its protocol's own files but
 * `shown`, which is noted. A message to many has one ladder for each reader.
 */
import type { Stage } from '../kernel/envelope.ts'
import { SignalboxError } from '../kernel/errors.ts'
import { treePath } from '../kernel/tree-path.ts'
import { type Bus, type FoundMessage, findAll } from './bus.ts'
import { CarryNotes } from './carry-notes.ts'
import { type Shown, shownOf } from './shown.ts'

export interface Rung {
  readonly stage: Stage
  /** ISO 8601; absent where nothing tells it. */
  readonly at?: string
  readonly by?: string
  readonly attempt?: number
  readonly until?: string
  /** The surface that showed it. */
  readonly through?: string
  /** The handle of the copy that this is about, for a message that was carried to another protocol. */
  readonly in?: string
  /** The agent whose copy this is about, for a message to many. */
  readonly reader?: string
}

export async function ladderOf(bus: Bus, copies: readonly [FoundMessage, ...FoundMessage[]]): Promise<Rung[]> {
  const [{ envelope }] = copies
  const shown = await shownOf(bus.tree, envelope.handle)
  const rungs: Rung[] = [{ stage: 'written', at: envelope.createdAt, by: envelope.from }]
  for (const copy of copies) rungs.push(...(await rungsOf(bus, copy, shown, copies.length > 1)))
  const { to } = await carriedOf(bus, envelope.handle)
  if (to === undefined) return rungs
  // What came of the copy is told before the end of the original, which follows from it.
  const carried = await unlessMissing(findAll(bus, to))
  const own = carried ? (await ladderOf(bus, carried)).map((rung) => ({ in: to, ...rung })) : []
  const end = rungs.findIndex(({ stage }) => stage === 'finished' || stage === 'failed')
  const byBridge = rungs.map((rung) => (rung.stage === 'claimed' ? { ...rung, through: 'bridge' } : rung))
  return end < 0 ? [...byBridge, ...own] : [...byBridge.slice(0, end), ...own, ...byBridge.slice(end)]
}

/** Where a message was carried to, or what it is a copy of. */
export async function carriedOf(
  { tree }: Pick<Bus, 'tree'>,
  handle: string,
): Promise<{ readonly from?: string; readonly to?: string }> {
  const note = await new CarryNotes(tree).of(handle)
  if (!note) return {}
  if (note.copy === handle) return { from: note.original }
  return note.copy === undefined ? {} : { to: note.copy }
}

/** `undefined` where there is no such message any more. */
async function unlessMissing<T>(finding: Promise<T>): Promise<T | undefined> {
  try {
    return await finding
  } catch (error) {
    if (error instanceof SignalboxError && error.kind === 'NotFound') return undefined
    throw error
  }
}

async function rungsOf(
  bus: Bus,
  { envelope }: FoundMessage,
  shown: readonly Shown[],
  isOneOfMany: boolean,
): Promise<Rung[]> {
  const { stage, claim, path, to } = envelope
  const holder = claim?.by ?? to
  const reader = isOneOfMany ? { reader: holder } : {}
  if (stage === 'written') return []
  const changedAt = (await bus.tree.look(treePath(path)))?.changedAt
  // The time of a file is that of its last change: the latest rung has it.
  const now = changedAt === undefined ? {} : { at: new Date(changedAt).toISOString() }
  const rungs: Rung[] = []
  if (claim) rungs.push({ stage: 'claimed', ...(stage === 'claimed' ? now : {}), ...claim, ...reader })
  for (const one of shown.filter((note) => note.reader.toLowerCase() === holder.toLowerCase()))
    rungs.push({ stage: 'shown', at: new Date(one.at).toISOString(), by: one.reader, through: one.through, ...reader })
  if (stage !== 'claimed') rungs.push({ stage, ...now, by: holder, ...reader })
  return rungs
}

/** The last rung that was reached, of the copy that came furthest. */
export const stageOf = (ladder: readonly Rung[]): Stage => {
  const order: readonly Stage[] = ['written', 'claimed', 'shown', 'failed', 'finished']
  return ladder.reduce<Stage>(
    (best, { stage }) => (order.indexOf(stage) > order.indexOf(best) ? stage : best),
    'written',
  )
}

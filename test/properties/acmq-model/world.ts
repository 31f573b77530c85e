/**
 * What the commands of the model test act upon: a mission on some engine, open in several handles as if by several
 * processes, a clock that only the test moves, a way to be killed half-way, and a stranger's view of the files.
 */
import { acmq } from '../../../src/protocols/ac-mq/index.ts'
import type { Mission } from '../../../src/protocols/ac-mq/store/mission.ts'
import type { Tree } from '../../../src/tree/tree.ts'

export const missionFolder = 'llm/missions/alpha'
export const handleCount = 3

/** A file as somebody sees it who knows nothing but folders and text. */
export interface Seen {
  readonly folder: string
  readonly name: string
  readonly text: string
  /** When it was last written, touched or moved, on the test's clock. */
  readonly changedAt: number
}

export interface World {
  now(): number
  advance(milliseconds: number): void
  /** Missions that share the files and nothing else: each remembers for itself. */
  readonly handles: readonly Mission[]
  /** The process dies before its change number `step`, counted from here. */
  armKill(step: number): void
  /** Whether it died; from now on nothing is counted. */
  disarm(): boolean
  /** Everything that was open is gone, as if the process had been killed; a new one opens the files. */
  restart(): Promise<void>
  /** One handle forgets what it remembers, as a process of its own that starts. */
  refresh(handle: number): Promise<void>
  files(folders: readonly string[]): Promise<Seen[]>
  /** The texts of all packs in the archive. */
  archived(): Promise<string[]>
  /** What programs that are not ours do. */
  readonly byHand: {
    write(path: string, text: string): Promise<void>
    move(from: string, to: string): Promise<void>
    edit(path: string, change: (text: string) => string): Promise<void>
  }
  close(): Promise<void>
}

export async function missionsOn(tree: Tree, now: () => number): Promise<Mission[]> {
  const handles: Mission[] = []
  for (let i = 0; i < handleCount; i++) handles.push(await missionOn(tree, now))
  return handles
}

export async function missionOn(tree: Tree, now: () => number): Promise<Mission> {
  const missions = await acmq.open({ tree, clock: { now }, settings: acmq.defaults })
  return (await missions.create('alpha', { objective: 'Build the thing' })).mission
}

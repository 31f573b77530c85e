/** A mission on real files with a clock of the test, and functions with the words of the specification. */
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { type heldClock, systemClock } from '../../src/kernel/clock.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import type { AcmqSettings } from '../../src/protocols/ac-mq/settings.ts'
import type { Mission } from '../../src/protocols/ac-mq/store/mission.ts'
import type { Missions } from '../../src/protocols/ac-mq/store/missions.ts'
import type { Tree } from '../../src/tree/tree.ts'

export interface AcmqBox {
  readonly tree: Tree
  readonly missions: Missions
  readonly mission: Mission
  close(): Promise<void>
}

export interface BoxOptions {
  readonly clock?: ReturnType<typeof heldClock>
  readonly settings?: Partial<AcmqSettings>
}

export async function openBox(root: string, options: BoxOptions = {}): Promise<AcmqBox> {
  const { clock } = options
  return boxOn(await openFileTree({ root, ...(clock ? { clock } : {}) }), options)
}

export const memoryBox = (options: BoxOptions = {}): Promise<AcmqBox> =>
  boxOn(openMemoryTree(options.clock ? { clock: options.clock } : {}), options)

export async function boxOn(
  tree: Tree,
  { clock = systemClock, settings }: { clock?: typeof systemClock; settings?: Partial<AcmqSettings> },
): Promise<AcmqBox> {
  const missions = await acmq.open({ tree, clock, settings: { ...acmq.defaults, ...settings } })
  const { mission } = await missions.create('alpha', { objective: 'Build the thing' })
  return { tree, missions, mission, close: () => tree.close() }
}

/** All work that recurs without being asked for, for surfaces that stay: that of each protocol, and what concerns all of them. */

import { Carrier, carryingFolders, isBridgeNeeded, type Pass } from '../bridge/carrying.ts'
import { type Freed, freeingTheDead, freeTheDead } from '../bridge/free-the-dead.ts'
import type { Duty } from '../protocols/contract.ts'
import { busOf } from './bus.ts'
import { type StoresPlace, usedProtocols } from './stores.ts'
import type { LazyWorkspace } from './workspace/workspace.ts'

export type { Pass } from '../bridge/carrying.ts'
export type { Freed } from '../bridge/free-the-dead.ts'

export async function* dutiesOf(context: StoresPlace & Pick<LazyWorkspace, 'forOthers'>): AsyncGenerator<Duty> {
  for await (const { neutral } of usedProtocols(context)) yield* neutral.duties?.() ?? []
  const bus = await busOf(context)
  yield freeingTheDead(bus)
  yield {
    name: 'messages between protocols',
    watches: await carryingFolders(bus),
    async run() {
      const { carried, settled, nextAt } = await carriedIn(context)
      return { did: carried.length + settled.length, ...(nextAt === undefined ? {} : { nextAt }) }
    },
  }
}

/** One pass of the bridge, where there is something to carry or to settle. */
export async function carriedIn(context: StoresPlace & Pick<LazyWorkspace, 'forOthers'>): Promise<Pass> {
  if (!(await isBridgeNeeded(await busOf(context)))) return { carried: [], settled: [], notices: [] }
  const own = context.forOthers()
  try {
    return await Carrier.pass(await busOf(own))
  } finally {
    await own.close()
  }
}

/** One pass of what is done for all protocols, as part of supervising one of them. */
export const freedIn = async (context: StoresPlace): Promise<readonly Freed[]> => freeTheDead(await busOf(context))

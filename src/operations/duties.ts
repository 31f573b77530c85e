/** All work that recurs without being asked for, for surfaces that stay: that of each protocol, and what concerns all of them. */
import { type Freed, freeingTheDead, freeTheDead } from '../bridge/free-the-dead.ts'
import type { Duty } from '../protocols/contract.ts'
import { busOf } from './bus.ts'
import { type StoresPlace, usedProtocols } from './stores.ts'

export type { Freed } from '../bridge/free-the-dead.ts'

export async function* dutiesOf(context: StoresPlace): AsyncGenerator<Duty> {
  for await (const { neutral } of usedProtocols(context)) yield* neutral.duties?.() ?? []
  yield freeingTheDead(await busOf(context))
}

/** One pass of what is done for all protocols, as part of supervising one of them. */
export const freedIn = async (context: StoresPlace): Promise<readonly Freed[]> => freeTheDead(await busOf(context))

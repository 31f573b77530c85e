/** Dream.OS in the workspace that a command works on, and who acts there. */
import { type Dream, dream } from '../../protocols/dream-os/index.ts'
import type { Context } from '../define.ts'

/** `compat`: somebody asked by flag to read the deviations of other programs; the settings may ask too. */
export async function openDream(context: Context, compat = false): Promise<Dream> {
  const store = await context.store(dream)
  return store.reading({ compat: compat || (await context.configuration()).compat })
}

/** Who acts, or a name for whoever it is. */
export const actorOr = async (context: Context, other: string): Promise<string> =>
  (await context.configuration()).agent ?? other

/** The one check of everything that is sent to an agent by its name. */
import type { Context } from '../define.ts'
import { noticesAbout } from '../stores.ts'

/** Asked before anything is written: throws where `strict` is set and nobody has seen this agent, else tells of it. */
export const recipientCheck =
  (context: Context) =>
  (agent: string): Promise<readonly string[]> =>
    noticesAbout(context, agent)

/** The one check of everything that is sent to an agent by its name. */
import { type Dream, dream } from '../../protocols/dream-os/index.ts'
import type { Context } from '../define.ts'
import { expectSeen, seenElsewhere } from '../stores.ts'

/** Asked before anything is written: throws where `strict` is set and nobody has seen this agent, else tells of it. */
export const recipientCheck =
  (context: Context, store: Dream) =>
  async (agent: string): Promise<readonly string[]> => {
    await expectSeen(context, agent)
    return agent === 'broadcast' ? [] : store.noticesAbout(agent, seenElsewhere(context, dream))
  }

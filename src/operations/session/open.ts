/** Sessions in the workspace that a command works on, and who speaks. */
import type { CommandSpec, Mail, Said, Sessions } from '../../protocols/shared-agent/index.ts'
import { sharedAgent } from '../../protocols/shared-agent/index.ts'
import type { Context } from '../define.ts'

export { sessionFolder } from '../../protocols/shared-agent/index.ts'
export type { CommandSpec, Mail, Said, Sessions }

export const openSessions = (context: Context): Promise<Sessions> => context.store(sharedAgent)

export async function speakerIn(context: Context): Promise<string> {
  const { agent, section } = await context.configuration()
  return agent ?? (await section('session')).orchestrator
}

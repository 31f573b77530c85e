/** What the commands of sessions share: the store, who speaks, and inputs that several of them take. */
import { list, text } from '../../kernel/field.ts'
import {
  type CommandSpec,
  type Mail,
  type SayOutcome,
  type Sessions,
  sharedAgent,
} from '../../protocols/shared-agent/index.ts'
import { actorOf, type Context } from '../define.ts'

export const session = text('The session; the current one when left out.', { placeholder: 'ID' })

/** What is said, word by word or on standard input. */
export const words = (what: string, placeholder: string) =>
  list(
    `${what}; several words are joined by blanks, and \`-\` is standard input.`,
    text('A word.', { longText: 'standard-input' }),
    { positional: true, required: true, placeholder },
  )

export { sessionFolder } from '../../protocols/shared-agent/index.ts'
export type { CommandSpec, Mail, SayOutcome, Sessions }

export const openSessions = (context: Context): Promise<Sessions> => context.store(sharedAgent)

export async function speakerIn(context: Context): Promise<string> {
  const { section } = await context.configuration()
  return (await actorOf(context)) ?? (await section('session')).orchestrator
}

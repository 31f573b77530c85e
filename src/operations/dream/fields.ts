/** What the commands of Dream.OS share: the store, the messages in their answers, and inputs that several of them take. */
import { invalidInput } from '../../kernel/errors.ts'
import { flag, integer, type JsonInput, json, text } from '../../kernel/field.ts'
import {
  type Dream,
  type DreamView,
  dream,
  type OutcomeInput,
  type PlainMessage,
} from '../../protocols/dream-os/index.ts'
import { actorOf, type Context } from '../define.ts'
import { noticesAbout } from '../stores.ts'

const aName = 'the name of an agent, such as RefactorAgent'

export const agent = text('The agent.', { positional: true, required: true, expected: aName, isActor: true })
export const agentFlag = text('The agent.', { required: true, placeholder: 'AGENT', expected: aName })
/** The same for the agent that acts. */
export const actorFlag = { ...agentFlag, isActor: true } as const
export const mailbox = integer('The number of the mailbox.', { required: true, least: 1, most: 999, placeholder: 'K' })
export const compat = flag('Read the known deviations of other programs from the specification.')

const orFile = '`@FILE` reads a file and `-` standard input.'
const fromFile = { longText: 'at-file', placeholder: 'JSON|@FILE' } as const

export const jsonOrFile = (help: string) => json(`${help} ${orFile}`, fromFile)
export const requiredJson = (help: string) => json(`${help} ${orFile}`, { ...fromFile, required: true })

export const outcomeFields = {
  output: jsonOrFile('What came of it, in JSON.'),
  error: jsonOrFile('What went wrong, in JSON: then it has failed.'),
  attempt: integer(
    'Which claim it was, as `attempt` of the answer said; a later one of somebody else is then not ended.',
    { least: 1 },
  ),
} as const

export function outcomeFrom(
  { given: { jsonFrom } }: Dream,
  given: { readonly output?: JsonInput; readonly error?: JsonInput; readonly attempt?: number },
): OutcomeInput {
  const { output, error, attempt } = given
  if (output !== undefined && error !== undefined) {
    throw invalidInput('GIVEN_TWICE', 'Both an output and an error were given.', { hint: 'Give one of them.' })
  }
  return {
    ...(output === undefined ? {} : { output: jsonFrom(output, 'The output') }),
    ...(error === undefined ? {} : { error: jsonFrom(error, 'The error') ?? {} }),
    ...(attempt === undefined ? {} : { attempt }),
  }
}

export const since = text('Only from this time on.', {
  placeholder: 'TIME',
  expected: 'a time such as 2026-01-31T12:00:00Z',
})

/** `compat`: the flag to read the deviations of other programs; the settings can ask for it too. */
export async function openDream(context: Context, compat = false): Promise<Dream> {
  const store = await context.store(dream)
  return store.reading({ compat: compat || (await context.configuration()).compat })
}

/** The agent that acts, or the given name when nobody is named. */
export const actorOr = async (context: Context, other: string): Promise<string> => (await actorOf(context)) ?? other

export type { DreamView, MailboxGiven, PlanAnswered, Routed } from '../../protocols/dream-os/index.ts'

export type DreamHeader = Omit<DreamView, 'message'>
export type DreamWithRecord = DreamHeader & { readonly record: PlainMessage }

export const headerOf = ({ message: _, ...header }: DreamView): DreamHeader => header
export const withRecord = ({ message, ...header }: DreamView): DreamWithRecord => ({ ...header, record: message })

/** Called before anything is written. For an agent that was never seen it throws where `strict` is set, else answers a notice. */
export const recipientCheck =
  (context: Context) =>
  (agent: string): Promise<readonly string[]> =>
    noticesAbout(context, agent)

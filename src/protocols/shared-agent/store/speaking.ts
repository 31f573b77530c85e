/**
 * Says one line in a session: reads it, puts variables in, checks it, and asks whoever answers such a command. What is used
 * all day is loaded with this; the rest when it is first asked for.
 */
import { estimateTokens } from '../../../kernel/token-estimate.ts'
import { wordsOf } from '../commands/spec.ts'
import { checkpointTypes } from '../commands/table.ts'
import { headOf, parseLine } from '../format.ts'
import { type SessionId, trafficPath } from '../layout.ts'
import { isAgentName, isKey } from '../names.ts'
import { mayHaveNews, type Session } from '../record.ts'
import { quotedWord, Refusal } from '../refusal.ts'
import type { Command } from '../schema.ts'
import { hasReference, withValues } from '../variables.ts'
import type { SessionParts } from './parts.ts'
import { type Answer, type Handlers, line as lineWithin, refused, type Speech, sittingOf } from './speech.ts'
import { declare, stateHandlers } from './state.ts'

export interface Saying {
  readonly agent: string
  readonly signal?: AbortSignal | undefined
}

const elsewhere: Readonly<Record<string, () => Promise<Handlers>>> = {
  HELP: async () => (await import('./about.ts')).aboutHandlers,
  VERSION: async () => (await import('./about.ts')).aboutHandlers,
  SUPPORTS: async () => (await import('./about.ts')).aboutHandlers,
  LOCK: async () => (await import('./locks.ts')).lockHandlers,
  UNLOCK: async () => (await import('./locks.ts')).lockHandlers,
  WAIT: async () => (await import('./signals.ts')).signalHandlers,
  SIGNAL: async () => (await import('./signals.ts')).signalHandlers,
  BROADCAST: async () => (await import('./channels.ts')).channelHandlers,
  SUBSCRIBE: async () => (await import('./channels.ts')).channelHandlers,
  UNSUBSCRIBE: async () => (await import('./channels.ts')).channelHandlers,
  DIRECT: async () => (await import('./channels.ts')).channelHandlers,
}

export async function say(parts: SessionParts, id: SessionId, text: string, saying: Saying): Promise<Answer> {
  await parts.acted(saying.agent)
  const session = await started(parts, id, saying.agent)
  const answer = await answerTo(parts, id, session, text, saying)
  await countTraffic(parts, { id, session }, text, answer)
  return answer
}

/** A session that is named and not there is started. */
async function started({ documents }: SessionParts, id: SessionId, agent: string): Promise<Session> {
  const found = await documents.read(id)
  if (found?.status === 'running') return found
  return documents.change(id, { by: agent }, (session) => ({ answer: session }))
}

async function answerTo(
  parts: SessionParts,
  id: SessionId,
  session: Session,
  text: string,
  saying: Saying,
): Promise<Answer> {
  const { agent, signal } = saying
  try {
    const line = parseLine(text, await parts.table(headOf(text)))
    if (line.kind === 'declaration') return await declare({ parts, id, agent }, line)
    if (line.kind === 'plain') {
      const { answerPlain } = await import('./language.ts')
      return await answerPlain({ parts, id, session, agent }, text, async (one, isFirst) => {
        const now = isFirst ? session : ((await parts.documents.read(id)) ?? session)
        return answerTo(parts, id, { ...now, modes: [] }, one, saying)
      })
    }
    if (session.modes.some(({ asked, heard }) => (asked ?? heard) !== undefined))
      await (await import('./language.ts')).forgetAsked({ parts, id, session, agent }, text)
    const command = checked(withVariables(line, session))
    const cutOff = session.underWay === undefined ? undefined : await afterCutOff(parts, id, session)
    const now = await withNews(parts, id, cutOff?.session ?? session, command)
    const answer = await timed(command, () => handle({ ...command, parts, id, session: now, agent, signal }))
    return await deprecationOf(command, withNotices(command, answer, cutOff?.notices ?? []))
  } catch (error) {
    if (error instanceof Refusal) return refused(error)
    throw error
  }
}

/** Waiting, git, files and other protocols have a time of their own, which a new session would not change. */
async function timed({ spec }: Command, answering: () => Promise<Answer>): Promise<Answer> {
  const since = performance.now()
  const answer = await answering()
  if (spec.name === 'WAIT' || ['tasks', 'checkpoint', 'context'].includes(spec.category)) return answer
  return { ...answer, took: { ms: Math.round(performance.now() - since), name: spec.name } }
}

async function handle(speech: Speech): Promise<Answer> {
  const { spec } = speech
  if (spec.says !== undefined) return sayAdded(speech, spec.says)
  const [head] = wordsOf(spec)
  const handlers = elsewhere[head]
    ? await elsewhere[head]()
    : head === 'STATE' || head === 'ERROR'
      ? stateHandlers
      : await rest(head)
  return handlers[spec.name]!(speech)
}

/** The text of a command that the workspace has added, with parameters and variables put in, within its limit. */
async function sayAdded(speech: Speech, text: string): Promise<Answer> {
  const { given, session } = speech
  const variables = new Map(session.variables)
  return lineWithin(
    speech,
    withValues(text, (name) => given[name.toLowerCase()] ?? variables.get(name)),
  )
}

async function rest(head: string): Promise<Handlers> {
  if (head === 'CONTEXT') return (await import('./context.ts')).contextHandlers
  if (head === 'HEALTH') return (await import('./health.ts')).healthHandlers
  if (head === 'CHECKPOINT' || head === 'ROLLBACK') return (await import('./checkpointing.ts')).checkpointHandlers
  return (await import('./tasks.ts')).taskHandlers
}

/** A process was killed while it made a checkpoint or rolled back, or is still at it: this comes first. */
async function afterCutOff(parts: SessionParts, id: SessionId, session: Session) {
  const notices = await (await import('./kept.ts')).finishCutOff(parts, id)
  return { notices, session: (await parts.documents.read(id)) ?? session }
}

/** The first line is the answer, of a rollback the last one. */
const withNotices = ({ spec }: Command, answer: Answer, notices: readonly string[]): Answer => ({
  ...answer,
  lines: spec.name === 'ROLLBACK' ? [...notices, ...answer.lines] : [...answer.lines, ...notices],
})

/** Before tasks are told: runners that were lost, and what other protocols have answered, where something runs at all. */
async function withNews(parts: SessionParts, id: SessionId, session: Session, { spec }: Command): Promise<Session> {
  const isAsked = spec.category === 'tasks' || spec.name === 'SUMMARY' || spec.name === 'ASK'
  if (!isAsked || !session.tasks.some(mayHaveNews)) return session
  const { recordNews } = await import('./working.ts')
  return (await recordNews(parts, id)).length > 0 ? ((await parts.documents.read(id)) ?? session) : session
}

function withVariables(command: Command, { variables }: Session): Command {
  const isPlain = !Object.values(command.given).some(hasReference)
  if (isPlain) return command
  const known = new Map(variables)
  const given = Object.fromEntries(
    Object.entries(command.given).map(([name, text]) => [name, withValues(text, (one) => known.get(one))]),
  )
  return { ...command, given }
}

/** What each kind of parameter may be. */
function checked(command: Command): Command {
  for (const { name, kind } of command.spec.parameters) {
    const text = command.given[name]
    if (text === undefined) continue
    const wrong = wrongIn(kind, text)
    if (wrong) throw new Refusal('E002', wrong[0], wrong[1])
  }
  return command
}

function wrongIn(kind: string, text: string): readonly [string, string] | undefined {
  switch (kind) {
    case 'key':
      return isKey(text) ? undefined : ['bad_key', 'A key has letters, digits and underscores, 64 at most.']
    case 'agent':
      return isAgentName(text)
        ? undefined
        : ['bad_agent', 'The name of an agent has letters, digits, `.`, `_` and `-`.']
    case 'agents':
      return text.split(',').every(isAgentName) ? undefined : ['bad_agents', 'Names of agents, separated by commas.']
    case 'version':
      return /^v?\d{1,6}(?:\.\d{1,6}){0,2}$/.test(text) ? undefined : ['bad_version', 'A version is such as 1.0.0.']
    case 'type':
      return (checkpointTypes as readonly string[]).includes(text)
        ? undefined
        : [`expected_${checkpointTypes.join('_')}`, `${quotedWord(text)} is none of: ${checkpointTypes.join(', ')}.`]
    default:
      return undefined
  }
}

/** §10: old commands still work, and say so. The first line stays what it was. */
async function deprecationOf({ spec }: Command, answer: Answer): Promise<Answer> {
  if (!spec.deprecated) return answer
  return { ...answer, lines: [...answer.lines, `[DEPRECATED] Use ${spec.deprecated.replacement}`] }
}

/** One line for each command, so that health can tell of all of them. Nobody is refused for it, so it is estimated. */
async function countTraffic(
  { tree }: SessionParts,
  at: Pick<Speech, 'id' | 'session'>,
  text: string,
  { lines, exit, isError, took }: Answer,
): Promise<void> {
  const tokens = estimateTokens(text.slice(0, 65_536)) + estimateTokens(lines.join('\n'))
  await tree.append(
    trafficPath(sittingOf(at)),
    `${tokens} ${exit === 2 || isError ? '!' : '.'}${took ? ` ${took.ms} ${took.name}` : ''}`,
  )
}

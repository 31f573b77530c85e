/** Says one line in a session. Handlers of commands are loaded when they are needed, except the most common ones. */
import { estimateTokens } from '../../../kernel/token-estimate.ts'
import { type Kind, wordsOf } from '../commands/spec.ts'
import { checkpointTypes } from '../commands/table.ts'
import { commandNameIn, parseLine } from '../format.ts'
import { type SessionId, trafficPath } from '../layout.ts'
import { isAgentName, isKey } from '../names.ts'
import { mayHaveNews, type Session } from '../record.ts'
import { quotedWord, Refusal } from '../refusal.ts'
import type { Command } from '../schema.ts'
import { withValues } from '../segments.ts'
import type { SessionParts } from './parts.ts'
import { type CommandAnswer, type Handlers, line as lineWithin, refused, type Speech, sittingOf } from './speech.ts'
import { declare, stateHandlers } from './state.ts'

export interface Saying {
  readonly agent: string
  readonly signal?: AbortSignal | undefined
}

type Topic = readonly [heads: readonly string[], load: () => Promise<Handlers>]

const topics: readonly Topic[] = [
  [['STATE', 'ERROR'], async () => stateHandlers],
  [['HELP', 'VERSION', 'SUPPORTS'], async () => (await import('./about.ts')).aboutHandlers],
  [['LOCK', 'UNLOCK'], async () => (await import('./locks.ts')).lockHandlers],
  [['WAIT', 'SIGNAL'], async () => (await import('./signals.ts')).signalHandlers],
  [['BROADCAST', 'SUBSCRIBE', 'UNSUBSCRIBE', 'DIRECT'], async () => (await import('./channels.ts')).channelHandlers],
  [['CONTEXT'], async () => (await import('./context.ts')).contextHandlers],
  [['HEALTH'], async () => (await import('./health.ts')).healthHandlers],
  [['CHECKPOINT', 'ROLLBACK'], async () => (await import('./checkpointing.ts')).checkpointHandlers],
]
const taskTopic = async () => (await import('./tasks.ts')).taskHandlers

export async function say(parts: SessionParts, id: SessionId, text: string, saying: Saying): Promise<CommandAnswer> {
  await parts.acted(saying.agent)
  const session = await started(parts, id, saying.agent)
  const answer = await answerTo(parts, id, session, text, saying)
  await countTraffic(parts, { id, session }, text, answer)
  return answer
}

/** Starts a session that is not running. */
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
): Promise<CommandAnswer> {
  const { agent, signal } = saying
  try {
    const line = parseLine(text, await parts.table(commandNameIn(text)))
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
    const command = withVariables(line, session)
    expectKinds(command)
    const cutOff = session.underWay === undefined ? undefined : await afterCutOff(parts, id, session)
    const now = await withNews(parts, id, cutOff?.session ?? session, command)
    const answer = await timed(command, () => handle({ ...command, parts, id, session: now, agent, signal }))
    const notices = cutOff?.notices ?? []
    // The first line is the answer, of a rollback the last one.
    const lines = line.spec.name === 'ROLLBACK' ? [...notices, ...answer.lines] : [...answer.lines, ...notices]
    // §10: old commands still work, and say so.
    const { deprecated } = line.spec
    return { ...answer, lines: deprecated ? [...lines, `[DEPRECATED] Use ${deprecated.replacement}`] : lines }
  } catch (error) {
    if (error instanceof Refusal) return refused(error)
    throw error
  }
}

/** Times a command, unless it waits or uses git, files or other protocols: a new session would not make that faster. */
async function timed({ spec }: Command, answering: () => Promise<CommandAnswer>): Promise<CommandAnswer> {
  const since = performance.now()
  const answer = await answering()
  if (spec.name === 'WAIT' || ['tasks', 'checkpoint', 'context'].includes(spec.category)) return answer
  return { ...answer, took: { ms: Math.round(performance.now() - since), name: spec.name } }
}

async function handle(speech: Speech): Promise<CommandAnswer> {
  const { spec } = speech
  if (spec.says !== undefined) return sayAdded(speech, spec.says)
  const [head] = wordsOf(spec)
  const [, load = taskTopic] = topics.find(([heads]) => heads.includes(head)) ?? []
  return (await load())[spec.name]!(speech)
}

/** The text of a command that the workspace has added, with parameters and variables put in, within its limit. */
function sayAdded(speech: Speech, text: string): Promise<CommandAnswer> {
  const variables = new Map(speech.session.variables)
  const filled = withValues(text, (name) => speech.given[name.toLowerCase()] ?? variables.get(name))
  return lineWithin(speech, filled)
}

/** Finishes a checkpoint or a rollback that was cut off, or waits for the process that is still making it. */
async function afterCutOff(parts: SessionParts, id: SessionId, session: Session) {
  const notices = await (await import('./kept.ts')).finishCutOff(parts, id)
  return { notices, session: (await parts.documents.read(id)) ?? session }
}

/** Before a command about tasks: records lost runners and answers of other protocols, if some task is under way. */
async function withNews(parts: SessionParts, id: SessionId, session: Session, { spec }: Command): Promise<Session> {
  const isAsked = spec.category === 'tasks' || spec.name === 'SUMMARY' || spec.name === 'ASK'
  if (!isAsked || !session.tasks.some(mayHaveNews)) return session
  const { recordNews } = await import('./working.ts')
  return (await recordNews(parts, id)).length > 0 ? ((await parts.documents.read(id)) ?? session) : session
}

function withVariables(command: Command, { variables }: Session): Command {
  const known = new Map(variables)
  const filled = Object.entries(command.given).map(([name, text]) => [name, withValues(text, (one) => known.get(one))])
  return { ...command, given: Object.fromEntries(filled) }
}

/** What a parameter of each kind must be, and how it is refused (`{}`: what was given); other kinds may be any text. */
const kinds: Partial<Record<Kind, readonly [test: (text: string) => boolean, description: string, reason: string]>> = {
  key: [isKey, 'bad_key', 'A key has letters, digits and underscores, 64 at most.'],
  agent: [isAgentName, 'bad_agent', 'The name of an agent has letters, digits, `.`, `_` and `-`.'],
  agents: [(text) => text.split(',').every(isAgentName), 'bad_agents', 'Names of agents, separated by commas.'],
  version: [(text) => /^v?\d{1,6}(?:\.\d{1,6}){0,2}$/.test(text), 'bad_version', 'A version is such as 1.0.0.'],
  type: [
    (text) => (checkpointTypes as readonly string[]).includes(text),
    `expected_${checkpointTypes.join('_')}`,
    `{} is none of: ${checkpointTypes.join(', ')}.`,
  ],
}

function expectKinds({ spec, given }: Command): void {
  for (const { name, kind } of spec.parameters) {
    const [isRight, description, reason] = kinds[kind] ?? []
    const text = given[name]
    if (!isRight || text === undefined || isRight(text)) continue
    throw new Refusal(
      'E002',
      description!,
      reason!.replace('{}', () => quotedWord(text)),
    )
  }
}

/** Writes a line about each command, for `#HEALTH`. An estimate of tokens will do: no command is refused because of it. */
async function countTraffic(
  { tree }: SessionParts,
  at: Pick<Speech, 'id' | 'session'>,
  text: string,
  { lines, exit, isError, took }: CommandAnswer,
): Promise<void> {
  const tokens = estimateTokens(text.slice(0, 65_536)) + estimateTokens(lines.join('\n'))
  const mark = exit === 2 || isError ? '!' : '.'
  await tree.append(trafficPath(sittingOf(at)), `${tokens} ${mark}${took ? ` ${took.ms} ${took.name}` : ''}`)
}

/** Lines in natural language: translated, run, and answered in words. Shared Agent Protocol §2.5. */
import { parseLine } from '../format.ts'
import { correctedCommand, printCorrection, readCorrections } from '../language/examples.ts'
import { firstManner, hear, type Manner, meantIn } from '../language/manner.ts'
import { judgedLine, withModel } from '../language/model.ts'
import { cannotRead } from '../language/questions.ts'
import { SentenceModel } from '../language/sentence-model.ts'
import { sentenceFor, shownCommand } from '../language/sentences.ts'
import { translate } from '../language/translate.ts'
import type { Translation, TranslatorContext } from '../language/translation.ts'
import { checkpointsFolder, correctionsPath, type SessionId, sessionId } from '../layout.ts'
import type { SessionPorts } from '../ports.ts'
import type { Session } from '../record.ts'
import { Refusal } from '../refusal.ts'
import { type SessionParts, speaksInWords } from './parts.ts'
import { type CommandAnswer, nothing, type Speech, told } from './speech.ts'

type Speaking = Pick<Speech, 'parts' | 'id' | 'session' | 'agent'>

/** How many users' manners are kept; the oldest are dropped. */
const mostManners = 200

/** Answers a line that is no command. `run` runs a command that it means; after the first one, the session has to be read again. */
export async function answerPlain(
  speaking: Speaking,
  text: string,
  run: (line: string, isFirst: boolean) => Promise<CommandAnswer>,
): Promise<CommandAnswer> {
  const { parts, session } = speaking
  const before = mannerOf(speaking, session)
  const around = await surroundingsOf(parts, session)
  const heard = await hear(text, before, (sentence) => meaningOf(parts, sentence, around))
  const commands = heard.todo === 'run' ? heard.commands : []
  const after = withHeard(parts, heard.manner, meantIn(text) ?? text, heard.todo)
  const isFirst = await settle(speaking, before, after)
  if (meantIn(text) !== undefined && commands.length === 1) await learn(parts, before, commands[0]!)
  switch (heard.todo) {
    case 'refuse':
      throw new Refusal('E001', 'not_a_command', 'A command begins with `#` and a word in capitals.', 0)
    case 'say':
      return told(heard.sentence)
    case 'ask': {
      const { question, command, note } = heard.asked
      return nothing(question, ...(command === undefined ? [] : ['Say "yes" to run it.']), ...(note ? [note] : []))
    }
    case 'run':
      // Of two processes that say yes at once, one runs it.
      if (!isFirst) return nothing('It has been run.')
      return runInOrder(commands, async (line, n) => inWords(line, heard.manner, around, await run(line, n === 0)))
  }
}

/** Runs commands one after the other, up to the first that is refused or finds nothing. */
async function runInOrder(
  commands: readonly string[],
  run: (line: string, n: number) => Promise<CommandAnswer>,
): Promise<CommandAnswer> {
  const lines: string[] = []
  for (const [n, line] of commands.entries()) {
    const answer = await run(line, n)
    lines.push(...answer.lines)
    const left = commands.slice(n + 1)
    if (answer.exit !== 0 && left.length > 0) lines.push(`I did not go on with ${left.join(', ')}.`)
    if (answer.exit !== 0 || left.length === 0) return { ...answer, lines }
  }
  return nothing('There is nothing to run.')
}

/** What a sentence means here, without running anything. */
export async function translateIn(parts: SessionParts, id: SessionId | undefined, text: string): Promise<Translation> {
  const session = id === undefined ? undefined : await parts.documents.read(id)
  return meaningOf(parts, meantIn(text) ?? text, await surroundingsOf(parts, session))
}

/** Asks the corrections of the workspace first, then the sentence model, then a configured model. */
async function meaningOf(parts: SessionParts, text: string, around: TranslatorContext): Promise<Translation> {
  const { settings, ports } = parts
  if (settings.learnCorrections) {
    const kept = (await parts.tree.read(correctionsPath, { atMost: mostCorrections }))?.bytes
    const line = kept && correctedCommand(text, readCorrections(new TextDecoder().decode(kept)), around)
    const learned = line === undefined ? undefined : judgedLine(text, line, around)
    if (learned) return learned
  }
  const sentences = modelOf(ports)
  const own = sentences ? translate(text, sentences, around) : cannotRead
  return withModel(text, own, { model: await ports.model?.(), around, isFirst: settings.askModelFirst })
}

const models = new WeakMap<Partial<SessionPorts>, SentenceModel>()

/** Loaded with the first sentence. */
function modelOf(ports: Partial<SessionPorts>): SentenceModel | undefined {
  const bytes = models.has(ports) ? undefined : ports.sentenceModel?.()
  if (bytes) models.set(ports, new SentenceModel(bytes))
  return models.get(ports)
}

/** In bytes. */
const mostCorrections = 256 * 1024

/** Keeps what was said before as an example of this command. */
async function learn({ settings, tree }: SessionParts, { heard }: Manner, command: string): Promise<void> {
  const line = heard === undefined ? undefined : printCorrection({ said: heard, command })
  if (settings.learnCorrections && line !== undefined) await tree.append(correctionsPath, line)
}

/** Where corrections are kept, what was said is remembered until the next line. */
function withHeard({ settings }: SessionParts, manner: Manner, text: string, todo: string): Manner {
  const { heard: _, isUnsure: __, ...rest } = manner
  if (!settings.learnCorrections || (todo !== 'ask' && todo !== 'run')) return rest
  return { ...rest, heard: text, ...(todo === 'ask' ? { isUnsure: true } : {}) }
}

/** A command is no yes, so the open question is forgotten. Right after an unclear sentence, the command is what that meant. */
export async function forgetAsked(speaking: Speaking, line: string): Promise<void> {
  const before = mannerOf(speaking, speaking.session)
  const { asked, heard, isUnsure, ...after } = before
  if (asked === undefined && heard === undefined) return
  if (isUnsure) await learn(speaking.parts, before, line)
  await settle(speaking, before, after)
}

function inWords(line: string, { shows }: Manner, { table }: TranslatorContext, answer: CommandAnswer): CommandAnswer {
  const command = parseLine(line, table)
  if (command.kind !== 'command') return answer
  // `#UNLOCK` has words of its own for this; exit 1 would say that something is missing.
  const told = answer.lines[0] === 'not_owner' ? { ...answer, exit: 0 as const } : answer
  return { ...answer, lines: [...shownCommand(line, command, shows), ...sentenceFor(command, told).split('\n')] }
}

function mannerOf({ parts, agent }: Pick<Speaking, 'parts' | 'agent'>, { modes }: Session): Manner {
  const kept = modes.find(({ user }) => user === agent)
  if (!kept) return firstManner(speaksInWords(parts, agent))
  const { user: _, shows = 'plain', ...rest } = kept
  return { ...rest, shows }
}

/** Keeps the new manner; false where another process has answered the open question meanwhile. */
async function settle({ parts, id, agent, session }: Speaking, before: Manner, after: Manner): Promise<boolean> {
  if (before.asked === undefined && isSame(before, after)) return true
  return parts.documents.change(id, { by: agent }, (now) => {
    const isFirst = mannerOf({ parts, agent }, now).asked === before.asked && now.generation === session.generation
    const others = now.modes.filter(({ user }) => user !== agent)
    const modes = [...others.slice(1 - mostManners), { user: agent, ...after }]
    const isSwitch = before.mode !== after.mode || before.shows !== after.shows
    const line = isSwitch ? { did: 'mode', text: `${after.mode}, ${after.shows}` } : undefined
    return { session: { ...now, modes }, line, answer: isFirst }
  })
}

const isSame = (a: Manner, b: Manner): boolean =>
  a.mode === b.mode && a.shows === b.shows && a.asked === b.asked && a.heard === b.heard && a.isUnsure === b.isUnsure

/** Code that uses git is loaded only where there are checkpoints. */
async function checkpointsOf(parts: SessionParts, id: SessionId): Promise<TranslatorContext['checkpoints']> {
  if ((await parts.tree.list(checkpointsFolder(id))).length === 0) return []
  return (await import('./kept.ts')).recordsOf(parts, id)
}

async function surroundingsOf(parts: SessionParts, session: Session | undefined): Promise<TranslatorContext> {
  const { roles } = await parts.roles()
  const tasks = session?.tasks ?? []
  const agents = new Set([
    ...roles.map(({ name }) => name),
    ...tasks.map(({ agent }) => agent),
    ...(session?.channels ?? []).flatMap(({ agents }) => agents),
    ...(session?.read ?? []).map(([agent]) => agent),
  ])
  return {
    table: await parts.table(),
    agents: [...agents],
    keys: (session?.state ?? []).map(({ key }) => key),
    checkpoints: session ? await checkpointsOf(parts, sessionId(session.id)) : [],
    tasks,
  }
}

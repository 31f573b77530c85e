/**
 * What is said in words: translated, run, and answered in words. Shared Agent Protocol §2.5. How each user is spoken to, and
 * what a `yes` would run, is kept in the session.
 */
import { parseLine } from '../format.ts'
import { type Asked, type Heard, hear, heardAs } from '../language/hear.ts'
import { firstManner, type Manner } from '../language/manner.ts'
import { withModel } from '../language/model.ts'
import { sentenceFor, shownCommand } from '../language/sentences.ts'
import type { Surroundings } from '../language/surroundings.ts'
import { translate } from '../language/translate.ts'
import type { Translation } from '../language/translation.ts'
import { type SessionId, sessionId } from '../layout.ts'
import type { Session } from '../record.ts'
import { Refusal } from '../refusal.ts'
import { recordsOf } from './kept.ts'
import { type SessionParts, speaksInWords } from './parts.ts'
import { type Answer, nothing, type Speech, told } from './speech.ts'

type Speaking = Pick<Speech, 'parts' | 'id' | 'session' | 'agent'>

/** Users whose manner is kept; the oldest ones are spoken to as at first. */
const mostManners = 200

/** Answers what is no command. `run` answers a command that it became. */
export async function answerPlain(
  speaking: Speaking,
  text: string,
  run: (line: string) => Promise<Answer>,
): Promise<Answer> {
  const { parts, session } = speaking
  const before = mannerOf(speaking, session)
  const around = await surroundingsOf(parts, session)
  const heard = await withHelp(hear(text, before, around), text, around, parts)
  const isFirst = await settle(speaking, before, heard.manner)
  switch (heard.todo) {
    case 'refuse':
      throw new Refusal('E001', 'not_a_command', 'A command begins with `#` and a word in capitals.', 0)
    case 'say':
      return told(heard.sentence)
    case 'ask':
      return nothing(
        heard.asked.question,
        ...(heard.asked.command === undefined ? [] : ['Say "yes" to run it.']),
        ...(heard.asked.note === undefined ? [] : [heard.asked.note]),
      )
    case 'run':
      // Of two that say yes at once, one runs it.
      return isFirst
        ? inWords(heard.command, heard.manner, around, await run(heard.command))
        : nothing('It has been run.')
  }
}

/** What a sentence means here, without running anything. */
export async function translateIn(parts: SessionParts, id: SessionId | undefined, text: string): Promise<Translation> {
  const session = id === undefined ? undefined : await parts.documents.read(id)
  const around = await surroundingsOf(parts, session)
  const translation = translate(text, around)
  if (translation.outcome === 'command') return translation
  return withModel(text, translation, around.table, parts.ports.model)
}

/** A command of the protocol is "anything else" than a yes: what was asked is forgotten. */
export async function forgetAsked(speaking: Speaking): Promise<void> {
  const before = mannerOf(speaking, speaking.session)
  const { asked, ...after } = before
  if (asked !== undefined) await settle(speaking, before, after)
}

async function withHelp(heard: Heard, text: string, { table }: Surroundings, parts: SessionParts): Promise<Heard> {
  if (heard.todo !== 'ask' || !parts.ports.model) return heard
  const { asked: _, ...manner } = heard.manner
  return heardAs(await withModel(text, heard.asked as Asked, table, parts.ports.model), manner)
}

function inWords(line: string, { shows }: Manner, { table }: Surroundings, answer: Answer): Answer {
  const command = parseLine(line, table)
  if (command.kind !== 'command') return answer
  // Told by the words of `#UNLOCK`, not as something that is missing.
  const told = answer.lines[0] === 'not_owner' ? { ...answer, exit: 0 as const } : answer
  return { ...answer, lines: [...shownCommand(line, command, shows), ...sentenceFor(command, told).split('\n')] }
}

function mannerOf({ parts, agent }: Pick<Speaking, 'parts' | 'agent'>, { modes }: Session): Manner {
  const kept = modes.find(({ user }) => user === agent)
  if (!kept) return firstManner(speaksInWords(parts, agent))
  const { mode, shows = 'plain', asked } = kept
  return { mode, shows, ...(asked === undefined ? {} : { asked }) }
}

/** Keeps the new manner; false where somebody else has settled what was asked in the meantime. */
async function settle({ parts, id, agent, session }: Speaking, before: Manner, after: Manner): Promise<boolean> {
  if (before.asked === undefined && isSame(before, after)) return true
  return parts.documents.change(id, { by: agent }, (now) => {
    const isFirst = mannerOf({ parts, agent }, now).asked === before.asked && now.generation === session.generation
    const others = now.modes.filter(({ user }) => user !== agent)
    const modes = [...others.slice(1 - mostManners), { user: agent, ...after }]
    const isSwitch = before.mode !== after.mode || before.shows !== after.shows
    const line = isSwitch ? { did: 'mode', text: `${after.mode}, ${after.shows}` } : undefined
    return { did: { session: { ...now, modes }, ...(line ? { line } : {}) }, answer: isFirst }
  })
}

const isSame = (a: Manner, b: Manner): boolean => a.mode === b.mode && a.shows === b.shows && a.asked === b.asked

async function surroundingsOf(parts: SessionParts, session: Session | undefined): Promise<Surroundings> {
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
    checkpoints: session ? await recordsOf(parts, sessionId(session.id)) : [],
    tasks: tasks.map(({ id, agent, task }) => ({ id, agent, task })),
    definitions: (session?.definitions ?? []).map(({ term }) => term),
  }
}

/**
 * A sentence as a command, or a question. Shared Agent Protocol §2.5, "Natural Language Processing". A small model says which
 * command is asked for and which words fill its slots (`sentence-model.ts`); rules decide whether that is certain enough, and
 * what destroys something needs more than the model's word (`safety.ts`). Pure, and the same answer every time.
 */
import type { CommandSpec } from '../commands/spec.ts'
import { longestLine, parseLine, printLine } from '../format.ts'
import { Refusal } from '../refusal.ts'
import type { Command } from '../schema.ts'
import { commandNameOf, commandsFor } from './commands.ts'
import { FilledSlots } from './filled-slots.ts'
import {
  elsewhere,
  missing,
  notUnderstood,
  notUnderstoodNear,
  oneOf,
  reallyDestroy,
  reallyMeant,
  severalRequests,
  tooLong,
  unknownAgent,
} from './questions.ts'
import { destroys, whyDoubted, whyNotPlain } from './safety.ts'
import type { Guess, SentenceModel } from './sentence-model.ts'
import { agentsKnown, type Token, tokensOf } from './tokens.ts'
import { nowhere, type Translation, type TranslatorContext } from './translation.ts'

/** A longer text is a document, not a request. */
const mostTokens = 120
/** How likely a reading must be, and how much likelier than the next one. */
const enough = { probability: 0.35, margin: 0.1 }
const enoughToDestroy = { probability: 0.6, margin: 0.3 }
/** Less likely readings are not worth a question. */
const worthAsking = 0.15

export function translate(
  text: string,
  model: SentenceModel,
  surroundings: Partial<TranslatorContext> = {},
): Translation {
  const around: TranslatorContext = { ...nowhere, ...surroundings }
  if (text.length > longestLine || /[\u0000-\u0008\u000b-\u001f\u007f]/.test(text)) return tooLong
  const said = text.replace(/\s+/g, ' ').trim()
  if (/^#[A-Z]/.test(said)) return asCommand(said, around)
  const tokens = tokensOf(said, around)
  if (tokens.length > mostTokens) return tooLong
  if (!tokens.some(({ kind }) => kind !== 'mark')) return notUnderstood
  return asAdded(said, around) ?? ofSentence({ ...withoutChatter({ said, tokens, around, model }), whole: tokens })
}

interface Sentence {
  readonly said: string
  readonly tokens: readonly Token[]
  readonly around: TranslatorContext
  readonly model: SentenceModel
  /** The whole text, where `said` is a part of it: rules about destructive commands look at all of it. */
  readonly whole?: readonly Token[]
}

const boundary = /(?<=[.!?])\s+|(?<=^[^:]{1,20}:)\s+|(?<=^\S+(?: \S+)?,)\s+/g
/** How sure a request must be, so that the words before it are dropped. */
const sureWithout = 0.6

/** Without a greeting or a sentence before the request that asks for nothing: "Morning! Unlock a.js", "It broke. Go back to cp_001". */
function withoutChatter(sentence: Sentence): Sentence {
  const { said, around, model } = sentence
  let [rest, from] = [sentence, 0]
  for (const { index, 0: between } of [...said.matchAll(boundary)].slice(0, mostJoints)) {
    const before = said.slice(from, index)
    const isRequest = order.test(before) || /\?$|\b(?:urgent|critical|important|asap|prio)/i.test(before)
    if (isRequest || tokensOf(before, around).some(({ kind }) => kind === 'quote' || hasForm.test(kind))) break
    from = index + between.length
    const behind = said.slice(from)
    const tokens = tokensOf(behind, around)
    const [best] = model.guesses(tokens) as [Guess]
    const isSure = tokens.length > 1 && !/^(?:none|several)$/.test(best.intent) && best.probability >= sureWithout
    if (isSure) rest = { said: behind, tokens, around, model }
  }
  return rest
}

function ofSentence(sentence: Sentence): Translation {
  const { tokens, model } = sentence
  const other = elsewhere(tokens.map(({ word }) => word).join(' '))
  if (other) return other
  const all = model.guesses(tokens)
  const parts = partsOf(sentence, all)
  if (parts) return parts
  const guesses = all.filter(({ intent }) => intent !== 'several')
  const [best, second] = guesses as [Guess, Guess]
  if (best.intent === 'none') return nearest(sentence, best.probability, guesses.slice(1))
  const left = 1 - (all.find(({ intent }) => intent === 'several')?.probability ?? 0)
  const probability = best.probability / left
  const margin = probability - second.probability / left
  if (probability < enough.probability || margin < enough.margin) return readings(sentence, guesses)
  const isSure = left > 0.5 && probability >= enoughToDestroy.probability && margin >= enoughToDestroy.margin
  return judged(sentence, best.intent, isSure)
}

/** For a sentence that is probably no request: asks back if it names a command, or something that has a form. */
function nearest(sentence: Sentence, probability: number, guesses: readonly Guess[]): Translation {
  const [best] = guesses as [Guess]
  const share = best.probability / guesses.reduce((sum, one) => sum + one.probability, 0)
  if (probability < 0.8) return readings(sentence, guesses)
  if (share < 0.4 || !(isNamed(best.intent, sentence) || sentence.tokens.some(({ kind }) => hasForm.test(kind))))
    return namedCommands(sentence, guesses)
  const made = judged(sentence, best.intent, false)
  const isOther = best.intent === 'STATE:clear' && ofSomethingElse(sentence)
  // "forget the branch" is no value that was left out.
  const isUnsaid = best.intent === 'STATE:save' && made.outcome === 'asked' && made.reason === 'missing'
  if (isOther || isUnsaid) return namedCommands(sentence, guesses)
  return made.outcome === 'asked' ? made : oneOf(linesIn(made))
}
const otherWords: Readonly<Record<string, RegExp>> = {
  rollback: /\bback\b|\brevert|\bundo\b|\brestore\b|\breturn\b/,
  'state:clear': /\b(?:wipe|erase|reset|forget|delete|empty)\b/,
  delegate: /\b(?:task|do)\b/,
}
const hasForm = /^(?:path|context|folder|checkpoint|task|agent|channel|error|key)$/

/** "delete all files" and "delete cp_001" do not mean the state, and a `yes` must not clear it. */
const ofSomethingElse = ({ tokens }: Sentence): boolean =>
  tokens.some(({ kind, word }) => hasForm.test(kind) || /^(?:files?|checkpoints?|tasks?|locks?|repository)$/.test(word))

/** It is no request that a session can meet: the likeliest commands among those that it names. */
function namedCommands(sentence: Sentence, guesses: readonly Guess[]): Translation {
  const isOther = ofSomethingElse(sentence)
  const named = guesses
    .slice(0, mostLikely)
    .filter(({ intent }) => isNamed(intent, sentence) && !(intent === 'STATE:clear' && isOther))
  const specs = new Set(named.flatMap(({ intent }) => specOf(intent, sentence.around) ?? []))
  return notUnderstoodNear([...specs].slice(0, 2))
}
const mostLikely = 6

const isNamed = (intent: string, { tokens }: Sentence): boolean => {
  const said = tokens.map(({ word }) => word).join(' ')
  const head = commandNameOf(intent).toLowerCase()
  return head.split(':').some((one) => said.includes(one)) || (otherWords[head]?.test(said) ?? false)
}

/** What it may mean, asked back. */
function readings(sentence: Sentence, guesses: readonly Guess[]): Translation {
  const likely = guesses
    .filter(({ intent, probability }) => intent !== 'none' && probability >= worthAsking)
    .slice(0, 3)
  const judgements = likely.map(({ intent }) => judged(sentence, intent, false))
  if (judgements.length === 1 && judgements[0]!.outcome === 'asked') return judgements[0]!
  return oneOf(judgements.flatMap(linesIn))
}

const specOf = (intent: string, { table }: TranslatorContext): CommandSpec | undefined =>
  table.find(({ name }) => name === commandNameOf(intent))

/** Makes commands of what the model says, and judges them by the rules. */
function judged(sentence: Sentence, intent: string, isSure: boolean): Translation {
  const { said, tokens, around, model } = sentence
  const spec = specOf(intent, around)
  if (!spec) return notUnderstood
  const made = commandsFor(intent, spec, new FilledSlots(said, tokens, model.slots(tokens, intent), around))
  if ('several' in made) return severalRequests([])
  if ('missing' in made) return missing(made.spec, made.missing)
  const lines: string[] = []
  for (const command of made.made) {
    const judgement = judgedCommand(command, sentence.whole ?? tokens, around, isSure)
    if (judgement.outcome !== 'command') return judgement
    lines.push(judgement.command)
  }
  return lines.length === 1 ? { outcome: 'command', command: lines[0]! } : { outcome: 'commands', commands: lines }
}

/** The rules for whatever proposes a command. `tokens`: what was said. */
export function judgedCommand(
  command: Command,
  tokens: readonly Token[],
  around: TranslatorContext,
  isSure: boolean,
): Translation {
  const line = lineOf(command, around)
  const why = whyNotSaid(line, command, around)
  if (why !== undefined) return { outcome: 'asked', reason: 'unclear', question: why }
  if (destroys(command)) {
    const notPlain = whyNotPlain(tokens, command)
    if (notPlain !== undefined || !isSure) return reallyDestroy(line, notPlain)
  }
  const doubt = whyDoubted(tokens, command)
  if (doubt !== undefined) return reallyMeant(line, doubt)
  const stranger = strangerIn(command, around)
  return stranger === undefined
    ? { outcome: 'command', command: line }
    : unknownAgent(line, stranger, agentsKnown(around))
}

/** An unknown agent that is to get something. It is never taken for one with a similar name. */
function strangerIn({ spec, given }: Command, around: TranslatorContext): string | undefined {
  if (!/^(?:DELEGATE|DIRECT|DEPENDS|RETRY|COORDINATE)$/.test(spec.name)) return undefined
  const known = agentsKnown(around)
  return (given.agent ?? given.agents ?? '').split(',').find((one) => !known.includes(one))
}

/** Why no line can say it: a parameter is out of bounds, or would be read as something else. */
function whyNotSaid(line: string, { spec, given }: Command, { table }: TranslatorContext): string | undefined {
  try {
    const read = parseLine(line, table)
    const isSame =
      read.kind === 'command' &&
      read.spec === spec &&
      Object.keys(read.given).length === Object.keys(given).length &&
      Object.entries(given).every(([name, value]) => read.given[name] === value)
    return isSame ? undefined : `No command can say that: ${line} means something else.`
  } catch (error) {
    if (error instanceof Refusal) return `${line} is not possible: ${error.message}`
    throw error
  }
}

/** As the table writes it: `#NEXT:` has a colon. */
const lineOf = (command: Command, { table }: TranslatorContext): string => {
  const line = printLine(command, table)
  return `${line}:` === command.spec.example ? command.spec.example : line
}

const joint =
  /(?:[,;.!?]?\s+(?:and then|and also|and after that|and afterwards|and|then|afterwards|after that|plus|also|und dann|und|y luego|y)\s+)|;\s*|[.!?]\s+|,\s+/gi
/** What follows may be a part of their text. */
const takesAll = /^(?:DIRECT|BROADCAST|ESCALATE|ERROR|STATE:save|DEFINE|PROGRESS|DONE|FAIL|DELEGATE)$/
const order =
  /^(?:(?:please|also|then|now)\s+)*(?:lock|unlock|release|roll|clear|wipe|restore|revert|go back|export|import|save|make|create|take|list|show|ask|tell|have|delegate|assign|subscribe|unsubscribe|signal|broadcast|escalate|give|wait|let|announce|remember|report|checkpoint|reset)\b/i
const destroyingVerb =
  /^(?:(?:please|also|then|now)\s+)*(?:roll|clear|wipe|restore|revert|go back|import|reset|erase|force|delete)\b/i
const mostJoints = 6

/** Several requests: all of them, in order, where each is certain and none destroys anything; otherwise they are listed. */
function partsOf(sentence: Sentence, all: readonly Guess[]): Translation | undefined {
  const { said, tokens, around } = sentence
  const isSeveral = all[0]!.intent === 'several'
  const whole = all.find(({ intent }) => intent !== 'several')!.intent
  const isQuoted = (at: number) => tokens.some(({ kind, start, end }) => kind === 'quote' && at >= start && at < end)
  const joints = [...said.matchAll(joint)].filter(({ index }) => !isQuoted(index)).slice(0, mostJoints)
  const parts: Translation[] = []
  let from = 0
  let rest: Translation | undefined
  for (const [n, { index, 0: between }] of joints.entries()) {
    const behind = index + between.length
    const [left, right] = [said.slice(from, index), said.slice(behind)]
    // A comma alone also stands before a reason, an address or an afterthought.
    const isPlain = /[a-z;.!?]/i.test(between)
    const isSecond = order.test(right) || (isSeveral && isPlain && !takesAll.test(whole))
    if (!isSecond || (!isPlain && !order.test(left))) continue
    const first = readPart(left, sentence, 0.6)
    if (!first) continue
    const next = readPart(right, sentence, 0.75) ?? readPart(said.slice(behind, joints[n + 1]?.index), sentence, 0.75)
    // An unclear part that may destroy something is not skipped, even if the other parts are clear.
    const mayDestroy = destroyingVerb.test(right) || (destroyingVerb.test(left) && order.test(right))
    if (!next && mayDestroy && !takesAll.test(whole)) return severalRequests(linesIn(first))
    if (!next) continue
    parts.push(first)
    rest = next
    from = behind
  }
  if (parts.length === 0) return undefined
  // What follows the last joint may say more than the request that was found in it.
  const end = readPart(said.slice(from), sentence, 0.75)
  const last = end ?? rest!
  const commands = [...new Set([...parts, last].flatMap(linesIn))]
  if (commands.length < 2) return undefined
  const isCertain =
    end !== undefined &&
    [...parts, end].every(({ outcome }) => outcome !== 'asked') &&
    (isSeveral || !takesAll.test(whole)) &&
    !commands.some((line) => destroysLine(line, around))
  return isCertain ? { outcome: 'commands', commands } : severalRequests(commands)
}

/** A part that is a request by itself. */
function readPart(text: string, { around, model }: Sentence, least: number): Translation | undefined {
  const part = { said: text, tokens: tokensOf(text, around), around, model }
  if (part.tokens.length < 2) return undefined
  const [best] = model.guesses(part.tokens) as [Guess]
  if (/^(?:none|several)$/.test(best.intent) || best.probability < least) return undefined
  const made = judged(part, best.intent, true)
  return made.outcome === 'asked' && (made.command === undefined || !order.test(text)) ? undefined : made
}

const linesIn = (made: Translation): readonly string[] =>
  made.outcome === 'commands' ? made.commands : made.command === undefined ? [] : [made.command]

function destroysLine(line: string, { table }: TranslatorContext): boolean {
  const read = parseLine(line, table)
  return read.kind === 'command' && destroys(read)
}

/** For a sentence that is a command already. */
function asCommand(line: string, { table }: TranslatorContext): Translation {
  try {
    if (parseLine(line, table).kind === 'command') return { outcome: 'command', command: line }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { outcome: 'asked', reason: 'unclear', question: `${error.answer}: ${error.message}` }
  }
  return notUnderstood
}

/** A command that the workspace has added is said by its name: `please run deploy check staging`. */
function asAdded(said: string, around: TranslatorContext): Translation | undefined {
  for (const spec of around.table) {
    if (spec.says === undefined) continue
    const name = spec.name.toLowerCase().split(/[:_]/).join('[ :_]')
    const form = `^(?:(?:please|can you|could you|run|do|now)\\s+)*${name}\\b[\\s:]*(.*?)[\\s.!?]*$`
    const [, rest] = new RegExp(form, 'i').exec(said) ?? []
    if (rest === undefined) continue
    const required = spec.parameters.find(({ optional }) => !optional)
    return rest === '' && required
      ? missing(spec, required.name)
      : asCommand(`#${spec.name}${rest && `:${rest}`}`, around)
  }
  return undefined
}

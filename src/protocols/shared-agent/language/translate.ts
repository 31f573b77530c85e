/**
 * A sentence as a command, or a question. Shared Agent Protocol §2.5, "Natural Language Processing". Deterministic, and
 * without any help from outside: forms of requests (`requests/`) are held against the whole sentence, and the reading that
 * explains most of it wins. Two that explain as much are never guessed between, and what destroys something runs only where
 * it was plainly asked for. Pure.
 */
import { longestLine, parseLine, printLine } from '../format.ts'
import { Refusal } from '../refusal.ts'
import type { Command } from '../schema.ts'
import { corrected } from './correction.ts'
import { behindDoubt, isNegated, withoutCourtesies } from './courtesies.ts'
import { destroys } from './destructive.ts'
import {
  missing,
  missingInOneOf,
  notUnderstood,
  oneOf,
  reallyDestroy,
  reallyMeant,
  severalRequests,
  tooLong,
} from './questions.ts'
import { type Reading, readingsOf } from './readings.ts'
import { nowhere, type Surroundings } from './surroundings.ts'
import { type Token, tokensOf, trimmed } from './tokens.ts'
import type { Translation } from './translation.ts'
import { joints } from './words.ts'

/** Nobody says more in one request; what is longer is a document. */
const mostTokens = 120

export function translate(text: string, surroundings: Partial<Surroundings> = {}): Translation {
  const around: Surroundings = { ...nowhere, ...surroundings }
  if (text.length > longestLine || /[\u0000-\u0008\u000b-\u001f\u007f]/.test(text)) return tooLong
  const said = text.replace(/\s+/g, ' ').trim()
  if (/^#[A-Z]/.test(said)) return asCommand(said, around)
  const tokens = tokensOf(said)
  if (tokens.length > mostTokens) return tooLong
  const request = withoutCourtesies(tokens)
  if (request.length === 0 || isNegated(request)) return notUnderstood
  return ofRequest({ said, around }, tokens, request) ?? notUnderstood
}

interface Sentence {
  readonly said: string
  readonly around: Surroundings
}

function ofRequest(sentence: Sentence, all: readonly Token[], request: readonly Token[]): Translation | undefined {
  // "can you" is polite, or asks just that: what fits without it comes first.
  for (const tokens of [request, trimmed(all)]) {
    const plain = complete(sentence, tokens, false)
    if (plain.length > 0) return judged(sentence, plain)
  }
  const behind = behindDoubt(request)
  if (behind) {
    const wondered = complete(sentence, withoutCourtesies(behind), false)
    if (wondered.length > 0) return judged(sentence, wondered, 'question')
  }
  if (conditions.test(request[0]!.word)) return undefined
  if (hasRequest(sentence, partsOf(request))) return severalRequests
  const right = [request, ...corrected(request).map(withoutCourtesies)]
  if (right.some(isNegated)) return undefined
  const fixed = right.flatMap((tokens) => complete(sentence, tokens, true))
  if (fixed.length > 0) return judged(sentence, fixed.sort(byCost), 'corrected')
  return open(sentence, request)
}

/** What depends on something is no request that could be run now. */
const conditions = /^(?:if|unless|when|whenever|once|in|provided|assuming|suppose|after|before|until|as)$/

const byCost = (a: Reading, b: Reading): number => a.cost - b.cost

const complete = ({ said, around }: Sentence, tokens: readonly Token[], mayCorrect: boolean): readonly Reading[] =>
  readingsOf(tokens, { text: said, around, mayCorrect, mayBeOpen: false })

/** A clear request of which a part is missing: of several, the one that lacks least. */
function open({ said, around }: Sentence, request: readonly Token[]): Translation | undefined {
  const found = readingsOf(request, { text: said, around, mayCorrect: false, mayBeOpen: true })
  const [least] = [...found].sort(byOpen)
  if (!least) return undefined
  const alike = found.filter((one) => byOpen(one, least) === 0)
  const specs = [...new Set(alike.map(({ command }) => command.spec))]
  return specs.length === 1 ? missing(specs[0]!, least.open) : missingInOneOf(specs)
}

const byOpen = (a: Reading, b: Reading): number => a.open.length - b.open.length || a.cost - b.cost

/** A harmless command may be made of corrected words; what is no request but a question is always asked back. */
function judged(sentence: Sentence, readings: readonly Reading[], how?: 'corrected' | 'question'): Translation {
  const { around } = sentence
  const cheapest = readings.filter(({ cost }) => cost === readings[0]!.cost)
  const lines = new Map(cheapest.map((reading) => [lineOf(reading.command, around), reading]))
  const hidden = cheapest.flatMap(({ texts }) => texts.flatMap((tokens) => partsOf(tokens).slice(1)))
  if (hasRequest(sentence, hidden) || hidden.some((part) => isForSomebodyElse(part, around))) return severalRequests
  if (lines.size > 1) return oneOf([...lines.keys()])
  const [[line, reading]] = [...lines] as [[string, Reading]]
  const why = whyNotSaid(line, reading.command, around)
  if (why !== undefined) return { outcome: 'asked', reason: 'unclear', question: why }
  const others = readings.some(({ command, doubts }) => command.spec !== reading.command.spec && doubts.length === 0)
  const isSure = how === undefined && reading.doubts.length === 0 && !others && isSaid(reading.command, sentence)
  if (reading.isUnnamed || (destroys(reading.command) && !isSure)) return reallyDestroy(line)
  const [doubt] = [...reading.doubts, ...(isAgainst(reading.command) ? ['it says what is not to be done'] : [])]
  if (doubt !== undefined) return reallyMeant(line, doubt)
  return how === 'question' ? reallyMeant(line, 'you asked whether to') : { outcome: 'command', command: line }
}

/** Why no line can say it: a parameter is out of bounds, or would be read as something else. */
function whyNotSaid(line: string, { spec, given }: Command, { table }: Surroundings): string | undefined {
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

/** Whether what a command is about stands in the sentence as it is, not only put together from its words. */
const isSaid = ({ given }: Command, { said }: Sentence): boolean =>
  [given.id, given.resource, given.filepath].every(
    (name) => name === undefined || said.toLowerCase().includes(name.toLowerCase()),
  )

const isAgainst = ({ given }: Command): boolean => /^(?:not|never)\b|^(?:not|never)_/i.test(given.task ?? '')

/** As the table writes it: `#NEXT:` has a colon. */
const lineOf = (command: Command, { table }: Surroundings): string => {
  const line = printLine(command, table)
  return `${line}:` === command.spec.example ? command.spec.example : line
}

/** What stands between "and", "then" and the ends of sentences. */
function partsOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const parts: Token[][] = [[]]
  for (const token of tokens) {
    const separates = !token.isQuoted && /^(?:and|then|afterwards|plus|;|\.|,|!|\?)$/.test(token.word)
    if (separates) parts.push([])
    else parts.at(-1)!.push(token)
  }
  return parts.map(trimmed).filter((part) => part.length > 0)
}

/** "… and TestAgent test it": a second one is to do something. */
const isForSomebodyElse = ([first, second]: readonly Token[], { agents }: Surroundings): boolean =>
  first !== undefined &&
  second !== undefined &&
  !joints.has(second.word) &&
  agents.some((agent) => agent.toLowerCase() === first.word)

/** Whether one of them is a request of its own. */
const hasRequest = (sentence: Sentence, parts: readonly (readonly Token[])[]): boolean =>
  parts.length > 0 &&
  parts.some((part) => {
    const request = withoutCourtesies(part)
    return complete(sentence, request, false).some(({ doubts }) => doubts.length === 0)
  })

/** It is one already. */
function asCommand(line: string, { table }: Surroundings): Translation {
  try {
    if (parseLine(line, table).kind === 'command') return { outcome: 'command', command: line }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { outcome: 'asked', reason: 'unclear', question: `${error.answer}: ${error.message}` }
  }
  return notUnderstood
}

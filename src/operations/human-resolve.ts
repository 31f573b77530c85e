/** Which message a person means by an id, among all protocols that ask people something. */
import { call, inputs } from '../kernel/call.ts'
import type { Headline } from '../kernel/envelope.ts'
import { conflict, notFound, SignalboxError } from '../kernel/errors.ts'
import { isMeant } from '../kernel/short-id.ts'
import type { Quarantined, Question } from '../protocols/contract.ts'
import type { Tree } from '../tree/tree.ts'
import { envelopeOfFile, isLeft, questionOf } from './human-quarantine.ts'
import { type OpenedProtocol, type StoresPlace, usedProtocols } from './stores.ts'

export interface Meant extends OpenedProtocol {
  readonly message: { readonly envelope: Headline; text(): Promise<string | undefined> }
  /** What it asks; `undefined` when it does not wait for a person, or no longer. */
  readonly question?: Question
  /** It is no message, but a file where one should be. */
  readonly file?: Quarantined
}

/**
 * The one message. A whole id goes before one that begins with it, and a message that waits for a person before one that
 * does not: a person who answers does not mean a finished message with the same beginning.
 */
export async function resolveMessage(place: StoresPlace, id: string, where?: string): Promise<Meant> {
  const found: Meant[] = []
  const failures: SignalboxError[] = []
  for await (const opened of usedProtocols(place)) {
    try {
      if (opened.neutral.questions) found.push(...(await meantIn(opened, id)))
      found.push(...(await filesMeantIn(await place.tree(), opened, id)))
    } catch (error) {
      // One protocol out of order stops no answer in another.
      if (!(error instanceof SignalboxError)) throw error
      failures.push(error)
    }
  }
  const there = found.filter((one) => where === undefined || placesOf(one).includes(where))
  const meant = preferred(preferred(there, isWhole(id)), ({ question }) => question !== undefined)
  const [only, another] = meant
  if (!only && failures[0]) throw failures[0]
  if (!only) {
    throw notFound('NO_SUCH_MESSAGE', `There is no message ${id} that could wait for a person.`, {
      hint: `See what waits: ${call('human list')}`,
      details: { id },
    })
  }
  if (another) throw ambiguous(id, meant)
  return only
}

/** What a protocol knows by this id, each message once, with what it asks. */
async function meantIn(opened: OpenedProtocol, id: string): Promise<Meant[]> {
  const found = new Map<string, Meant>()
  for await (const message of opened.neutral.find(id)) found.set(keyOf(message.envelope), { ...opened, message })
  if (found.size === 0) return []
  for await (const question of opened.neutral.questions!()) {
    const one = found.get(keyOf(question))
    if (one) found.set(keyOf(question), { ...one, question })
  }
  return [...found.values()]
}

/** The files that are no messages and have this name, or one that begins so. */
async function filesMeantIn(tree: Tree, opened: OpenedProtocol, id: string): Promise<Meant[]> {
  const { protocol, neutral } = opened
  const found: Meant[] = []
  for await (const file of neutral.quarantined?.() ?? []) {
    if (!isMeant(id, file.id)) continue
    const message = { envelope: envelopeOfFile(protocol.name, file), text: async () => file.text }
    const waits = (await isLeft(tree, protocol.name, file)) ? {} : { question: questionOf(neutral, file) }
    found.push({ ...opened, message, file, ...waits })
  }
  return found
}

const keyOf = ({ id, place = '' }: Pick<Question, 'id' | 'place'>): string => JSON.stringify([place, id])

const isWhole =
  (id: string) =>
  ({ message }: Meant): boolean =>
    message.envelope.id === id

/** The candidates that fit, or all if none does. */
function preferred(all: readonly Meant[], fits: (one: Meant) => boolean): readonly Meant[] {
  const fitting = all.filter(fits)
  return fitting.length > 0 ? fitting : all
}

/** The values of `--in` that mean this message: its protocol, and its mission or session. */
const placesOf = ({ protocol, message }: Meant): string[] =>
  [protocol.name, message.envelope.place].filter((name) => name !== undefined)

const mostShown = 10
const longestSummary = 60

function ambiguous(id: string, meant: readonly Meant[]) {
  const candidates = meant.map(({ protocol, message: { envelope } }) => {
    const { id, place, summary } = envelope
    return { id, protocol: protocol.name, ...(place === undefined ? {} : { place }), summary: cut(summary) }
  })
  const shown = candidates
    .slice(0, mostShown)
    .map(({ id, protocol, place, summary }) => `${id} (${[protocol, place].filter(Boolean).join(' ')}: ${summary})`)
  if (candidates.length > mostShown) shown.push(`and ${candidates.length - mostShown} more`)
  const haveOneId = new Set(candidates.map((candidate) => candidate.id)).size === 1
  const places = [...new Set(meant.flatMap(placesOf))].filter(
    (name) => meant.filter((one) => placesOf(one).includes(name)).length === 1,
  )
  return conflict('AMBIGUOUS_ID', `More than one message is meant by ${id}: ${shown.join(', ')}.`, {
    hint: haveOneId ? `Say which: ${places.map((name) => inputs({ in: name })).join(', ')}` : 'Give more of the id.',
    details: { id, candidates: candidates.slice(0, mostShown) },
  })
}

const cut = (summary: string): string =>
  summary.length > longestSummary ? `${summary.slice(0, longestSummary).toWellFormed()}…` : summary

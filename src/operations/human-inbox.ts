/** The inbox of people: what waits for one in any protocol, and the ways to answer. The commands and the library share it. */
import { inputs } from '../kernel/call.ts'
import type { Headline } from '../kernel/envelope.ts'
import { invalidInput, SignalboxError } from '../kernel/errors.ts'
import { withoutUndefined } from '../kernel/field.ts'
import type { TreePath } from '../kernel/tree-path.ts'
import { type Answer, expectAnswerable, type Question, verbOf } from '../protocols/contract.ts'
import type { Durability } from '../tree/tree.ts'
import { forgetLeft, leave, questionOf, waitingFiles } from './human-quarantine.ts'
import { resolveMessage } from './human-resolve.ts'
import { lastShown, rememberShown } from './shown.ts'
import { type StoresPlace, usedProtocols } from './stores.ts'

export interface HumanInbox {
  /**
   * Everything that waits for a person, the longest-waiting first, up to `limit`. It counts as shown (see `Given.digest`);
   * what is left out does not. `peek`: for an overview, which shows no text: nothing counts as shown.
   */
  list(options?: ListOptions): Promise<WaitingForPeople>
  /** Answers a question: in words, or by one of its options, which are counted from 1. */
  answer(
    id: string,
    answer: { readonly text: string } | { readonly option: number },
    given?: Given,
  ): Promise<GivenAnswer>
  /** Lets a message go that was held back. */
  approve(id: string, given?: Given): Promise<GivenAnswer>
  /** Refuses it, whatever it says by now. */
  deny(id: string, given?: Omit<Given, 'digest'> & { readonly reason?: string }): Promise<GivenAnswer>
}

export interface ListOptions {
  readonly limit?: number
  readonly peek?: boolean
}

export interface WaitingForPeople {
  readonly waiting: readonly WaitingQuestion[]
  /** How many more wait. */
  readonly leftOut: number
  /** Why the questions of a protocol are missing, one sentence each. */
  readonly notices: readonly string[]
}

export interface WaitingQuestion extends Question {
  readonly protocol: string
  /** The same as `askedAt`, called as it is in messages. */
  readonly createdAt: string
  /** By the tree's time; absent when `askedAt` is no time. */
  readonly ageSeconds?: number
}

export interface Given {
  /** Who decides; else the agent that acts in this workspace, else `human`. */
  readonly by?: string
  /** The digest of the listed text that the decision is for. Without it: the text listed last, else the one there now. */
  readonly digest?: string
  /** The protocol or the mission, where an id alone means more than one message. */
  readonly in?: string
}

export interface GivenAnswer {
  /** `unchanged`: it had this answer already. */
  readonly outcome: 'answered' | 'unchanged'
  /** The question, as it is now. */
  readonly message: Headline
  /** The message that carries the answer to the agent that asked, if the protocol sends one. */
  readonly sent?: Headline
  readonly durability: Durability
  /** What else the protocol tells of it. */
  readonly details: Readonly<Record<string, unknown>>
}

/** `actor`: who decides where no name is given. */
export const humanInbox = (place: StoresPlace, actor: () => Promise<string | undefined>): HumanInbox => ({
  list: (options) => listWaiting(place, options),
  answer: async (id, answer, given = {}) => give(place, actor, id, { verdict: 'answer', ...checked(answer) }, given),
  approve: (id, given = {}) => give(place, actor, id, { verdict: 'approve' }, given),
  deny: (id, { reason = 'A person said no.', ...given } = {}) =>
    give(place, actor, id, { verdict: 'deny', text: reason }, given),
})

async function listWaiting(
  place: StoresPlace,
  { limit = Number.POSITIVE_INFINITY, peek = false }: ListOptions = {},
): Promise<WaitingForPeople> {
  const all: WaitingQuestion[] = []
  const failures: { readonly title: string; readonly error: SignalboxError }[] = []
  const tree = await place.tree()
  const now = await tree.now()
  const decided = new Set<TreePath>()
  for await (const { protocol, neutral } of usedProtocols(place)) {
    const push = (question: Question) => {
      const { askedAt: createdAt } = question
      const ageSeconds = ageAt(now, createdAt)
      all.push({ ...question, protocol: protocol.name, createdAt, ...withoutUndefined({ ageSeconds }) })
    }
    try {
      for await (const question of neutral.questions?.() ?? []) push(question)
      for await (const file of waitingFiles(tree, protocol.name, neutral, (note) => decided.add(note))) push(file)
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error
      failures.push({ title: protocol.title, error })
    }
  }
  // One protocol out of order hides no other's questions. But "nothing waits" must not be said where none could be read.
  if (all.length === 0 && failures[0]) throw failures[0].error
  all.sort((a, b) => byTime(a.askedAt, b.askedAt))
  const waiting = all.slice(0, limit)
  const leftOut = all.length - waiting.length
  if (!peek) await rememberShown(place, waiting, { areAll: failures.length === 0 && leftOut === 0 })
  if (!peek && failures.length === 0) await forgetLeft(tree, decided)
  const notices = failures.map(({ title, error }) => `What waits in ${title} cannot be listed: ${error.message}`)
  return { waiting, leftOut, notices }
}

/** The earlier one first. What has no time that can be read is last. */
function byTime(a: string, b: string): number {
  const [first, second] = [Date.parse(a), Date.parse(b)]
  if (Number.isNaN(first) || Number.isNaN(second)) return Number(Number.isNaN(first)) - Number(Number.isNaN(second))
  return first - second
}

/** In whole seconds; what claims to be from the future is new. */
function ageAt(now: number, time: string): number | undefined {
  const at = Date.parse(time)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.floor((now - at) / 1000))
}

/** The answer, if it is one and only one. Callers of the library may not be held by types. */
function checked(answer: { readonly text?: string; readonly option?: number }): Pick<Answer, 'text' | 'option'> {
  const { text, option } = answer
  const hint = `Give ${inputs({ body: 'TEXT' })} or ${inputs({ option: 'N' })}; in a program, \`text\` or \`option\`.`
  if (text !== undefined && option !== undefined) {
    throw invalidInput('GIVEN_TWICE', 'An answer is words or the number of an option; both were given.', { hint })
  }
  if (option === undefined && (text === undefined || text.trim() === '')) {
    throw invalidInput('MISSING_INPUT', 'The answer is missing: words, or the number of an option.', { hint })
  }
  return withoutUndefined({ text, option })
}

/** Gives a person's answer to whatever the id means, in whichever protocol that is. */
async function give(
  place: StoresPlace,
  actor: () => Promise<string | undefined>,
  id: string,
  answer: Omit<Answer, 'by'>,
  given: Given,
): Promise<GivenAnswer> {
  const { protocol, neutral, message, question, file } = await resolveMessage(place, id, given.in)
  const { durability } = await place.configuration()
  const by = given.by ?? (await actor()) ?? 'human'
  if (file) {
    const { verdict, text: reason = '' } = answer
    expectAnswerable(questionOf(neutral, file), verdict)
    const tree = await place.tree()
    const details = { path: file.path, quarantined: verdict === 'deny' }
    if (verdict === 'approve')
      return { outcome: 'answered', message: await verbOf(protocol, neutral, 'putBack')(file), durability, details }
    const outcome = await leave(tree, protocol.name, file, { by, reason })
    return { outcome, message: message.envelope, durability, details }
  }
  const meant = withoutUndefined({ id: message.envelope.id, place: message.envelope.place })
  if (question) expectAnswerable(question, answer.verdict)
  const text = answer.option === undefined ? answer.text : optionOf(meant.id, question, answer.option)
  const shown = () => lastShown(place, { ...meant, protocol: protocol.name })
  // No is no, whatever it says by now. Every other answer is for one text.
  const digest = answer.verdict === 'deny' ? undefined : (given.digest ?? (await shown()) ?? question?.digest)
  const give = verbOf(protocol, neutral, 'answer')
  return { ...(await give(meant, withoutUndefined({ ...answer, text, by, digest }))), durability }
}

/** What an option says; unknown where the question no longer waits. */
function optionOf(id: string, question: Question | undefined, option: number): string | undefined {
  const options = question?.options ?? []
  const chosen = Number.isSafeInteger(option) && option >= 1 ? options[option - 1] : undefined
  if (chosen !== undefined || (question === undefined && option >= 1)) return chosen
  const all = options.map((text, n) => `${n + 1} (${text})`).join(', ')
  throw invalidInput('NO_SUCH_OPTION', `Question ${id} has no option ${option}.`, {
    hint:
      options.length > 0
        ? `Give one of these: ${all}.`
        : `It offers none. Answer in words: ${inputs({ body: 'TEXT' })}`,
    details: { id, option, options },
  })
}

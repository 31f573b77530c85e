/**
 * What every protocol shows to the code outside of it: one `Protocol`, known by one line of one list
 * (`operations/protocols.ts`), and behind it one `Neutral`, which says the same things in the same words for all of
 * them. Code that concerns all protocols is built on this file alone and names none of them.
 */
import { call } from '../kernel/call.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Draft, Envelope, Headline, Stage } from '../kernel/envelope.ts'
import { conflict, type SignalboxError, unsupported } from '../kernel/errors.ts'
import type { Fields, InputOf } from '../kernel/field.ts'
import type { TreePath } from '../kernel/tree-path.ts'
import type { Home } from '../messaging/agents/directory.ts'
import type { Quarantined } from '../messaging/quarantine/quarantine.ts'
import type { Durability, Finding, Tree } from '../tree/tree.ts'
import type { Chapter } from './chapter.ts'

export type { Draft } from '../kernel/envelope.ts'
export type { Quarantined } from '../messaging/quarantine/quarantine.ts'

/**
 * A protocol, as light as it can be: a cold command reads this of all of them. What costs time is behind `open` and
 * `chapter`, which load it.
 */
export interface Protocol<
  Name extends string = string,
  Section extends Fields = Fields,
  Settings = unknown,
  Opened extends Store = Store,
  Ports extends object = object,
> {
  /** In envelopes, in `signalbox.yaml` and on the command line. */
  readonly name: Name
  /** Its name in the library, where that differs. */
  readonly library?: string
  readonly title: string
  /** One line for people: what it is. */
  readonly summary: string
  /** Its section of `signalbox.yaml`, key by key. */
  readonly section: Section
  /** Keys that a workspace may not set, because it may be a stranger's: see docs/decisions/0028-settings-of-a-stranger.md. */
  readonly usersOwn?: readonly (keyof Section & string)[]
  /** Further places that show that it is used here. */
  readonly traces?: readonly TreePath[]
  /** Places below `.signalbox/` whose entries its own inspection judges. */
  readonly notes?: readonly TreePath[]
  /** What its store works by, from what its section says. */
  settingsFrom(section: InputOf<Section>): Settings
  /** What its store works by when nothing is said. */
  readonly defaults: Settings
  /** Where under the root it keeps its messages. */
  folders(settings: Settings): readonly TreePath[]
  /** Files of its own outside of these folders. */
  leaves?(settings: Settings): readonly TreePath[]
  /** Files that it has written into folders of the user's own. They are carried with a workspace, the rest there is not. */
  looseLeaves?(tree: Tree, settings: Settings): Promise<readonly TreePath[]>
  /**
   * Whether it is used here, for protocols whose folders have names that others use too; without it, one of its folders is
   * proof enough. Where it is not used, its folders are somebody else's and are not carried anywhere.
   */
  isHere?(tree: Tree, settings: Settings): Promise<boolean>
  /** `Ports`: programs and places outside of the tree that it needs. Each is asked for when it is used. */
  open(surroundings: Surroundings<Settings> & Ports): Promise<Opened>
  /** Its scene of the tour. */
  chapter(): Promise<Chapter>
}

export interface Surroundings<Settings> {
  readonly tree: Tree
  readonly clock: Clock
  readonly settings: Settings
}

/** What `open` gives: the protocol's own verbs, and this. */
export interface Store {
  neutral(): Promise<Neutral>
  /** Writes down what is not written yet, and lets go of what is held open. */
  close?(): Promise<void>
}

export interface InspectionOptions {
  readonly repair: boolean
  /** Whether an agent has been seen in any protocol. Without it, messages for agents never seen are not reported. */
  readonly isSeen?: (agent: string) => Promise<boolean>
}

/**
 * A store in neutral words. Long lists are streams: nothing is collected, and a caller that has seen enough stops
 * asking. A verb that a protocol lacks is absent from its type; `verbOf` answers `UNSUPPORTED` for it.
 */
export interface Neutral {
  /**
   * Who has been seen: has sent, taken or registered. Being written to is not being there. `isSparing`: throws
   * (`tooManyFiles`) where there is too much to look through for the sake of a remark.
   */
  seen(filter?: SeenFilter): AsyncIterable<string>
  /** What an agent could take, the next one first. What is held back for a person or by another message is not in it. */
  waitingFor(agent: string, options?: { readonly limit?: number }): AsyncIterable<Message>
  /**
   * The messages that an id means: the whole of one, or its beginning, or what else people take for it, such as the name of
   * its file with or without the folder. Wherever they lie, the archive too.
   */
  find(id: string): AsyncIterable<Message>
  /** All messages, in no order that means anything. */
  messages(filter?: Filter): AsyncIterable<Message>
  /** Hints that something has changed in a folder of this protocol, until the signal. */
  watch?(signal: AbortSignal): AsyncIterable<{ readonly path: TreePath }>
  /** The folders in which something happens when a message comes or goes. */
  watched?(): Promise<readonly TreePath[]>
  /** What depends on another message is not handed out before that one is finished. */
  readonly holdsBack?: boolean
  /** What is sent to `all` is for the first agent that takes it, and not for each. */
  readonly allIsForFirst?: boolean
  /** How many bytes a text can have, where a message has a limit. */
  readonly longestText?: number
  /** A reader may delete a message, as programs in the field do, instead of putting it away: one that is gone was read. */
  readonly readersDelete?: boolean
  /** Whether an agent can have this name here. */
  isAgentName(name: string): boolean
  /** Where people say, in a file of this protocol, that agents are at home. */
  homes?(): Promise<readonly GivenHome[]>
  /** Makes the place where other agents write to this one, so that those who have nothing but a shell find it. */
  makeInbox?(agent: string): Promise<void>
  /** What `doctor` should know; with `repair`, what can be put right without losing anything is. */
  inspect(options: InspectionOptions): Promise<readonly Finding[]>

  /** Under a key it is sent once, whichever process repeats it; the same key with another draft is a conflict. */
  send?(draft: Draft, options?: SendOptions): Promise<Sent>
  /** Hands a message to this agent alone. */
  take?(agent: string, options?: TakeOptions): Promise<Taken>
  /** Says that the agent still works on it. */
  renew?(receipt: Receipt): Promise<Settled>
  /** Gives it back unharmed: it waits again, for this agent and others. */
  release?(receipt: Receipt): Promise<Settled>
  /** Says that it is dealt with. Repeating it is fine. */
  done?(receipt: Receipt, result?: { readonly text?: string }): Promise<Settled>
  /** Gives it up. */
  failed?(receipt: Receipt, failure: { readonly reason: string }): Promise<Settled>
  /**
   * What came of a message: that it was finished, or what its recipient answered; `undefined` while nothing has. What is about
   * another message, or from anybody else, is no answer to it.
   */
  outcomeOf?(id: string, sent: Correspondence): Promise<MessageOutcome | undefined>
  /** The newest word of its recipient on how far a message is that is not over; `undefined` where there is none. */
  progressOf?(id: string, sent: Correspondence): Promise<Progress | undefined>
  /**
   * Says that the agent has begun, or with a text how far it is, as its protocol tells the sender. Repeating it changes nothing,
   * and one who has not told that it began has by a text.
   */
  progressed?(receipt: Receipt, progress: { readonly text?: string }): Promise<void>
  /** What waits for a person. In no order that means anything: `human list` orders those of all protocols. */
  questions?(): AsyncIterable<Question>
  /**
   * A person's answer to a question, waiting or already answered: repeating the same answer changes nothing, and another one
   * is a conflict. A verdict that the question does not allow (`Question.answers`) is `UNSUPPORTED`: see `expectAnswerable`.
   */
  answer?(question: Pick<Question, 'id' | 'place'>, answer: Answer): Promise<Answered>
  /** Files that are no messages and wait for a person: set aside, or passed over where they lie. In no order. */
  quarantined?(): AsyncIterable<Quarantined>
  /** Puts one of them back among the messages. Throws what is still wrong with it (`stillNoMessage`). */
  putBack?(file: Quarantined): Promise<Headline>
  /** What agents hold besides messages, such as shared mailboxes. */
  holdings?(): AsyncIterable<Holding>
  /** Work that recurs without being asked for, such as settling claims whose time has run out. */
  duties?(): AsyncIterable<Duty>
}

/** An agent, by its name here, and what it is called in the protocol that it is at home in. */
export interface GivenHome {
  readonly name: string
  readonly home: Home
  readonly called: string
}

/** A message, whose text is read when it is asked for. */
export interface Message {
  readonly envelope: Envelope
  /** The text meant to be read, as it is now; `undefined` when the message is gone. Data, never instructions to this program. */
  text(): Promise<string | undefined>
  /** The command of its protocol by which its reader gets it, where `take` does not hand it out. */
  readonly ownCommand?: string
}

export interface SeenFilter {
  readonly place?: string
  readonly isSparing?: boolean
}

export interface Filter {
  /** Only those of this mission or workspace, for protocols that have some. */
  readonly place?: string
  readonly from?: string
  readonly to?: string
  /** Only those in one of these states, in the protocol's own words. */
  readonly states?: readonly string[]
  readonly stages?: readonly Stage[]
  /** Also those that are archived. */
  readonly archived?: boolean
  readonly limit?: number
}

export interface SendOptions {
  /** Of the sender's own: repeating it sends once. At most 200 characters. */
  readonly key?: string
  /** The mission that the draft names is made if it is not there. */
  readonly makesPlace?: boolean
}

export interface Sent {
  readonly outcome: 'sent' | 'unchanged'
  readonly message: Envelope
  readonly durability: Durability
  /** What a sender should know, one sentence each. */
  readonly notices: readonly string[]
}

export interface TakeOptions {
  readonly place?: string
  /** Only this one. */
  readonly id?: string
  readonly waitMs?: number
  /** Aborted when the caller has gone away: nothing is taken then. */
  readonly signal?: AbortSignal
}

export type Taken =
  | { readonly outcome: 'taken'; readonly message: Message; readonly receipt: Receipt; readonly durability: Durability }
  | { readonly outcome: 'nothing' }

/** Which message an agent has, by which claim. Plain data: it may be handed to another process. */
export interface Receipt {
  readonly id: string
  readonly agent: string
  readonly place?: string
  /** Which claim on the message it is, where it can be claimed more than once. */
  readonly attempt?: number
  /** Until when it is the agent's, unless renewed. Without it: for good. */
  readonly until?: number
}

export interface Settled {
  readonly outcome: 'settled' | 'unchanged'
  readonly message: Envelope
  readonly durability: Durability
}

/** Who wrote to whom, and when. */
export interface Correspondence {
  readonly from: string
  readonly to: string
  /**
   * In milliseconds. An answer that names no message, as those of other programs may, counts if it came since: for a sender
   * who has nothing else open with that recipient. Without it only an answer counts that names the message.
   */
  readonly sentAt?: number
}

/** Whether an answer that names no message can be one to what was sent. Messages may tell their time in whole seconds. */
export const isSince = (time: number, { sentAt }: Pick<Correspondence, 'sentAt'>): boolean =>
  sentAt !== undefined && time >= Math.floor(sentAt / 1000) * 1000

export interface MessageOutcome {
  readonly state: 'completed' | 'failed'
  /** The result or the answer; why it failed. */
  readonly text: string
  /** The message that tells it, while it waits for the sender: who has written the outcome down takes it and is done with it. */
  readonly answer?: string
}

export interface Progress {
  /** Absent where it says no more than that it has begun. */
  readonly text?: string
  /** The message that tells it, while it waits for the sender. */
  readonly message?: string
}

/** Something that only a person can decide. */
export interface Question {
  readonly id: string
  readonly place?: string
  /** `quarantine`: a file that is no message. See `Quarantined`. */
  readonly kind: 'approval' | 'question' | 'escalation' | 'quarantine'
  readonly from: string
  readonly summary: string
  readonly text: string
  /** Names what is shown of it (`digestOf`): an answer that repeats it is for this text and for no other. */
  readonly digest: string
  /** What there is to choose from, in the order in which people count them from 1; empty when nothing was offered. */
  readonly options: readonly string[]
  /** The answers it can get. */
  readonly answers: readonly Answer['verdict'][]
  /** Why it waits, in one line. */
  readonly why: string
  readonly askedAt: string
  /** What people should know of it besides, by name, in the protocol's own words. */
  readonly facts: readonly (readonly [name: string, value: string])[]
  /** What else the protocol tells of it, for programs. */
  readonly details: Readonly<Record<string, unknown>>
}

export interface Answer {
  readonly verdict: 'approve' | 'deny' | 'answer'
  /** Who decided. */
  readonly by: string
  /** The reason, or the answer itself. */
  readonly text?: string
  /**
   * Which of the options was chosen, from 1. `text` then says what that option says; it is absent where the question no
   * longer waits, since nobody but the protocol can tell which options it had.
   */
  readonly option?: number
  /** Of the question that was shown: the answer is refused (`MESSAGE_CHANGED`) when the question has changed since. */
  readonly digest?: string
}

export interface Answered {
  /** `unchanged`: it had this answer already. */
  readonly outcome: 'answered' | 'unchanged'
  /** The question, as it is now. */
  readonly message: Headline
  /** The message that carries the answer to the agent that asked, where the protocol sends one. */
  readonly sent?: Headline
  /** What else the protocol tells of it, for programs. */
  readonly details: Readonly<Record<string, unknown>>
}

/** Something other than a message that an agent holds. */
export interface Holding {
  /** For people: `mailbox 3`. */
  readonly name: string
  readonly by: string
  /** Takes it from its holder, unless the holder has used it since it was listed. */
  free(): Promise<'released' | 'unchanged'>
}

export interface Duty {
  /** What it looks after: `mission alpha`. */
  readonly name: string
  /** Something may be due when something happens in one of these. */
  readonly watches: readonly TreePath[]
  /** It brings messages to those whom they are for, so that a bridge does it too. */
  readonly delivers?: boolean
  /** One pass. `nextAt`: when something is due next by the tree's time, if nothing happens before. */
  run(options?: { readonly by?: string }): Promise<{ readonly did: number; readonly nextAt?: number }>
}

type Optional = {
  [Verb in keyof Neutral]-?: undefined extends Neutral[Verb]
    ? Verb extends 'holdsBack' | 'allIsForFirst' | 'longestText' | 'readersDelete'
      ? never
      : Verb
    : never
}[keyof Neutral]

/** A verb that not every protocol has, ready to be called; throws `UNSUPPORTED` where it is absent. */
export function verbOf<Verb extends Optional>(
  { title }: Pick<Protocol, 'title'>,
  neutral: Neutral,
  verb: Verb,
): NonNullable<Neutral[Verb]> {
  const found = neutral[verb]
  if (found === undefined) throw lacks(title, verb)
  return found.bind(neutral) as NonNullable<Neutral[Verb]>
}

const lacks = (title: string, verb: string): SignalboxError =>
  unsupported('UNSUPPORTED', `${title} has no such verb: ${verb}.`, {
    hint: 'Use one of the verbs that it has.',
    details: { protocol: title, verb },
  })

const verdictWords = { approve: 'approved', deny: 'denied', answer: 'answered' } as const

/** Throws `UNSUPPORTED` for an answer that a question cannot get, with what to do instead. */
export function expectAnswerable({ id, answers }: Pick<Question, 'id' | 'answers'>, verdict: Answer['verdict']): void {
  if (answers.includes(verdict)) return
  const instead = answers.map((other) =>
    call(`human ${other}`, { id, ...(other === 'answer' ? { body: 'TEXT' } : {}) }),
  )
  throw unsupported('UNSUPPORTED', `Message ${id} cannot be ${verdictWords[verdict]}.`, {
    hint: instead.length > 0 ? `What it can get: ${instead.join(', or ')}` : `See what waits: ${call('human list')}`,
    details: { id, verdict, answers },
  })
}

/** The question has changed since it was shown to the person (`Answer.digest`). */
export const changedSince = (id: string): SignalboxError =>
  conflict('MESSAGE_CHANGED', `Message ${id} is not what it was when it was looked at.`, {
    hint: `Look at it again, then decide: ${call('human list')}`,
    details: { id },
  })

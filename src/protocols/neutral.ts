/**
 * The half of the contract that is the same in every protocol: filtering, limits, places, texts and changes. A protocol says
 * what it has (`Source`) in views of its own, and how a view is lifted; `neutralOf` makes a `Neutral` of it.
 */
import type { Draft, Envelope, Headline, Stage } from '../kernel/envelope.ts'
import { invalidInput } from '../kernel/errors.ts'
import type { TreePath } from '../kernel/tree-path.ts'
import type { Durability, Tree } from '../tree/tree.ts'
import type {
  Filter,
  Message,
  Neutral,
  Protocol,
  Receipt,
  SeenFilter,
  SendOptions,
  Settled,
  Taken,
  TakeOptions,
} from './contract.ts'

/** Which messages are wanted. A source may tell more than that, if leaving them out would cost it anything. */
export interface Wanted {
  readonly place?: string
  readonly to?: string
  readonly states?: readonly string[]
  readonly archived: boolean
}

export interface Source<View extends Headline> {
  readonly protocol: Pick<Protocol, 'name' | 'title'>
  readonly tree: Tree
  /** Whether messages belong to missions, sessions or the like. Without them a caller that names one is refused. */
  readonly hasPlaces: boolean
  /** What depends on another message is not handed out before that one is finished. */
  readonly holdsBack?: boolean
  /** What is sent to `all` is for the first agent that takes it. */
  readonly allIsForFirst?: boolean
  /** How many bytes a text can have. */
  readonly longestText?: number
  /** A reader may delete a message instead of putting it away. */
  readonly readersDelete?: boolean
  isAgentName(name: string): boolean
  makeInbox?(agent: string): Promise<void>
  /** The stage of each state, where a state has one. */
  readonly stages?: Readonly<Record<string, Stage>>
  /** Whether two names are one agent. Without it, if they are equal. */
  isSameAgent?(one: string, other: string): boolean
  lift(view: View): Envelope
  /** As it is now; `undefined` when the message is gone. */
  text(view: View): Promise<string | undefined>
  /** See `Message.ownCommand`. */
  ownCommand?(view: View): string | undefined
  seen(filter: SeenFilter): AsyncIterable<string>
  /** What an agent could take, the next one first. */
  waiting(agent: string, limit: number): AsyncIterable<View>
  each(wanted: Wanted): AsyncIterable<View>
  /** The messages that an id, or the beginning of one, means. */
  find(id: string): AsyncIterable<View>
  /** The folders in which something happens when a message comes or goes. */
  watched(): Promise<readonly TreePath[]>

  send?(draft: Draft, options: SendOptions): Promise<SentView<View>>
  /** `undefined`: nothing to take. */
  take?(agent: string, options: TakeOptions): Promise<TakenView<View> | undefined>
  renew?(receipt: Receipt): Promise<SettledView<View>>
  release?(receipt: Receipt): Promise<SettledView<View>>
  done?(receipt: Receipt, result: { readonly text?: string }): Promise<SettledView<View>>
  failed?(receipt: Receipt, failure: { readonly reason: string }): Promise<SettledView<View>>
}

export interface SentView<View> {
  readonly outcome: 'sent' | 'unchanged'
  readonly message: View
  readonly durability: Durability
  readonly notices: readonly string[]
}

export interface TakenView<View> {
  readonly message: View
  readonly receipt: Receipt
  readonly durability: Durability
}

export interface SettledView<View> {
  readonly outcome: 'settled' | 'unchanged'
  readonly message: View
  readonly durability: Durability
}

/** The verbs that a protocol answers in neutral words by itself. */
export type OwnVerbs = Pick<
  Neutral,
  | 'inspect'
  | 'homes'
  | 'outcomeOf'
  | 'progressOf'
  | 'progressed'
  | 'questions'
  | 'answer'
  | 'quarantined'
  | 'putBack'
  | 'holdings'
  | 'duties'
>

export function neutralOf<View extends Headline>(source: Source<View>, own: OwnVerbs): Neutral {
  const { protocol, isSameAgent = (one, other) => one === other } = source
  const message = (view: View): Message => {
    const ownCommand = source.ownCommand?.(view)
    const one = { envelope: source.lift(view), text: () => source.text(view) }
    return ownCommand === undefined ? one : { ...one, ownCommand }
  }
  const settled = async (settling: Promise<SettledView<View>>): Promise<Settled> => {
    const { outcome, message: view, durability } = await settling
    return { outcome, message: source.lift(view), durability }
  }

  async function* messagesOf(
    views: AsyncIterable<View>,
    limit = Number.POSITIVE_INFINITY,
    stages?: readonly Stage[],
  ): AsyncGenerator<Message> {
    if (limit < 1) return
    let count = 0
    for await (const view of views) {
      const one = message(view)
      if (stages && !stages.includes(one.envelope.stage)) continue
      yield one
      if (++count >= limit) return
    }
  }

  async function* filtered({ place, from, to, stages, archived = false, ...filter }: Filter): AsyncGenerator<View> {
    if (place !== undefined && !source.hasPlaces) return
    const states = filter.states ?? (stages && statesAt(source, stages))
    const wanted = { ...(place === undefined ? {} : { place }), ...(to === undefined ? {} : { to }), archived }
    for await (const view of source.each(states === undefined ? wanted : { ...wanted, states })) {
      if (place !== undefined && view.place !== place) continue
      if (states && !states.includes(view.state)) continue
      if (from !== undefined && !isSameAgent(view.from, from)) continue
      if (to === undefined || isSameAgent(view.to, to)) yield view
    }
  }

  const neutral: Neutral = {
    async *seen(filter = {}) {
      if (filter.place === undefined || source.hasPlaces) yield* source.seen(filter)
    },
    waitingFor: (agent, { limit } = {}) => messagesOf(source.waiting(agent, limit ?? Number.POSITIVE_INFINITY), limit),
    find: (id) => messagesOf(source.find(id)),
    messages: ({ limit, ...filter } = {}) => messagesOf(filtered(filter), limit, filter.stages),
    watch: (signal) => changesIn(source.tree, source.watched, signal),
    watched: () => source.watched(),
    isAgentName: (name) => source.isAgentName(name),
    ...(source.holdsBack ? { holdsBack: true } : {}),
    ...(source.allIsForFirst ? { allIsForFirst: true } : {}),
    ...(source.longestText === undefined ? {} : { longestText: source.longestText }),
    ...(source.readersDelete ? { readersDelete: true } : {}),
    ...(source.makeInbox ? { makeInbox: (agent) => source.makeInbox!(agent) } : {}),
    ...own,
  }
  if (source.send) {
    neutral.send = async (draft, options = {}) => {
      expectPlace(source, draft.place)
      const { outcome, message: view, durability, notices } = await source.send!(draft, options)
      return { outcome, message: source.lift(view), durability, notices }
    }
  }
  if (source.take) {
    neutral.take = async (agent, options = {}): Promise<Taken> => {
      expectPlace(source, options.place)
      const taken = await source.take!(agent, options)
      if (!taken) return { outcome: 'nothing' }
      const { message: view, receipt, durability } = taken
      return { outcome: 'taken', message: message(view), receipt, durability }
    }
  }
  if (source.renew) neutral.renew = (receipt) => settled(source.renew!(receipt))
  if (source.release) neutral.release = (receipt) => settled(source.release!(receipt))
  if (source.done) neutral.done = (receipt, result = {}) => settled(source.done!(receipt, result))
  if (source.failed) neutral.failed = (receipt, failure) => settled(source.failed!(receipt, failure))
  return neutral

  function expectPlace({ hasPlaces }: { readonly hasPlaces: boolean }, place: string | undefined): void {
    if (place === undefined || hasPlaces) return
    throw invalidInput('NO_PLACES', `${protocol.title} has one place for all agents, and none with a name.`, {
      hint: 'Leave the mission or workspace out.',
      details: { place: place.slice(0, 400) },
    })
  }
}

/** The states that can be of these stages; `undefined` where that is not known. */
const statesAt = (
  { stages: stageOf }: { readonly stages?: Readonly<Record<string, Stage>> },
  stages: readonly Stage[],
) => stageOf && Object.keys(stageOf).filter((state) => stages.includes(stageOf[state]!))

/** Where something may have changed, until the signal. Many changes may be told as one; `messages` tells what is there. */
async function* changesIn(
  tree: Tree,
  watched: () => Promise<readonly TreePath[]>,
  signal: AbortSignal,
): AsyncGenerator<{ readonly path: TreePath }> {
  const changed = new Set<TreePath>()
  let wake = () => {}
  const watching = new Map<TreePath, { close(): void }>()
  const watchAll = async () => {
    for (const folder of await watched()) {
      if (watching.has(folder)) continue
      const onChange = () => {
        changed.add(folder)
        wake()
      }
      watching.set(folder, tree.watch(folder, onChange))
    }
  }
  const onAbort = () => wake()
  signal.addEventListener('abort', onAbort)
  try {
    await watchAll()
    while (!signal.aborted) {
      if (changed.size === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      const paths = [...changed]
      changed.clear()
      for (const path of paths) {
        if (signal.aborted) return
        yield { path }
      }
      // A new mission or agent has folders of its own.
      await watchAll()
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    for (const { close } of watching.values()) close()
  }
}

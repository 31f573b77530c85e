/** The verbs for every agent, as programs use them: what the commands do, with values instead of words. */
import type { AgentList } from '../../bridge/agents.ts'
import {
  type Awaited,
  Box,
  type BoxDraft,
  type BoxSent,
  type BoxSettled,
  type TakenMessage,
  type Waiting,
} from '../../bridge/box.ts'
import type { Rung } from '../../bridge/ladder.ts'
import type { FoundMessages, MessageSearch } from '../../bridge/search.ts'
import type { Conversation } from '../../bridge/thread.ts'
import type { Explanation } from '../../bridge/why.ts'
import type { EmbedderPort } from '../../kernel/embedder.ts'
import type { Envelope } from '../../kernel/envelope.ts'
import { once } from '../../kernel/once.ts'
import type { Duty } from '../../protocols/contract.ts'
import { busOf } from '../bus.ts'
import type { StoresPlace } from '../stores.ts'
import type { LazyWorkspace } from '../workspace/workspace.ts'

export interface Verbs {
  /** Writes a message where its recipient reads. Repeating a key sends once. */
  send(draft: BoxDraft, options?: { readonly key?: string }): Promise<BoxSent>
  /** What waits for an agent, in any protocol, the most urgent first. Nothing is taken. */
  inbox(agent: string, options?: Waiting & { readonly limit?: number }): Promise<readonly Envelope[]>
  /** Hands one message to this agent and to nobody else; `undefined` where nothing waits. It counts as shown. */
  take(agent: string, options?: Waiting & { readonly handle?: string }): Promise<TakenMessage | undefined>
  /** Everything that comes for an agent, one after the other, until the signal. */
  messages(options: { readonly to: string; readonly signal?: AbortSignal }): AsyncIterable<WorkMessage>
  /** `agent`: refused where another one has it. Without it the receipt is enough. */
  done(receipt: string, result?: { readonly text?: string }, agent?: string): Promise<BoxSettled>
  fail(receipt: string, failure: { readonly reason: string }, agent?: string): Promise<BoxSettled>
  /** Gives it back unharmed: it waits again. */
  release(receipt: string, agent?: string): Promise<BoxSettled>
  renew(receipt: string, agent?: string): Promise<BoxSettled>
  /** Until it is finished, has failed or was answered. */
  wait(handle: string, options?: Waiting): Promise<Awaited>
  show(
    handle: string,
  ): Promise<{ readonly message: Envelope & { readonly text: string }; readonly ladder: readonly Rung[] }>
  thread(handle: string): Promise<Conversation>
  /** Why a message is where it is, and what to do about it. */
  why(handle: string): Promise<Explanation>
  /** Messages of all protocols, archived ones too, by their words and by what they mean. */
  search(query: string, options?: MessageSearch): Promise<FoundMessages>
  agents(): Promise<AgentList>
  /**
   * What a program that stays knows of an agent: whether it works, on what, in which session and by which process. What the agent
   * holds is freed (`duties`) when the process has ended, or `gone` was noted. Never the process of a short command: the agent
   * that gave it goes on.
   */
  notePresence(agent: string, news: AgentNews): Promise<void>
  /** Work that recurs without being asked for, of all protocols, for a program that stays. */
  duties(): AsyncIterable<Duty>
}

export interface AgentNews {
  /** `stuck`: it waits for a limit or a permission. `gone`: it has ended. */
  readonly state: 'idle' | 'busy' | 'stuck' | 'gone'
  readonly doing?: string
  /** A process that ends with the agent. */
  readonly pid?: number
  readonly session?: string
}

/** A message that was taken, with the ways to end it. */
export interface WorkMessage extends TakenMessage {
  done(result?: { readonly text?: string }): Promise<BoxSettled>
  fail(failure: { readonly reason: string }): Promise<BoxSettled>
  release(): Promise<BoxSettled>
  renew(): Promise<BoxSettled>
}

/** The surface, as notes name it. */
const through = 'library'
/** As long as a signal wants: a wait has a bound, and is begun again. */
const oneWaitMs = 3600_000

export function verbsOf(place: StoresPlace & EmbedderPort & Pick<LazyWorkspace, 'forOthers'>): Verbs {
  const bus = once(() => busOf(place))
  const box = once(async () => new Box(await bus()))

  async function take(agent: string, options: Waiting & { readonly handle?: string } = {}) {
    const one = await box()
    const taken = await one.take(agent, { ...options, through })
    if (taken) await one.shown(taken, agent, through)
    return taken
  }

  return {
    send: async (draft, options) => (await box()).send(draft, options),
    inbox: async (agent, options) => (await (await box()).inbox(agent, options)).map(({ envelope }) => envelope),
    take,
    async *messages({ to, signal }) {
      while (!signal?.aborted) {
        const taken = await take(to, { waitMs: oneWaitMs, ...(signal ? { signal } : {}) })
        if (!taken) continue
        const { receipt } = taken
        const settling: Omit<WorkMessage, keyof TakenMessage> = {
          done: async (result) => (await box()).done(receipt, result),
          fail: async (failure) => (await box()).fail(receipt, failure),
          release: async () => (await box()).release(receipt),
          renew: async () => (await box()).renew(receipt),
        }
        yield { ...taken, ...settling }
      }
    },
    done: async (receipt, result, agent) => (await box()).done(receipt, result, agent),
    fail: async (receipt, failure, agent) => (await box()).fail(receipt, failure, agent),
    release: async (receipt, agent) => (await box()).release(receipt, agent),
    renew: async (receipt, agent) => (await box()).renew(receipt, agent),
    async wait(handle, options) {
      const one = await box()
      const awaited = await one.wait(handle, options)
      await one.answerShown(awaited)
      return awaited
    },
    async show(handle) {
      const { findAll } = await import('../../bridge/bus.ts')
      const { ladderOf } = await import('../../bridge/ladder.ts')
      const copies = await findAll(await bus(), handle)
      const text = (await copies[0].text()) ?? ''
      return { message: { ...copies[0].envelope, text }, ladder: await ladderOf(await bus(), copies) }
    },
    thread: async (handle) => (await import('../../bridge/thread.ts')).threadOf(await bus(), handle),
    why: async (handle) => (await import('../../bridge/why.ts')).explain(await bus(), handle),
    search: async (query, options) =>
      (await import('../../bridge/search.ts')).searchMessages(await bus(), place, query, options),
    async notePresence(agent, news) {
      await (await bus()).directory.note(agent, news)
    },
    async *duties() {
      const { dutiesOf } = await import('../duties.ts')
      yield* dutiesOf(place)
    },
    agents: async () => (await import('../../bridge/agents.ts')).listAgents(await bus()),
  }
}

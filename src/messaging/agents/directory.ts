/**
 * The agents of a workspace, one list for all protocols. An agent is on it once it has acted (sent, claimed, registered) or a
 * person has listed it. A message to a name is not enough, since a mistyped name looks just like a new one.
 *
 *   .signalbox/agents/NAME.yaml           by people, to be committed: see `listing.ts`
 *   .signalbox/state/presence/NAME.json   {"name": "Coder-1", "home": "acmq:shop", "in": ["acmq", "mr"]}, under the name in lower
 *                                         case: where it was seen first, and the protocols it has acted in. Its time is when it
 *                                         last acted. With "presence" where a surface noted more: see `presence.ts`.
 *
 * Two names that differ by case alone are one agent in two spellings, since some disks take them for one: the first spelling
 * counts, and acting under the second is refused.
 */
import { conflict, type SignalboxError } from '../../kernel/errors.ts'
import { childOf, isSegment, type TreePath } from '../../kernel/tree-path.ts'
import { stateOf, home as workspaceHome } from '../../tree/home.ts'
import type { Leaf, Tree } from '../../tree/tree.ts'
import { changeLeaf } from '../leaves/change.ts'
import { listIfFolder, readIfLeaf, unlessFailed } from '../leaves/tolerant.ts'
import type { Listing } from './listing.ts'
import { afterNews, type Presence, type PresenceNews, presenceIn } from './presence.ts'

export const presenceFolder = stateOf('presence')
export const agentsFolder = childOf(workspaceHome, 'agents')

export interface SeenAgent {
  readonly name: string
  /** The name also means its other spellings. */
  readonly anyCase?: boolean
  /** Where it was seen first: `mr`, `acmq:shop`. */
  readonly home?: string
  /** The protocols that it has acted in, as far as that was noted. */
  readonly in?: readonly string[]
  /** When it last acted, by the tree's time; `undefined` for an agent that was only found in files. */
  readonly lastSeenAt?: number
  /** What a surface noted of it. */
  readonly presence?: Presence
}

/** An agent that is known to have ended. */
export interface DeadAgent {
  readonly name: string
  readonly presence: Presence
  readonly why: 'its process has ended' | 'it was noted as gone'
}

/** Where an agent reads. */
export interface Home {
  readonly protocol: string
  /** The mission or session, for protocols that have some. */
  readonly place?: string
}

/** `acmq:shop` or `mr`. */
export const printHome = ({ protocol, place }: Home): string =>
  place === undefined ? protocol : `${protocol}:${place}`

/** `undefined` for a text that names no home. */
export function parseHome(text: string): Home | undefined {
  const [, protocol, place] = /^([a-z][a-z0-9-]*)(?::(.+))?$/.exec(text) ?? []
  return protocol === undefined ? undefined : { protocol, ...(place === undefined ? {} : { place }) }
}

/** Milliseconds by which the time of an agent's note may be off, so that acting often costs one write a minute. */
const exactTo = 60_000
/** In bytes. Neither we nor a person write a longer note. */
const longestNote = 4096
const longestListing = 64 * 1024

/** `undefined` for a name that no file can have. */
export const listingPath = (agent: string): TreePath | undefined =>
  isSegment(`${agent}.yaml`) && !agent.startsWith('.') ? childOf(agentsFolder, `${agent}.yaml`) : undefined

/** Trees through which a bridge acts in the names of agents that are elsewhere: nobody is seen by that. */
const actingForOthers = new WeakSet<Tree>()

/** From now on no agent is noted for what is done through this tree. */
export const actForOthers = (tree: Tree): void => void actingForOthers.add(tree)

export class AgentDirectory {
  readonly #tree: Tree
  /** The agents that this process has noted, and when by `performance.now()`. */
  readonly #noted = new Map<string, number>()

  constructor(tree: Tree) {
    this.#tree = tree
  }

  /**
   * Notes that this agent acts now, at this `home`. Refuses (`SAME_BUT_FOR_CASE`) a name that is a known one in other capitals.
   * `anyCase`: the protocol takes all spellings for one, so this one need not be the agent's own.
   */
  async acted(agent: string, { anyCase = false, home }: Acting = {}): Promise<void> {
    if (this.hasJustActed(agent) || actingForOthers.has(this.#tree)) return
    const leaf = await this.#note(agent)
    const known = leaf && noteIn(leaf)
    if (known && !anyCase) expectSpelling(agent, known)
    const after = async (before: Note | undefined) =>
      afterAct(before, agent, {
        anyCase,
        ...(home === undefined ? {} : { home }),
        ...(await this.#alive(before?.presence)),
      })
    const note = await after(known)
    await this.#write(async () => {
      if (!isNotable(agent)) return
      const isMade = note && !leaf && (await this.#tree.create(noteOf(agent), bytesOf(note))).outcome === 'created'
      if (note && !isMade) {
        await changeLeaf(this.#tree, noteOf(agent), async (now) => {
          const next = await after(now && noteIn(now))
          return next && bytesOf(next)
        })
      } else if (leaf && !note && (await this.#tree.now()) - leaf.modifiedAt >= exactTo) {
        await this.#tree.touch(noteOf(agent))
      }
    })
    // While its end could be noted, each act has to look: it shows that the agent lives.
    if (known?.presence === undefined || (await this.#isOwn(known.presence))) this.#noted.set(agent, performance.now())
  }

  /**
   * Notes what a surface that stays knows of an agent. `pid`: of a process that ends with the agent; never that of a short
   * command. Not noted where the news is of a session or process that another one has taken the place of.
   */
  async note(agent: string, { pid, ...news }: Omit<PresenceNews, 'process'> & { readonly pid?: number }) {
    const process = pid === undefined ? undefined : await this.#tree.processes.nameOf(pid)
    const now = await this.#tree.now()
    let noted: Presence | undefined
    if (!isNotable(agent)) return undefined
    const seen = await this.seen(agent)
    if (seen) expectSpelling(agent, seen)
    await changeLeaf(this.#tree, noteOf(agent), (leaf) => {
      const { hasActed: _, ...before } = (leaf && noteIn(leaf)) ?? { name: agent }
      noted = afterNews(before.presence, { ...news, ...(process === undefined ? {} : { process }) }, now)
      return noted && bytesOf({ ...before, presence: noted })
    })
    this.#noted.delete(agent)
    return noted
  }

  /** The agents that are known to have ended, and whose belongings are not free yet. */
  async *dead(): AsyncGenerator<DeadAgent> {
    for await (const { name, presence } of this.all()) {
      if (!presence || presence.freed) continue
      const isGone = presence.state === 'gone'
      if (presence.hasEnded || (!isGone && (await this.hasEnded(presence))))
        yield { name, presence, why: 'its process has ended' }
      else if (isGone) yield { name, presence, why: 'it was noted as gone' }
    }
  }

  /**
   * Writes down that an agent is gone, or (`freed`) that what it held is free, unless something was noted of it or it has acted
   * since `seen`. Answers the note that stands now; `undefined` where the agent may be alive.
   */
  async noteGone({ name, presence: seen }: DeadAgent, { freed = false } = {}): Promise<Presence | undefined> {
    const now = await this.#tree.now()
    let gone: Presence | undefined
    await changeLeaf(
      this.#tree,
      noteOf(name),
      (leaf) => {
        const note = leaf && noteIn(leaf)
        gone = undefined
        if (!leaf || !note?.presence || !isSameNote(note.presence, seen)) return undefined
        const { doing: _, ...kept } = note.presence
        const isNoted = kept.state === 'gone'
        gone = {
          ...kept,
          ...(isNoted ? {} : { state: 'gone' as const, since: now, hasEnded: true as const }),
          seenAt: kept.seenAt ?? leaf.modifiedAt,
          ...(freed ? { freed } : {}),
        }
        return bytesOf({ ...note, presence: gone })
      },
      { fresh: true },
    )
    return gone
  }

  /** Whether the agent is still as it was when it was found to have ended. */
  async isStill({ name, presence }: DeadAgent): Promise<boolean> {
    const leaf = await readIfLeaf(this.#tree, noteOf(name), { atMost: longestNote, fresh: true })
    const now = leaf && noteIn(leaf)?.presence
    return now !== undefined && isSameNote(now, presence)
  }

  /** What is left of a note when its agent acts: it is not gone, and neither stuck. */
  async #alive(presence: Presence | undefined): Promise<{ readonly presence?: Presence }> {
    if (!presence || presence.state === 'gone' || (await this.hasEnded(presence))) return {}
    return {
      presence: presence.state === 'stuck' ? { ...presence, state: 'online', since: await this.#tree.now() } : presence,
    }
  }

  /** Whether the process that was noted is dead, as far as that is certain. */
  async hasEnded({ process }: Pick<Presence, 'process'>): Promise<boolean> {
    return process !== undefined && (await this.#tree.processes.lifeOf(process)) === 'dead'
  }

  async #isOwn({ process: noted, state }: Presence): Promise<boolean> {
    return state !== 'gone' && noted !== undefined && noted === (await this.#tree.processes.nameOf(process.pid))
  }

  /** True when `acted` would do nothing. For hot paths, where an `await` costs too much. */
  hasJustActed(agent: string): boolean {
    const before = this.#noted.get(agent)
    return before !== undefined && performance.now() - before < exactTo
  }

  /** Notes an agent that was found in files, so that the next look for it costs one read. */
  async found(agent: string): Promise<void> {
    if (isNotable(agent))
      await this.#write(() => this.#tree.create(noteOf(agent), bytesOf({ name: agent, hasActed: false })))
  }

  /** One read. `undefined` when no agent of this name, in whatever capitals, has been noted. */
  async seen(agent: string): Promise<SeenAgent | undefined> {
    const leaf = await this.#note(agent)
    const known = leaf && noteIn(leaf)
    return known && seenAgent(known, leaf)
  }

  async *all(): AsyncGenerator<SeenAgent> {
    for (const { name, kind } of await listIfFolder(this.#tree, presenceFolder)) {
      const path = isSegment(name) ? childOf(presenceFolder, name) : undefined
      // Earlier versions kept those of CIRCE and Dream.OS in folders, as leaves named like the agent.
      if (path && kind === 'folder')
        for (const old of await listIfFolder(this.#tree, path)) if (old.kind === 'leaf') yield { name: old.name }
      if (!path || kind !== 'leaf' || !name.endsWith('.json')) continue
      const leaf = await readIfLeaf(this.#tree, path, { atMost: longestNote })
      const known = leaf && noteIn(leaf)
      if (known) yield seenAgent(known, leaf)
    }
  }

  /** What people have written about an agent of this very name. Throws `BAD_AGENT_FILE` for a file with a mistake. */
  async listing(agent: string, protocols?: readonly string[]): Promise<Listing | undefined> {
    const path = listingPath(agent)
    const text = path && (await this.#listingText(path))
    if (text === undefined) return undefined
    const { parseListing } = await import('./listing.ts')
    return parseListing(text, path!, protocols)
  }

  /** The agents to which people gave further names. Reads every file, and parses few; one with a mistake is left out. */
  async *renamed(): AsyncGenerator<{ readonly name: string; readonly listing: Listing }> {
    for (const name of await this.listedNames()) {
      const text = await this.#listingText(listingPath(name)!)
      const listing = text?.includes('names') ? await unlessFailed(this.listing(name)) : undefined
      if (listing && listing.otherNames.length > 0) yield { name, listing }
    }
  }

  async #listingText(path: TreePath): Promise<string | undefined> {
    const leaf = await readIfLeaf(this.#tree, path, { atMost: longestListing })
    return leaf && Buffer.from(leaf.bytes).toString('utf8')
  }

  /** The names of the files that people wrote. */
  async listedNames(): Promise<string[]> {
    const entries = await listIfFolder(this.#tree, agentsFolder)
    return entries.flatMap(({ name, kind }) =>
      kind === 'leaf' && name.endsWith('.yaml') && isSegment(name) ? [name.slice(0, -'.yaml'.length)] : [],
    )
  }

  /** Files that a person seems to have meant for agents, and that are not read: `NAME.yml`. */
  async unreadListings(): Promise<TreePath[]> {
    const entries = await listIfFolder(this.#tree, agentsFolder)
    return entries.flatMap(({ name, kind }) =>
      kind === 'leaf' && /\.(yml|json|YAML|YML)$/.test(name) && isSegment(name) ? [childOf(agentsFolder, name)] : [],
    )
  }

  /** The agents that people have listed, under all their names. Of a file with a mistake only its own name is given. */
  async *listed(): AsyncGenerator<string> {
    yield* await this.listedNames()
    for await (const { listing } of this.renamed()) yield* listing.otherNames
  }

  async #note(agent: string): Promise<Leaf | undefined> {
    if (!isNotable(agent)) return undefined
    const leaf = await readIfLeaf(this.#tree, noteOf(agent), { atMost: longestNote })
    // A copy that lags behind could hide that the agent was taken for dead.
    const isCurrent = !leaf || noteIn(leaf)?.presence === undefined
    return isCurrent ? leaf : readIfLeaf(this.#tree, noteOf(agent), { atMost: longestNote, fresh: true })
  }

  /** Only a remark to senders depends on a note: where none can be written (another user's, a full disk) nothing else fails. */
  async #write(write: () => Promise<unknown>): Promise<void> {
    await unlessFailed(write())
  }
}

interface Acting {
  readonly anyCase?: boolean
  readonly home?: string
}

interface Act extends Acting {
  /** What is left of its presence. */
  readonly presence?: Presence
}

interface Note extends Pick<SeenAgent, 'name' | 'anyCase' | 'home' | 'in' | 'presence'> {
  /** False for an agent that was only found in files. */
  readonly hasActed?: boolean
}

/**
 * What is noted once this agent has acted; `undefined` where that is noted already. The first spelling and the first home stay;
 * an agent that was only found in files has none yet.
 */
function afterAct(before: Note | undefined, agent: string, { anyCase = false, home, presence }: Act): Note | undefined {
  const isSpelt = before !== undefined && !before.anyCase && before.hasActed !== false
  const firstHome = before?.home ?? home
  const seenIn = [...new Set([...(before?.in ?? []), ...(home?.split(':', 1) ?? [])])]
  const note: Note = {
    ...(isSpelt ? { name: before.name } : { name: agent, ...(anyCase ? { anyCase } : {}) }),
    ...(firstHome === undefined ? {} : { home: firstHome }),
    ...(seenIn.length === 0 ? {} : { in: seenIn }),
    ...(presence ? { presence } : {}),
  }
  return JSON.stringify(note) === JSON.stringify(before) ? undefined : note
}

const bytesOf = (note: Note): Buffer => Buffer.from(`${JSON.stringify(note)}\n`)

function noteIn({ bytes }: Pick<Leaf, 'bytes'>): Note | undefined {
  try {
    const {
      name,
      hasActed,
      anyCase,
      home,
      in: seenIn,
      presence: said,
    } = JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, unknown>
    if (typeof name !== 'string' || !isNotable(name)) return undefined
    const presence = presenceIn(said)
    return {
      name,
      ...(hasActed === false ? { hasActed } : {}),
      ...(anyCase === true ? { anyCase } : {}),
      ...(typeof home === 'string' ? { home } : {}),
      ...(Array.isArray(seenIn) && seenIn.every((one) => typeof one === 'string') ? { in: seenIn } : {}),
      ...(presence ? { presence } : {}),
    }
  } catch {
    // Not JSON, or null.
    return undefined
  }
}

const seenAgent = ({ hasActed, ...note }: Note, { modifiedAt }: Leaf): SeenAgent =>
  hasActed === false ? note : { ...note, lastSeenAt: note.presence?.seenAt ?? modifiedAt }

/** The same process and session in the same state. */
const isSameNote = (one: Presence, other: Presence): boolean =>
  one.state === other.state &&
  one.since === other.since &&
  one.process === other.process &&
  one.session === other.session

const noteOf = (agent: string): TreePath => childOf(presenceFolder, `${agent.toLowerCase()}.json`)

/** The agent's name can be that of a file. */
const isNotable = (agent: string): boolean =>
  agent !== '' && agent.length <= 200 && isSegment(`${agent}.json`) && !agent.startsWith('.')

/** Throws `SAME_BUT_FOR_CASE` where a name is that of a known agent in other capitals. */
export function expectSpelling(agent: string, { name, anyCase }: SeenAgent): void {
  if (name !== agent && !anyCase && name.toLowerCase() === agent.toLowerCase()) throw differsByCase(agent, name)
}

/** The one error for a name that is a known one in other capitals. */
export const differsByCase = (agent: string, known: string): SignalboxError =>
  conflict('SAME_BUT_FOR_CASE', `${agent} differs by case alone from ${known}, who has been seen.`, {
    hint: `Use ${known}, or another name.`,
    details: { agent, other: known },
  })

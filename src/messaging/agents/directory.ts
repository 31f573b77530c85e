/**
 * The agents of a workspace, one list for all protocols. An agent is on it once it has acted (sent, claimed, registered) or a
 * person has listed it. A message to a name is not enough, since a mistyped name looks just like a new one.
 *
 *   .signalbox/agents/NAME.yaml           by people, to be committed: see `listing.ts`
 *   .signalbox/state/presence/NAME.json   {"name": "Coder-1", "home": "acmq:shop", "in": ["acmq", "mr"]}, under the name in lower
 *                                         case: where it was seen first, and the protocols it has acted in. Its time is when it
 *                                         last acted.
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

export const presenceFolder = stateOf('presence')
export const agentsFolder = childOf(workspaceHome, 'agents')

interface SeenAgent {
  readonly name: string
  /** The name also means its other spellings. */
  readonly anyCase?: boolean
  /** Where it was seen first: `mr`, `acmq:shop`. */
  readonly home?: string
  /** The protocols that it has acted in, as far as that was noted. */
  readonly in?: readonly string[]
  /** When it last acted, by the tree's time; `undefined` for an agent that was only found in files. */
  readonly lastSeenAt?: number
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
const longestNote = 1024
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
    const act = { anyCase, ...(home === undefined ? {} : { home }) }
    const note = afterAct(known, agent, act)
    await this.#write(async () => {
      if (!isNotable(agent)) return
      const isMade = note && !leaf && (await this.#tree.create(noteOf(agent), bytesOf(note))).outcome === 'created'
      if (note && !isMade) {
        await changeLeaf(this.#tree, noteOf(agent), (now) => {
          const next = afterAct(now && noteIn(now), agent, act)
          return next && bytesOf(next)
        })
      } else if (leaf && !note && (await this.#tree.now()) - leaf.modifiedAt >= exactTo) {
        await this.#tree.touch(noteOf(agent))
      }
    })
    this.#noted.set(agent, performance.now())
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
  async listing(agent: string): Promise<Listing | undefined> {
    const path = listingPath(agent)
    const leaf = path && (await readIfLeaf(this.#tree, path, { atMost: longestListing }))
    if (!leaf) return undefined
    const { parseListing } = await import('./listing.ts')
    return parseListing(Buffer.from(leaf.bytes).toString('utf8'), path)
  }

  /** The names of the files that people wrote. */
  async listedNames(): Promise<string[]> {
    const entries = await listIfFolder(this.#tree, agentsFolder)
    return entries.flatMap(({ name, kind }) =>
      kind === 'leaf' && name.endsWith('.yaml') && isSegment(name) ? [name.slice(0, -'.yaml'.length)] : [],
    )
  }

  /** The agents that people have listed, under all their names. Of a file with a mistake only its own name is given. */
  async *listed(): AsyncGenerator<string> {
    for (const name of await this.listedNames()) {
      yield name
      const listing = await unlessFailed(this.listing(name))
      yield* listing?.otherNames ?? []
    }
  }

  async #note(agent: string): Promise<Leaf | undefined> {
    return isNotable(agent) ? readIfLeaf(this.#tree, noteOf(agent), { atMost: longestNote }) : undefined
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

interface Note extends Pick<SeenAgent, 'name' | 'anyCase' | 'home' | 'in'> {
  /** False for an agent that was only found in files. */
  readonly hasActed?: boolean
}

/**
 * What is noted once this agent has acted; `undefined` where that is noted already. The first spelling and the first home stay;
 * an agent that was only found in files has none yet.
 */
function afterAct(before: Note | undefined, agent: string, { anyCase = false, home }: Acting): Note | undefined {
  const isSpelt = before !== undefined && !before.anyCase && before.hasActed !== false
  const firstHome = before?.home ?? home
  const seenIn = [...new Set([...(before?.in ?? []), ...(home?.split(':', 1) ?? [])])]
  const note: Note = {
    ...(isSpelt ? { name: before.name } : { name: agent, ...(anyCase ? { anyCase } : {}) }),
    ...(firstHome === undefined ? {} : { home: firstHome }),
    ...(seenIn.length === 0 ? {} : { in: seenIn }),
  }
  return JSON.stringify(note) === JSON.stringify(before) ? undefined : note
}

const bytesOf = (note: Note): Buffer => Buffer.from(`${JSON.stringify(note)}\n`)

function noteIn({ bytes }: Pick<Leaf, 'bytes'>): Note | undefined {
  try {
    const note = JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, unknown>
    const { name, hasActed, anyCase, home, in: seenIn } = note
    if (typeof name !== 'string' || !isNotable(name)) return undefined
    return {
      name,
      ...(hasActed === false ? { hasActed } : {}),
      ...(anyCase === true ? { anyCase } : {}),
      ...(typeof home === 'string' ? { home } : {}),
      ...(Array.isArray(seenIn) && seenIn.every((one) => typeof one === 'string') ? { in: seenIn } : {}),
    }
  } catch {
    // Not JSON, or null.
    return undefined
  }
}

const seenAgent = ({ hasActed, ...note }: Note, { modifiedAt }: Leaf): SeenAgent =>
  hasActed === false ? note : { ...note, lastSeenAt: modifiedAt }

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

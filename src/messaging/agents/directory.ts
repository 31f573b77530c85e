/**
 * The agents of a workspace, one list for all protocols. An agent is there once it has acted (sent, claimed, registered) or a
 * person has listed it; being written to is not being there, since a mistyped name looks just like a new one.
 *
 *   .signalbox/agents/NAME.yaml           by people, to be committed; `names: […]` are its names in other protocols' alphabets
 *   .signalbox/state/presence/NAME.json   {"name": "Coder-1"}, under the name in lower case. Its time is when it last acted.
 *
 * Two names that differ by case alone are one agent in two spellings, since some disks take them for one: the first spelling
 * counts, and acting under the second is refused.
 */
import { conflict, SignalboxError } from '../../kernel/errors.ts'
import { childOf, isSegment, type TreePath } from '../../kernel/tree-path.ts'
import { home, stateOf } from '../../tree/home.ts'
import type { Leaf, Tree } from '../../tree/tree.ts'
import { changeLeaf } from '../leaves/change.ts'
import { listIfFolder, readIfLeaf } from '../leaves/tolerant.ts'

export const presenceFolder = stateOf('presence')
export const agentsFolder = childOf(home, 'agents')

export interface SeenAgent {
  readonly name: string
  /** All spellings of it are meant. */
  readonly anyCase?: boolean
  /** When it last acted by the tree's time; `undefined` where only files tell that it was there. */
  readonly lastSeenAt?: number
}

/** The time of an agent's note is this exact, so that acting often costs one write a minute. */
const exactTo = 60_000
/** Notes and listings of agents are short; what is longer was written by strangers. */
const longestNote = 1024
const longestListing = 64 * 1024

export class AgentDirectory {
  readonly #tree: Tree
  /** Whom this process has noted, and when by `performance.now()`. */
  readonly #noted = new Map<string, number>()

  constructor(tree: Tree) {
    this.#tree = tree
  }

  /**
   * This agent acts now. Refuses (`SAME_BUT_FOR_CASE`) a name that is a known one in other capitals. `anyCase`: said in a
   * protocol to which all spellings are one, so that this one stands for none.
   */
  async acted(agent: string, { anyCase = false } = {}): Promise<void> {
    if (this.hasJustActed(agent)) return
    const leaf = await this.#note(agent)
    const known = leaf && noteIn(leaf)
    if (known && !anyCase) expectSpelling(agent, known)
    await this.#write(async () => {
      const isFirst = !known || known.hasActed === false || (known.anyCase === true && !anyCase)
      if (isFirst) await this.#put(agent, { name: agent, ...(anyCase ? { anyCase } : {}) })
      else if ((await this.#tree.now()) - leaf!.modifiedAt >= exactTo) await this.#tree.touch(noteOf(agent))
    })
    this.#noted.set(agent, performance.now())
  }

  /** `acted` would do nothing. For a caller to which an `await` for nothing is dear. */
  hasJustActed(agent: string): boolean {
    const before = this.#noted.get(agent)
    return before !== undefined && performance.now() - before < exactTo
  }

  /** Files tell that this agent has been there: the next look for it costs one read. */
  async found(agent: string): Promise<void> {
    await this.#write(() => this.#put(agent, { name: agent, hasActed: false }))
  }

  /** One look. `undefined` when nobody of this name, in whatever capitals, has been noted. */
  async seen(agent: string): Promise<SeenAgent | undefined> {
    const leaf = await this.#note(agent)
    const known = leaf && noteIn(leaf)
    return known && seenAgent(known, leaf)
  }

  /** Everybody who has been noted. */
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

  /** Whom people have listed, under all names that they have. */
  async *listed(): AsyncGenerator<string> {
    for (const { name, kind } of await listIfFolder(this.#tree, agentsFolder)) {
      if (kind !== 'leaf' || !name.endsWith('.yaml') || !isSegment(name)) continue
      yield name.slice(0, -'.yaml'.length)
      yield* await this.#namesIn(childOf(agentsFolder, name))
    }
  }

  async #namesIn(path: TreePath): Promise<readonly string[]> {
    const leaf = await readIfLeaf(this.#tree, path, { atMost: longestListing + 1 })
    if (!leaf || leaf.size > longestListing) return []
    const { readHeaderYaml } = await import('../../formats/header-yaml.ts')
    try {
      const names = readHeaderYaml(Buffer.from(leaf.bytes).toString('utf8'), 1).get('names')?.value
      return Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : []
    } catch (error) {
      // Not YAML: only its further names are lost, and whoever wrote it can see why nothing comes of them.
      if (error instanceof SignalboxError) return []
      throw error
    }
  }

  #note(agent: string): Promise<Leaf | undefined> {
    return isNotable(agent)
      ? readIfLeaf(this.#tree, noteOf(agent), { atMost: longestNote })
      : Promise.resolve(undefined)
  }

  async #put(agent: string, note: Note): Promise<void> {
    if (!isNotable(agent)) return
    await changeLeaf(this.#tree, noteOf(agent), (leaf) => {
      const before = leaf && noteIn(leaf)
      // Who acted under another spelling in the same moment keeps it; and who has acted is not only found.
      const isLess = before && !before.anyCase && before.name !== note.name
      return isLess || (before && note.hasActed === false) ? undefined : Buffer.from(`${JSON.stringify(note)}\n`)
    })
  }

  /** Only a remark to senders depends on a note: where none can be written (another user's, a full disk) nothing else fails. */
  async #write(write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error
    }
  }
}

interface Note extends Pick<SeenAgent, 'name' | 'anyCase'> {
  /** False where only files tell of the agent. */
  readonly hasActed?: boolean
}

function noteIn({ bytes }: Pick<Leaf, 'bytes'>): Note | undefined {
  try {
    const { name, hasActed, anyCase } = JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, unknown>
    if (typeof name !== 'string' || !isNotable(name)) return undefined
    return { name, ...(hasActed === false ? { hasActed } : {}), ...(anyCase === true ? { anyCase } : {}) }
  } catch {
    // Not JSON, or null.
    return undefined
  }
}

const seenAgent = ({ hasActed, ...note }: Note, { modifiedAt }: Leaf): SeenAgent =>
  hasActed === false ? note : { ...note, lastSeenAt: modifiedAt }

const noteOf = (agent: string): TreePath => childOf(presenceFolder, `${agent.toLowerCase()}.json`)

/** Fit to be the name of a file, with its ending. */
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

/**
 * Names in protocols whose alphabet lacks some of their letters: `Coder.1` is `coder-1` in Message Routing. Each is written down
 * when it is first needed, so that it means the same agent for good:
 *
 *   .signalbox/state/bridge/names/PROTOCOL/coder-1.json   {"agent": "Coder.1"}
 */
import { sha256 } from '../formats/digest.ts'
import { parseJson } from '../formats/json.ts'
import { SignalboxError } from '../kernel/errors.ts'
import { childOf, isSegment, type TreePath } from '../kernel/tree-path.ts'
import { readIfLeaf } from '../messaging/leaves/tolerant.ts'
import type { Tree } from '../tree/tree.ts'
import type { Member } from './bus.ts'
import { bridgeFolder } from './carry-notes.ts'

const longestNote = 4096

export class FittedNames {
  readonly #tree: Tree

  constructor(tree: Tree) {
    this.#tree = tree
  }

  /** What an agent is called in a protocol whose alphabet its own name may not fit. */
  async nameFor({ name: protocol, neutral }: Pick<Member, 'name' | 'neutral'>, agent: string): Promise<string> {
    if (neutral.isAgentName(agent)) return agent
    const plain = plainName(agent)
    // Two agents whose names fit to the same letters are told apart by a digest.
    for (const fitted of [plain, `${plain.slice(0, 40)}-${sha256(agent).slice(0, 8)}`]) {
      await this.#tree.create(pathOf(protocol, fitted), `${JSON.stringify({ agent })}\n`)
      if ((await this.agentFor(protocol, fitted)) === agent) return fitted
    }
    return plain
  }

  /** The agent that a fitted name was made for; `undefined` for a name that is its own. */
  async agentFor(protocol: string, fitted: string): Promise<string | undefined> {
    if (!isSegment(`${fitted}.json`)) return undefined
    const leaf = await readIfLeaf(this.#tree, pathOf(protocol, fitted), { atMost: longestNote })
    try {
      const { agent } = (leaf ? parseJson(leaf.bytes) : {}) as { readonly agent?: unknown }
      return typeof agent === 'string' ? agent : undefined
    } catch (error) {
      // A stranger's leaf that is no JSON names nobody.
      if (!(error instanceof SignalboxError)) throw error
      return undefined
    }
  }
}

const pathOf = (protocol: string, fitted: string): TreePath =>
  childOf(childOf(childOf(bridgeFolder, 'names'), protocol), `${fitted}.json`)

/** Letters that every protocol takes. */
function plainName(agent: string): string {
  const letters = agent.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '')
  const plain = letters.replace(/[^a-z0-9_-]+/g, '-').replace(/^[-_]+|[-_]+$/g, '')
  return plain === '' ? `agent-${sha256(agent).slice(0, 8)}` : plain.slice(0, 48)
}

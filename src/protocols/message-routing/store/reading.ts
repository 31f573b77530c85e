/** The message in a file that lies in an agent's folder: ours, or another program's in the form that it writes. */
import { largestRead, parseMessage } from '../format.ts'
import { judgeFile } from '../judge.ts'
import type { AgentId, Folder } from '../layout.ts'
import type { MrMessage } from '../schema.ts'
import { pathIn, type RoutingParts } from './parts.ts'

type Compat = typeof import('../compat.ts')

/** How other programs write, loaded when somebody meets them: most workspaces never do. */
export class Foreign {
  #known: Compat | undefined

  /** `undefined` before somebody has loaded it. */
  get known(): Compat | undefined {
    return this.#known
  }

  async load(): Promise<Compat> {
    this.#known ??= await import('../compat.ts')
    return this.#known
  }
}

/** What lies under a name in a folder of an agent; `undefined` when that is gone, or no message. */
export async function readMessage(
  parts: RoutingParts,
  agent: AgentId,
  folder: Folder,
  fileName: string,
): Promise<MrMessage | undefined> {
  const leaf = await parts.tree.read(pathIn(parts, agent, folder, fileName), { atMost: largestRead + 1 })
  return leaf && messageIn(parts, leaf.bytes, { agent, fileName })
}

export async function messageIn(
  { foreign, settings }: RoutingParts,
  bytes: Uint8Array,
  where: { readonly agent: AgentId; readonly fileName: string },
): Promise<MrMessage | undefined> {
  const parsed = parseMessage(bytes)
  if (parsed.outcome === 'message') return parsed.message
  const { convert } = await foreign.load()
  const { largestMessage } = settings
  const judged = judgeFile(bytes, { ...where, size: bytes.length, largestMessage, convert })
  return judged.outcome === 'message' ? judged.message : undefined
}

/** The message in a file that lies in an agent's folder: ours, or another program's in the form that it writes. */
import { parseMessage } from '../format.ts'
import { judgeFile } from '../judge.ts'
import type { AgentId } from '../layout.ts'
import type { MrMessage } from '../schema.ts'
import type { RoutingParts } from './parts.ts'

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

/** The message in a file that lies in an agent's folder: ours or, where `compat` is prepared, another program's. */
import { parseMessage } from '../format.ts'
import { judgeFile } from '../judge.ts'
import type { AgentId } from '../layout.ts'
import type { MrMessage } from '../schema.ts'
import type { RoutingParts } from './parts.ts'

export function messageIn(
  { hooks, settings }: RoutingParts,
  bytes: Uint8Array,
  where: { readonly agent: AgentId; readonly fileName: string },
): MrMessage | undefined {
  const parsed = parseMessage(bytes)
  if (parsed.outcome === 'message') return parsed.message
  const convert = hooks.convert?.bind(hooks)
  if (!convert) return undefined
  const { largestMessage } = settings
  const judged = judgeFile(bytes, { ...where, size: bytes.length, largestMessage, convert })
  return judged.outcome === 'message' ? judged.message : undefined
}

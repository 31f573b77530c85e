/** Answering another program in the form that it writes: the message that is answered shows which form that is. */
import { parseJson } from '../../../formats/json.ts'
import { notFound, SignalboxError } from '../../../kernel/errors.ts'
import { type AgentId, isMessageId, stemOf } from '../layout.ts'
import type { MrMessage } from '../schema.ts'
import { messageNames, pathIn, type RoutingParts } from './parts.ts'
import { messageIn } from './reading.ts'

export interface Original {
  /** The id by which it is known here. */
  readonly id: string
  /** As its sender wrote it. */
  readonly fields: Readonly<Record<string, unknown>>
  /** As the specification would have it. */
  readonly message: MrMessage
}

/**
 * What an agent has taken, or could take, under this id: ours or theirs. `undefined` when it is as the specification has
 * it, or not there any more: then the answer is as the specification has it too.
 */
export async function originalOf(parts: RoutingParts, agent: AgentId, id: string): Promise<Original | undefined> {
  const idOf = (stem: string) => parts.hooks.answers?.idOf(stem) ?? stem
  for (const folder of ['taken', 'inbox'] as const) {
    for (const name of await messageNames(parts, agent, folder)) {
      const stem = stemOf(name)
      if (stem !== id && idOf(stem) !== id) continue
      const leaf = await parts.tree.read(pathIn(parts, agent, folder, name))
      const fields = leaf && fieldsIn(leaf.bytes)
      const message = leaf && messageIn(parts, leaf.bytes, { agent, fileName: name })
      if (!fields || !message) continue
      const deviates = (parts.hooks.convert?.(fields, { agent, fileName: name }).notes.length ?? 0) > 0
      return deviates ? { id: idOf(stem), fields, message } : undefined
    }
  }
  // What is no id in any form is left to whoever checks ids.
  if (isMessageId(id) || idOf(id) === id) return undefined
  throw notFound('NO_SUCH_MESSAGE', `${agent} has no message ${id} to answer.`, {
    hint: `See what there is: signalbox mr taken ${agent}`,
    details: { agent, id },
  })
}

function fieldsIn(bytes: Uint8Array): Original['fields'] | undefined {
  try {
    const value = parseJson(bytes)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch (error) {
    // Damaged since it was taken: there is no form to learn from it.
    if (error instanceof SignalboxError) return undefined
    throw error
  }
}

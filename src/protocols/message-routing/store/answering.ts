/** Answering another program in its own form, which the message that is answered shows. */
import { denied, type SignalboxError } from '../../../kernel/errors.ts'
import { nameBefore } from '../../../messaging/quarantine/quarantine.ts'
import { jsonIn } from '../format.ts'
import { type Rejection, rejected } from '../hooks.ts'
import { type AgentId, isMessageId, stemOf } from '../layout.ts'
import { isObject, type MrMessage } from '../schema.ts'
import { messageNames, pathIn, type RoutingParts } from './parts.ts'
import { leafAt, messageIn, noSuchMessage } from './reading.ts'

export interface Original {
  /** Our id of it. */
  readonly id: string
  /** As its sender wrote it. */
  readonly fields: Readonly<Record<string, unknown>>
  /** In the form of the specification. */
  readonly message: MrMessage
}

/**
 * The message with this id, ours or the other program's, that an agent has taken or could take. `undefined` when it is in the form
 * of the specification, or not there any more: then the answer is in that form too.
 */
export async function originalOf(parts: RoutingParts, agent: AgentId, id: string): Promise<Original | undefined> {
  const { idOfStem: idOf, convert } = await parts.foreign.load()
  let refused: SignalboxError | undefined
  for (const folder of ['taken', 'inbox'] as const) {
    for (const name of await messageNames(parts, agent, folder)) {
      const stem = stemOf(nameBefore(name))
      if (stemOf(name) !== id && stem !== id && idOf(stem) !== id) continue
      const leaf = await leafAt(parts, pathIn(parts, agent, folder, name))
      const fields = leaf && jsonIn(leaf.bytes)
      const message = leaf && (await messageIn(parts, leaf.bytes, { agent, fileName: name }))
      // A file that was damaged since it was taken shows no form.
      if (!isObject(fields) || !message) continue
      const forgery = await forgeryUnder(parts, agent, idOf(stem), message)
      // A forgery must not decide the form: an answer in another program's form is neither signed nor encrypted.
      if (forgery) {
        refused ??= notAnswered(id, forgery)
        continue
      }
      return convert(fields).notes.length > 0 ? { id: idOf(stem), fields, message } : undefined
    }
  }
  // The caller refuses a text that is an id in no form.
  if (isMessageId(id) || idOf(id) === id) return undefined
  throw refused ?? noSuchMessage(agent, id, `${agent} has no message ${id} to answer.`)
}

/** Why a message must not be answered: it is forged, or its id is not the one of its file name. */
export async function forgeryUnder(
  { hooks }: RoutingParts,
  agent: AgentId,
  id: string,
  message: MrMessage,
): Promise<Rejection | undefined> {
  if (!hooks.verify) return undefined
  return message.msg_id === id
    ? hooks.verify(agent, message)
    : rejected('NAME_MISMATCH', `The file of ${id} holds the message ${message.msg_id}`)
}

export const notAnswered = (id: string, { code, issues }: Rejection): SignalboxError =>
  denied('FORGED_MESSAGE', `Message ${id} is not answered: ${issues.join(' ')}.`, {
    hint: 'Ask its sender whether it comes from there; receiving sets it aside.',
    details: { id, reason: code },
  })

/**
 * Payloads that only their recipient can read.
 *
 * On disk the payload stays an object, as the schema demands: `{"encrypted": "age", "ciphertext": "-----BEGIN AGE …"}`. The
 * ciphertext holds the payload with sender, recipient and id, so that no agent can send another agent's ciphertext as its own.
 * See docs/decisions/0021-encrypted-payloads.md.
 */
import { parseJson } from '../../../formats/json.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import { type Opened, type Rejection, rejected } from '../hooks.ts'
import { isObject, type MrMessage, type Payload } from '../schema.ts'
import { printCanonical } from './canonical.ts'

/** What is needed of age; an adapter provides it. */
export interface Sealing {
  /** Takes long the first time. */
  load(): Promise<void>
  makeKeys(): Promise<{ readonly identity: string; readonly recipient: string }>
  recipientOf(identity: string): Promise<string>
  seal(text: string, recipient: string): Promise<string>
  open(
    sealed: string,
    identity: string,
  ): Promise<
    { readonly outcome: 'opened'; readonly text: string } | { readonly outcome: 'refused'; readonly reason: string }
  >
}

export interface SealedPayload extends Payload {
  readonly encrypted: 'age'
  /** In age's text form (armor). */
  readonly ciphertext: string
}

/** The fields of such a payload can be checked only after it was decrypted. */
export const isSealed = (payload: Payload): payload is SealedPayload =>
  payload.encrypted === 'age' && typeof payload.ciphertext === 'string'

export async function sealPayload(message: MrMessage, recipient: string, sealing: Sealing): Promise<MrMessage> {
  const { from, to, msg_id, payload } = message
  const ciphertext = await sealing.seal(printCanonical({ from, to, msg_id, payload }), recipient)
  const sealed: SealedPayload = { encrypted: 'age', ciphertext }
  return { ...message, payload: sealed }
}

/** The message with its payload in clear. */
export async function openPayload(
  message: MrMessage,
  { ciphertext }: SealedPayload,
  identity: string,
  sealing: Sealing,
): Promise<Opened | Rejection> {
  const opened = await sealing.open(ciphertext, identity)
  if (opened.outcome === 'refused')
    return rejected('NOT_OPENED', `The payload cannot be decrypted with the key of ${message.to}: ${opened.reason}`)
  const inside = contentOf(opened.text)
  if (!inside) return rejected('NOT_OPENED', 'What was encrypted is not the payload of a message')
  const foreign = (['from', 'to', 'msg_id'] as const).find((name) => inside[name] !== message[name])
  if (foreign)
    return rejected('NOT_OPENED', `The payload was encrypted for another message: its \`${foreign}\` is another one`)
  return { outcome: 'opened', message: { ...message, payload: inside.payload as Payload } }
}

function contentOf(text: string): Payload | undefined {
  try {
    const value = parseJson(text, { onDuplicate: 'refuse' })
    if (!isObject(value)) return undefined
    return isObject(value.payload) ? value : undefined
  } catch (error) {
    if (error instanceof SignalboxError && error.code === 'BAD_JSON') return undefined
    throw error
  }
}

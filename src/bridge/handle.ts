/**
 * How a message is named outside of its protocol. Pure.
 *
 *   acmq:shop:a1b2c3d4     handle: protocol, place where the protocol has some, id or the beginning of it
 *   acmq:shop:a1b2c3d4@2   receipt: the same with the claim on it, here the second one
 */
import type { HeldBy } from '../kernel/envelope.ts'
import { invalidInput } from '../kernel/errors.ts'

export interface NamedMessage {
  /** Without one, any protocol is meant. */
  readonly protocol?: string
  /** What follows: the id, perhaps with the place before it. */
  readonly rest: string
}

export function parseHandle(text: string, protocols: readonly string[]): NamedMessage {
  const end = text.indexOf(':')
  const protocol = end < 0 ? undefined : text.slice(0, end)
  return protocol !== undefined && protocols.includes(protocol)
    ? { protocol, rest: text.slice(end + 1) }
    : { rest: text }
}

/** A claim without a number, as of protocols that hand a message out once, is the first. */
export const printReceipt = (handle: string, { attempt = 1 }: Pick<HeldBy, 'attempt'>): string => `${handle}@${attempt}`

export function parseReceipt(text: string): { readonly handle: string; readonly attempt: number } {
  const [, handle, attempt] = /^(.+)@([1-9]\d{0,8})$/.exec(text) ?? []
  if (handle !== undefined) return { handle, attempt: Number(attempt) }
  throw invalidInput('NO_RECEIPT', `${JSON.stringify(text.slice(0, 80))} is no receipt.`, {
    hint: 'Give what `take` printed, such as acmq:shop:a1b2c3d4@1.',
    details: { receipt: text.slice(0, 400) },
  })
}

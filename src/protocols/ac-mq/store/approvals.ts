/** Messages that wait until a person has seen them. AC-MQ §11.2. */
import { conflict } from '../../../kernel/errors.ts'
import type { Overview } from './overview.ts'
import type { Policy } from './policy.ts'
import type { AcmqViewWithBody } from './view.ts'

/** A message that waits for a person, and the pattern of the policy that holds it back. */
export interface HeldMessage {
  readonly message: AcmqViewWithBody
  readonly pattern: string
  /** Names what a person is shown of it. */
  readonly digest: string
}

export async function* eachHeld(policy: Policy, overview: Overview): AsyncGenerator<HeldMessage> {
  if (!(await policy.isThere())) return
  for await (const one of overview.each('pending')) {
    if ('reason' in one) continue
    const message = await overview.show(one.id)
    const pattern = await policy.holding(message, message.body)
    if (pattern !== undefined) yield { message, pattern, digest: await policy.shown(message, message.body) }
  }
}

/** The message, if a person can still approve or deny it. */
export function expectWaiting(message: AcmqViewWithBody): AcmqViewWithBody {
  const { id, state } = message
  if (state === 'pending') return message
  throw conflict('WRONG_STATE', `Message ${id} is in ${state}; it does not wait for an approval.`, {
    hint: 'See what waits: signalbox human list',
    details: { id },
  })
}

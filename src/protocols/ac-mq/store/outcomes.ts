/** The outcomes of claiming and settling, and the errors about claims. */
import { call, inputs } from '../../../kernel/call.ts'
import { conflict } from '../../../kernel/errors.ts'
import type { Holding } from '../../../messaging/claims/claim.ts'
import type { Durability } from '../../../tree/tree.ts'
import type { AcmqRecord, QueueName } from '../schema.ts'
import type { AcmqView, AcmqViewWithBody } from './view.ts'

export interface Blocked {
  readonly id: string
  readonly summary: string
  readonly to: string
  readonly reason: string
}

export type Claimed =
  | {
      readonly outcome: 'claimed'
      readonly message: AcmqViewWithBody
      readonly until: number
      readonly durability: Durability
      /** The agent held the message before, and claimed it once more. */
      readonly isHeldBefore?: true
    }
  | { readonly outcome: 'nothing'; readonly blocked: readonly Blocked[] }

export interface Settled<Outcome extends string> {
  readonly outcome: Outcome
  readonly message: AcmqView
  readonly durability: Durability
}

export type { Holding }

/** The id of a message, or the message as it was claimed, whose name saves a search. */
export type MessageRef = string | Pick<AcmqView, 'id' | 'name'>

/** Why an agent may not have a message now. Not always a promise, because an `await` costs as much as a system call. */
export type Judge = (record: AcmqRecord, body: string) => Promise<string | undefined> | undefined

type Told = Pick<AcmqRecord, 'id' | 'summary' | 'to'>

export const blockedAs = ({ id, summary, to }: Told, reason: string): Blocked => ({ id, summary, to, reason })

export const notClaimed = ({ id, to }: Pick<AcmqRecord, 'id' | 'to'>, mission: string, { agent }: Holding) =>
  conflict('NOT_CLAIMED', `Message ${id} waits in pending, for ${to}: nobody has claimed it.`, {
    hint: `Claim it first: ${call('acmq claim', { mission, id, as: agent })}`,
    details: { id, to, agent },
  })

export const notYours = ({ id, to }: Pick<AcmqRecord, 'id' | 'to'>, agent: string) =>
  conflict('NOT_YOUR_MESSAGE', `Message ${id} is for ${to}, not for ${agent}.`, {
    hint: `Act as ${to} if that is who you are: ${inputs({ as: to })}`,
    details: { id, to, agent },
  })

export const wrongState = (id: string, queue: QueueName, verb: string) =>
  conflict('WRONG_STATE', `Message ${id} is in ${queue}; there is nothing to ${verb}.`, {
    hint: `Look at it first: ${call('acmq show', { mission: 'MISSION', id: 'ID' })}`,
    details: { id, queue },
  })

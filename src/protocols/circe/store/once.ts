/**
 * Sending under a key of the sender's: repeating it sends once. What is staged is the message as it will lie in `NEW_MESSAGES/`;
 * any process can move it there (`publish` in `moving.ts`).
 */

import { digestOf } from '../../../formats/digest.ts'
import { SendingOnce } from '../../../messaging/sending-once/sending-once.ts'
import type { Tree } from '../../../tree/tree.ts'
import { sentPath, stagedPath } from '../layout.ts'
import type { CirceSendInput } from './outcomes.ts'

export const sendingOnce = (tree: Tree): SendingOnce =>
  new SendingOnce(tree, { notes: sentPath, staged: stagedPath, ending: '.md' })

/** Each sender has keys of its own. No name of an agent has a blank in it. */
export const keyOf = (from: string, key: string): string => `${from.toLowerCase()} ${key}`

/** Of all that a sender says. Name and time are given to it. */
export const inputDigest = (input: CirceSendInput): string => digestOf(JSON.stringify(input))

/**
 * Sending under a key that the sender chose: repeating the key sends once. The staged file is the message as it will lie in
 * `NEW_MESSAGES/`, so that any process can move it there (`publish` in `moving.ts`).
 */
import { digestOf } from '../../../formats/digest.ts'
import { SendingOnce } from '../../../messaging/sending-once/sending-once.ts'
import type { Tree } from '../../../tree/tree.ts'
import { sentPath, stagedPath } from '../layout.ts'
import type { CirceSendInput } from './outcomes.ts'

export const sendingOnce = (tree: Tree): SendingOnce =>
  new SendingOnce(tree, { notes: sentPath, staged: stagedPath, ending: '.md' })

/** Each sender has its own keys. The blank separates: no name of an agent has one. */
export const keyOf = (from: string, key: string): string => `${from.toLowerCase()} ${key}`

/** Of what the sender gave, without the time and the file name that sending adds. */
export const inputDigest = (input: CirceSendInput): string => digestOf(JSON.stringify(input))

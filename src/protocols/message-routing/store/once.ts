/**
 * Sending under a key of the sender's: repeating it sends once. What is staged is the file as it will lie in the inbox, number
 * and seal included, so that another process can move it there without the sender's keys.
 *
 *   .signalbox/state/delivery/mr/sent/{sender}.{key}.json
 *   .signalbox/state/delivery/mr/staged/{sender}.{key}~{random}.json
 */
import { childOf } from '../../../kernel/tree-path.ts'
import { SendingOnce } from '../../../messaging/sending-once/sending-once.ts'
import { stateOf } from '../../../tree/home.ts'
import type { Tree } from '../../../tree/tree.ts'
import { type Draft, example } from '../draft.ts'
import { printMessage } from '../format.ts'

const home = childOf(stateOf('delivery'), 'mr')

export const sendingOnce = (tree: Tree): SendingOnce =>
  new SendingOnce(tree, { notes: childOf(home, 'sent'), staged: childOf(home, 'staged'), ending: '.json' })

/** Each sender has keys of its own. */
export const keyOf = ({ from }: Pick<Draft, 'from'>, key: string): string => `${from}.${key}`

/** Of all that a sender says. Id, number and time are given to it. */
export const digestOf = (draft: Draft): string =>
  process.getBuiltinModule('node:crypto').hash('sha256', printMessage(draft.stamped(example)), 'base64url')

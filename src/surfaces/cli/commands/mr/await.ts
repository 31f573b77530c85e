import { mrAwait } from '../../../../operations/mr/await.ts'
import { ageOf } from '../../ages.ts'
import { commandFace } from '../../command.ts'
import { noticeLines } from '../../notices.ts'
import { messageText } from './message-text.ts'

export const awaitFace = commandFace(
  mrAwait,
  (replied, screen) => {
    if (replied.outcome === 'received') return messageText(replied.message, replied.message.record, [], screen)
    return replied.waitedMs === 0 ? 'No reply yet.\n' : `No reply within ${ageOf(replied.waitedMs / 1000)}.\n`
  },
  { aside: noticeLines },
)

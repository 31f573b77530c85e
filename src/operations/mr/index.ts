/** What can be asked of Message Routing, in the order in which one meets it. */
import type { Operation } from '../define.ts'
import { mrAck, mrUnacked } from './ack.ts'
import { mrAwait } from './await.ts'
import { mrBroadcast } from './broadcast.ts'
import { mrInit } from './init.ts'
import { mrEvicted, mrRejected, mrTaken } from './kept.ts'
import { mrKeys } from './keys.ts'
import { mrReceive } from './receive.ts'
import { mrRecover } from './recover.ts'
import { mrSend } from './send.ts'
import { mrMetrics, mrStatus } from './status.ts'
import { mrValidate } from './validate.ts'

export const operations: readonly Operation[] = [
  mrInit,
  mrSend,
  mrReceive,
  mrAck,
  mrUnacked,
  mrBroadcast,
  mrAwait,
  mrValidate,
  mrStatus,
  mrMetrics,
  mrTaken,
  mrEvicted,
  mrRejected,
  mrRecover,
  mrKeys,
]

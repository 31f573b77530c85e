/** What can be asked of CIRCE, in the order in which one meets it. */
import type { Operation } from '../define.ts'
import { circeAnswer } from './answer.ts'
import { circeCheck } from './check.ts'
import { circeClaim, circeInbox } from './claim.ts'
import { circeAck, circeDone, circeStart } from './handle.ts'
import { circeInit } from './init.ts'
import { circeLog } from './log.ts'
import { circeSend } from './send.ts'
import { circeRelease, circeStatus, circeTasks } from './tasks.ts'

export const operations: readonly Operation[] = [
  circeInit,
  circeSend,
  circeInbox,
  circeClaim,
  circeStart,
  circeAck,
  circeDone,
  circeRelease,
  circeTasks,
  circeCheck,
  circeStatus,
  circeLog,
  circeAnswer,
]

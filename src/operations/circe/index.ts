/** What can be asked of CIRCE, in the order in which one meets it. */
import type { Operation } from '../define.ts'
import { circeAnswer } from './answer.ts'
import { circeCheck } from './check.ts'
import { circeClaim } from './claim.ts'
import { circeAck, circeDone, circeStart } from './handle.ts'
import { circeInbox } from './inbox.ts'
import { circeInit } from './init.ts'
import { circeLog } from './log.ts'
import { circeRelease } from './release.ts'
import { circeSend } from './send.ts'
import { circeStatus } from './status.ts'
import { circeTasks } from './tasks.ts'

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

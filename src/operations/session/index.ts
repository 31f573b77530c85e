/** What can be asked of sessions, in the order in which one meets it. */
import type { Operation } from '../define.ts'
import { sessionInbox } from './inbox.ts'
import { sessionLocks, sessionLog } from './look.ts'
import { sessionSay, sessionTranslate } from './say.ts'
import { sessionChat, sessionServeStdio } from './serve.ts'
import { sessionEnd, sessionList, sessionStart } from './sessions.ts'
import { sessionWork } from './work.ts'

export const operations: readonly Operation[] = [
  sessionStart,
  sessionSay,
  sessionTranslate,
  sessionChat,
  sessionServeStdio,
  sessionInbox,
  sessionWork,
  sessionLocks,
  sessionLog,
  sessionList,
  sessionEnd,
]

/** What can be asked of sessions, in the order in which one meets it. */
import type { Operation } from '../define.ts'
import { sessionEnd } from './end.ts'
import { sessionInbox } from './inbox.ts'
import { sessionList } from './list.ts'
import { sessionLocks } from './locks.ts'
import { sessionLog } from './log.ts'
import { sessionSay } from './say.ts'
import { sessionChat, sessionServeStdio } from './serve.ts'
import { sessionStart } from './start.ts'
import { sessionTranslate } from './translate.ts'
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

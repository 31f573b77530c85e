/** What can be asked of Dream.OS, in the order in which one meets it. */
import type { Operation, OperationGroup } from '../define.ts'
import { dreamReflect, dreamReport, dreamState, supervisorShow } from './documents.ts'
import { governanceAdd, governanceQuery } from './governance.ts'
import {
  mailboxClaim,
  mailboxCompact,
  mailboxHeartbeat,
  mailboxInit,
  mailboxList,
  mailboxRelease,
} from './mailbox-life.ts'
import { mailboxDone, mailboxNext, mailboxSend } from './mailbox-messages.ts'
import { dreamCompleted, dreamPlan, dreamTasks } from './plan.ts'
import { promptAsk, promptFetch, promptRender, promptStage } from './prompt.ts'
import { dreamRoute } from './route.ts'
import { taskDone, taskInbox, taskSend, taskTake } from './task.ts'

export const operations: readonly (Operation | OperationGroup)[] = [
  {
    name: 'mailbox',
    summary: 'Shared mailboxes: claim one, send, get the next message, say what came of it.',
    alone: 'list',
    members: [
      mailboxInit,
      mailboxClaim,
      mailboxHeartbeat,
      mailboxSend,
      mailboxNext,
      mailboxDone,
      mailboxRelease,
      mailboxCompact,
      mailboxList,
    ],
  },
  {
    name: 'task',
    summary: 'Inboxes of agents: send, list, take, finish.',
    members: [taskSend, taskInbox, taskTake, taskDone],
  },
  dreamRoute,
  dreamPlan,
  dreamTasks,
  dreamCompleted,
  {
    name: 'prompt',
    summary: 'The bridge to a model: prompts from templates, and responses.',
    members: [promptRender, promptStage, promptFetch, promptAsk],
  },
  { name: 'governance', summary: 'The log of significant events.', members: [governanceAdd, governanceQuery] },
  dreamReflect,
  dreamReport,
  dreamState,
  { name: 'supervisor', summary: 'What the supervisor knows.', alone: 'show', members: [supervisorShow] },
]

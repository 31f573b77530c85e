/** What the commands of CIRCE share: the store, and inputs that several of them take. */
import { duration, text } from '../../kernel/field.ts'
import { type Circe, circe } from '../../protocols/circe/index.ts'
import type { Context } from '../define.ts'

export type {
  CirceRejected,
  CirceView,
  CirceViewWithBody,
  HistoryEntry,
  InboxLine,
  TaskView,
} from '../../protocols/circe/index.ts'

export const openCirce = (context: Context): Promise<Circe> => context.store(circe)

export const agent = text('The agent.', {
  positional: true,
  required: true,
  expected: 'the name of an agent, such as engineer',
  isActor: true,
})

export const file = text('The message: the name of its file, with or without folder and `.md`.', {
  positional: true,
  required: true,
  placeholder: 'FILE',
  expected: 'the name of a message (`circe inbox` shows them)',
})

export const taskWord = text('The task.', {
  positional: true,
  required: true,
  placeholder: 'ID',
  expected: 'a task such as FEAT-021 (`circe tasks` lists them)',
})

export const waitField = duration('How long to wait for one to come.', { least: 0, placeholder: 'SECONDS' })

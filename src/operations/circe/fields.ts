/** What the commands of CIRCE share: the store, and inputs that several of them take. */
import { invalidInput } from '../../kernel/errors.ts'
import { duration, text } from '../../kernel/field.ts'
import { printableLine } from '../../kernel/printable.ts'
import { type Circe, circe } from '../../protocols/circe/index.ts'
import type { Context } from '../define.ts'

export type {
  CirceRejected,
  CirceView,
  CirceViewWithBody,
  InboxLine,
  StoryEntry,
  TaskView,
} from '../../protocols/circe/index.ts'

/** Whose inbox or task it is stands in the command. Another name in --as would be ignored, which nobody means. */
export async function expectSameAgent(context: Context, named: string): Promise<void> {
  const { agent, origins } = await context.configuration()
  if (origins.agent !== 'flag' || agent === undefined || agent.toLowerCase() === named.toLowerCase()) return
  throw invalidInput('CONTRADICTION', `The command names ${printableLine(named)}, and --as ${printableLine(agent)}.`, {
    hint: 'Leave --as out, or give the same name twice.',
    details: { agent: named, as: agent },
  })
}

export const openCirce = (context: Context): Promise<Circe> => context.store(circe)

export const agent = text('The agent.', {
  positional: true,
  required: true,
  expected: 'the name of an agent, such as engineer',
})

export const file = text('The message: the name of its file, with or without folder and `.md`.', {
  positional: true,
  required: true,
  placeholder: 'FILE',
  expected: 'the name of a message (`circe inbox AGENT` shows them)',
})

export const taskWord = text('The task.', {
  positional: true,
  required: true,
  placeholder: 'ID',
  expected: 'a task such as FEAT-021 (`circe tasks` lists them)',
})

export const wait = duration('How long to wait for one to come.', { least: 0, placeholder: 'SECONDS' })

/** Checks dependencies before sending: refuses an id that means several messages, reports one that means none. AC-MQ §7.1. */
import { ambiguousId } from '../../../kernel/short-id.ts'
import { type DependencyState, parseDependency } from '../dependencies.ts'
import type { WaitingMessages } from './waiting/waiting.ts'

/** Sentences for the sender, one for each dependency that is unknown or has failed. */
export async function noticesAbout(waiting: WaitingMessages, dependencies: readonly string[]): Promise<string[]> {
  const notices: string[] = []
  for (const text of dependencies) {
    if (parseDependency(text).kind === 'path') continue
    const [state] = await waiting.judge({ id: '', dependencies: [text] })
    if (state?.is === 'ambiguous') throw ambiguousId(state.on, [...state.candidates].sort())
    const notice = state && noticeOf(state)
    if (notice !== undefined) notices.push(notice)
  }
  return notices
}

function noticeOf(state: DependencyState): string | undefined {
  switch (state.is) {
    case 'unknown':
      return `No message ${state.on} is known yet: this one waits until there is one and it is completed.`
    case 'missing-path':
      return `Neither a message nor a file ${state.path} is there yet: this one waits for it.`
    case 'failed':
      return `Message ${state.on} has failed: this one waits until it is retried and completed.`
    default:
      return undefined
  }
}

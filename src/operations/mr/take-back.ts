/** Messages that were taken for a reader that did not get the answer: they wait again. */
import { call } from '../../kernel/call.ts'
import { SignalboxError } from '../../kernel/errors.ts'
import type { Context } from '../define.ts'
import { openRouting } from './fields.ts'
import type { MrHeader } from './view.ts'

/** What to do now; `undefined` when nothing had been taken. */
export async function takeBack(
  context: Context,
  agent: string,
  messages: readonly Pick<MrHeader, 'path' | 'state'>[],
): Promise<string | undefined> {
  const taken = messages.filter(({ state }) => state === 'taken')
  if (taken.length === 0) return undefined
  const left = await putBack(context, agent, taken)
  if (left.length === 0) return 'What had been taken is in the inbox again. Free some space, then repeat the command.'
  const recovering = call('mr recover', { agent, id: 'MSG' })
  return `These stay taken: ${left.join(', ')}. Free some space, then bring them back: ${recovering}`
}

/** The paths of the messages that could not be put back. */
async function putBack(context: Context, agent: string, taken: readonly Pick<MrHeader, 'path' | 'state'>[]) {
  try {
    return await (await openRouting(context)).recovering.putBack(agent, taken)
  } catch (error) {
    // On a full disk the workspace may not open again either.
    if (!(error instanceof SignalboxError)) throw error
    return taken.map(({ path }) => path)
  }
}

/** For a reader that stopped reading the answer, and may have missed some of it. */
export const stillTaken = (agent: string, messages: readonly Pick<MrHeader, 'state'>[]): string | undefined =>
  messages.some(({ state }) => state === 'taken')
    ? `The answer was cut off. What it handed out stays taken: ${call('mr taken', { agent })}`
    : undefined

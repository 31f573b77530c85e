/** What is to be done about a line that is no command, by how its speaker is spoken to. Shared Agent Protocol §2.5. Pure. */
import { courtesyFor, isForProtocolMode, isNo, isYes, type Manner, meantIn, wishOf } from './manner.ts'
import type { Asked, Translation } from './translation.ts'

export type Heard =
  /** Run these, one after the other. Whatever was asked before is settled. */
  | { readonly todo: 'run'; readonly commands: readonly string[]; readonly manner: Manner }
  /** Ask, and keep what a `yes` runs. */
  | { readonly todo: 'ask'; readonly asked: Asked; readonly manner: Manner }
  /** Say this; the manner may be another one now. */
  | { readonly todo: 'say'; readonly sentence: string; readonly manner: Manner }
  /** Protocol mode: it is no command. */
  | { readonly todo: 'refuse'; readonly manner: Manner }

export async function hear(
  text: string,
  before: Manner,
  translate: (text: string) => Promise<Translation>,
): Promise<Heard> {
  const { asked, ...manner } = before
  const wished = wishOf(text)
  if (wished && (manner.mode === 'natural' || isForProtocolMode(wished.wish)))
    return { todo: 'say', sentence: wished.says, manner: { ...manner, ...wished.wish } }
  if (manner.mode === 'protocol') return { todo: 'refuse', manner }
  if (isYes(text)) {
    if (asked !== undefined) return { todo: 'run', commands: [asked], manner }
    return { todo: 'say', sentence: 'There is nothing to say yes to.', manner }
  }
  if (asked !== undefined && isNo(text)) return { todo: 'say', sentence: 'Nothing was run.', manner }
  const courtesy = courtesyFor(text)
  if (courtesy !== undefined) return { todo: 'say', sentence: courtesy, manner: before }
  const translation = await translate(meantIn(text) ?? text)
  if (translation.outcome === 'command') return { todo: 'run', commands: [translation.command], manner }
  if (translation.outcome === 'commands') return { todo: 'run', commands: translation.commands, manner }
  const { command } = translation
  return { todo: 'ask', asked: translation, manner: command === undefined ? manner : { ...manner, asked: command } }
}

/** What is to be done about a line that is no command, by how its speaker is spoken to. Shared Agent Protocol §2.5. Pure. */
import { isForProtocolMode, isNo, isYes, type Manner, wishOf } from './manner.ts'
import type { Surroundings } from './surroundings.ts'
import { translate } from './translate.ts'
import type { Translation } from './translation.ts'

export type Heard =
  /** Run this. Whatever was asked before is settled. */
  | { readonly todo: 'run'; readonly command: string; readonly manner: Manner }
  /** Ask, and keep what a `yes` runs. */
  | { readonly todo: 'ask'; readonly asked: Asked; readonly manner: Manner }
  /** Say this; the manner may be another one now. */
  | { readonly todo: 'say'; readonly sentence: string; readonly manner: Manner }
  /** Protocol mode: it is no command. */
  | { readonly todo: 'refuse'; readonly manner: Manner }

export type Asked = Extract<Translation, { outcome: 'asked' }>

export function hear(text: string, before: Manner, surroundings: Partial<Surroundings>): Heard {
  const { asked, ...manner } = before
  const wished = wishOf(text)
  if (wished && (manner.mode === 'natural' || isForProtocolMode(wished.wish)))
    return { todo: 'say', sentence: wished.says, manner: { ...manner, ...wished.wish } }
  if (manner.mode === 'protocol') return { todo: 'refuse', manner }
  if (isYes(text)) {
    if (asked !== undefined) return { todo: 'run', command: asked, manner }
    return { todo: 'say', sentence: 'There is nothing to say yes to.', manner }
  }
  if (asked !== undefined && isNo(text)) return { todo: 'say', sentence: 'Nothing was run.', manner }
  return heardAs(translate(text, surroundings), manner)
}

/** A translation, whoever made it. */
export function heardAs(translation: Translation, manner: Omit<Manner, 'asked'>): Heard {
  if (translation.outcome === 'command') return { todo: 'run', command: translation.command, manner }
  const { command } = translation
  return { todo: 'ask', asked: translation, manner: command === undefined ? manner : { ...manner, asked: command } }
}

/**
 * Sentences that a person has corrected, with the command that was meant: `save the day => #CHECKPOINT:create:manual:the day`.
 * The same sentence means that command from then on, also with another path, time or name in it. Pure.
 */
import { type Token, tokensOf } from './tokens.ts'
import type { TranslatorContext } from './translation.ts'

interface Correction {
  readonly said: string
  readonly command: string
}

const separator = ' => '

/** One line of the file; `undefined` for a sentence that cannot be written as one. */
export const printCorrection = ({ said, command }: Correction): string | undefined =>
  said.includes(separator) || !said.trim() ? undefined : `${said.replace(/\s+/g, ' ').trim()}${separator}${command}`

export const readCorrections = (text: string): readonly Correction[] =>
  text.split('\n').flatMap((line) => {
    const [, said, command] = /^((?:(?! => ).)+) => (#.*)$/.exec(line) ?? []
    return said === undefined || command === undefined ? [] : [{ said, command }]
  })

/** The command of the newest correction with the same words, with the values of this sentence. */
export function correctedCommand(text: string, corrections: readonly Correction[], around: TranslatorContext) {
  const tokens = tokensOf(text, around)
  for (const { said, command } of corrections.toReversed()) {
    const pattern = tokensOf(said, around)
    if (shape(pattern) === shape(tokens)) return withValuesOf(tokens, pattern, command)
  }
  return undefined
}

const spoken = (tokens: readonly Token[]) => tokens.filter(({ kind, word }) => kind !== 'mark' || word === '?')
const shape = (tokens: readonly Token[]): string => JSON.stringify(spoken(tokens).map(({ word }) => word))

/** Replaces each value of the old sentence in the command by the value of the new sentence at the same place. */
function withValuesOf(tokens: readonly Token[], pattern: readonly Token[], command: string): string {
  const own = spoken(tokens)
  const values = new Map(spoken(pattern).map(({ kind, value }, i) => [value, kind === 'word' ? value : own[i]!.value]))
  return command.replace(/[^:]+/g, (segment) => values.get(segment) ?? segment)
}

/**
 * Tokens as models count them, by the package gpt-tokenizer: docs/decisions/0038-a-real-tokenizer.md. Its tables take longer
 * to load than a whole command does otherwise, so nothing is loaded before a count is asked for.
 */
import type { Tokenizer } from '../kernel/tokenizer.ts'

export const encodings = ['o200k_base', 'cl100k_base', 'p50k_base', 'r50k_base'] as const
export type Encoding = (typeof encodings)[number]

interface Package {
  encode(text: string, options: { disallowedSpecial: Set<string> }): number[]
  decode(tokens: Iterable<number>): string
}

/** The names of special tokens are plain text here, whoever writes them. */
const asPlainText = { disallowedSpecial: new Set<string>() }

const packages: Readonly<Record<Encoding, () => Promise<Package>>> = {
  o200k_base: () => import('gpt-tokenizer/encoding/o200k_base'),
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base'),
  p50k_base: () => import('gpt-tokenizer/encoding/p50k_base'),
  r50k_base: () => import('gpt-tokenizer/encoding/r50k_base'),
}

export async function loadTokenizer(encoding: Encoding): Promise<Tokenizer> {
  const { encode, decode } = await packages[encoding]()
  return {
    count: (text) => encode(text, asPlainText).length,
    first(text, most) {
      const tokens = encode(text, asPlainText)
      if (tokens.length <= most) return text
      // A token may end inside a character, which then is not whole.
      return decode(tokens.slice(0, most)).replace(/\ufffd+$/, '')
    },
  }
}

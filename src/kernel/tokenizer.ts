/** Counts tokens exactly, as a model does. An adapter brings it, and it is loaded when a count can matter. */
export interface Tokenizer {
  count(text: string): number
  /** The longest beginning that has at most so many tokens. */
  first(text: string, tokens: number): string
}

export type LoadTokenizer = () => Promise<Tokenizer>

/** In bytes, of all encodings that can be chosen. */
export const longestToken = 128

/** True if a text has at most so many tokens. A token has 1 to `longestToken` bytes, so most texts need no counting. */
export async function isWithin(text: string, tokens: number, load: LoadTokenizer): Promise<boolean> {
  const bytes = Buffer.byteLength(text)
  if (bytes <= tokens) return true
  if (bytes > tokens * longestToken) return false
  return (await load()).count(text) <= tokens
}

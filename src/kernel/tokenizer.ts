/** Counts tokens exactly, as a model does. An adapter brings it, and it is loaded when a count can matter. */
export interface Tokenizer {
  count(text: string): number
  /** The longest beginning that has at most so many tokens. */
  first(text: string, tokens: number): string
}

export type LoadTokenizer = () => Promise<Tokenizer>

/** True if a text has at most so many tokens: no token is shorter than a byte, so a short text needs no tokenizer. */
export async function isWithin(text: string, tokens: number, load: LoadTokenizer): Promise<boolean> {
  if (Buffer.byteLength(text) <= tokens) return true
  // Every token of the usual encodings stands for at most 128 bytes or so; a megabyte need not be encoded to be refused.
  if (Buffer.byteLength(text) > tokens * 1024) return false
  return (await load()).count(text) <= tokens
}

/** Turns texts into vectors, so that texts about the same thing get vectors in about the same direction. */
export interface Embedder {
  /** Vectors are compared only with others of the same provider and version. */
  readonly id: string
  readonly version: string
  /** How many numbers a vector has. */
  readonly dim: number
  /** One for each text, in the same order. A text of which nothing is known gets a vector of zeros. */
  embed(texts: readonly string[]): Promise<Float32Array[]>
}

/** What a provider can do besides that knows words one by one: then a query is compared word by word, which finds more. */
export interface KnowsWords {
  /** Of length 1; `undefined` for a word that is not known. Words are in lower case. */
  vectorOf(word: string): Float32Array | undefined
  /** From 0 to 1: how much a word says by itself. */
  weightOf(word: string): number
}

export const knowsWords = (embedder: Embedder): embedder is Embedder & KnowsWords => 'vectorOf' in embedder

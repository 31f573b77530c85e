/** Turns texts into vectors, so that texts about the same thing get vectors in about the same direction. */
export interface Embedder {
  /** Vectors are compared only with others of the same provider and version. */
  readonly id: string
  readonly version: string
  /** How many numbers a vector has. */
  readonly dim: number
  /** What comes with the package: it knows English alone, and its cosines have a known scale. */
  readonly isLocal?: true
  /** One for each text, in the same order. */
  embed(texts: readonly string[]): Promise<Float32Array[]>
}

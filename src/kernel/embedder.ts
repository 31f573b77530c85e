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

/** Where vectors come from. Asked when they are first needed. */
export interface EmbedderPort {
  /** `offline`: what comes with the package, whatever is configured. */
  meaning(which?: 'configured' | 'offline'): Promise<Meaning>
}

export interface Meaning {
  /** Without it, texts are compared by their words alone. */
  readonly embedder?: Embedder
  /** Why it is not the one that is configured, or why there is none; for people. */
  readonly instead?: string
}

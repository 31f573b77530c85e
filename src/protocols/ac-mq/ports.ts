/** What is handed to AC-MQ from outside the tree. Each is asked for when it is first used. */
import type { Embedder } from '../../kernel/embedder.ts'

export interface AcmqPorts {
  meaning(which?: WhoseMeaning): Promise<Meaning>
  /** The model that writes summaries; `undefined` when none is configured. */
  writer(): Promise<Writer | undefined>
}

export interface Writer {
  readonly id: string
  write(asked: { readonly instructions: string; readonly material: string }): Promise<string>
}

export type WhoseMeaning = 'configured' | 'offline'

export interface Meaning {
  /** Without it, texts are compared by their words alone. */
  readonly embedder?: Embedder
  /** Why it is not the one that is configured, or why there is none; for people. */
  readonly instead?: string
}

/** Where nothing is handed in: words alone. */
export const withoutPorts: AcmqPorts = {
  meaning: async () => ({ instead: 'No sentence model was handed in.' }),
  writer: async () => undefined,
}

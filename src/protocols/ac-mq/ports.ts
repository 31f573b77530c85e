/** What AC-MQ gets from outside the tree. Each port is opened at its first use. */
import type { Embedder } from '../../kernel/embedder.ts'

export interface AcmqPorts {
  meaning(which?: 'configured' | 'offline'): Promise<Meaning>
  /** The model that writes summaries; `undefined` when none is configured. */
  writer(): Promise<Writer | undefined>
}

export interface Writer {
  readonly id: string
  write(asked: { readonly instructions: string; readonly material: string }): Promise<string>
}

export interface Meaning {
  /** Without it, texts are compared by their words alone. */
  readonly embedder?: Embedder
  /** For people: why it is not the configured model, or why there is none. */
  readonly instead?: string
}

/** Without a model texts are compared by their words. */
export const withoutPorts: AcmqPorts = {
  meaning: async () => ({ instead: 'No sentence model was handed in.' }),
  writer: async () => undefined,
}

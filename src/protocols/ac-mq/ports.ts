/** What is handed to AC-MQ from outside the tree. Each is asked for when it is first used. */
import type { EmbedderPort } from '../../kernel/embedder.ts'

export interface AcmqPorts extends EmbedderPort {
  /** The model that writes summaries; `undefined` when none is configured. */
  writer(): Promise<Writer | undefined>
}

export interface Writer {
  readonly id: string
  write(asked: { readonly instructions: string; readonly material: string }): Promise<string>
}

/** Where nothing is handed in: words alone. */
export const withoutPorts: AcmqPorts = {
  meaning: async () => ({ instead: 'No sentence model was handed in.' }),
  writer: async () => undefined,
}

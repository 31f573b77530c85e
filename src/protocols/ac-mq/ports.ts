/** What AC-MQ gets from outside the tree. Each port is opened at its first use. */
import type { EmbedderPort } from '../../kernel/embedder.ts'

export interface AcmqPorts extends EmbedderPort {
  /** The model that writes summaries; `undefined` when none is configured. */
  writer(): Promise<Writer | undefined>
}

export interface Writer {
  readonly id: string
  write(asked: { readonly instructions: string; readonly material: string }): Promise<string>
}

/** Without a model texts are compared by their words. */
export const withoutPorts: AcmqPorts = {
  meaning: async () => ({ instead: 'No sentence model was handed in.' }),
  writer: async () => undefined,
}

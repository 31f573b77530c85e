/** The protocols, one line each. Whoever concerns all of them reads this list and names none. */
import type { Operation } from './define.ts'

export interface ProtocolLine {
  readonly protocol: { readonly name: string; readonly title: string; readonly summary: string }
  /** What can be asked of it, in the order in which one meets it. */
  operations(): Promise<readonly Operation[]>
  /** The operations that agents use all day: on Bun they are a part of the program of their own. */
  readonly everyday: readonly string[]
}

export const protocols = [
  {
    protocol: {
      name: 'acmq',
      title: 'AC-MQ',
      summary: 'AC-MQ: missions with queues of Markdown messages, dependencies and claims.',
    },
    operations: async () => (await import('./acmq/index.ts')).operations,
    everyday: ['send', 'claim', 'complete'],
  },
  {
    protocol: {
      name: 'mr',
      title: 'Message Routing',
      summary: 'Message Routing: an inbox of JSON messages for each agent, numbered, limited and acknowledged.',
    },
    operations: async () => (await import('./mr/index.ts')).operations,
    everyday: ['send', 'receive', 'ack'],
  },
] as const satisfies readonly ProtocolLine[]

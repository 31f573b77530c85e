/**
 * The protocols, one line each. Whoever concerns all of them reads this list and names none: settings, the root and its
 * marks, `init`, `doctor`, `import`, `export` and `mirror`, `human`, the command table with help and completion, the
 * tour, the library and the parts of the build. CONTRIBUTING.md says how to add one.
 */
import { acmq } from '../protocols/ac-mq/index.ts'
import type { Protocol } from '../protocols/contract.ts'
import { messageRouting } from '../protocols/message-routing/index.ts'
import type { Tree } from '../tree/tree.ts'
import type { Operation } from './define.ts'
import type { OwnPlace } from './workspace/own-file.ts'

/** What a protocol can be given besides its tree. */
export interface Around extends OwnPlace {
  /** A tree of plain files in some other directory, closed by the caller. */
  openTree(folder: string): Promise<Tree>
}

export interface ProtocolLine {
  // biome-ignore lint/suspicious/noExplicitAny: whoever reads the list knows no protocol's own types.
  readonly protocol: Protocol<string, any, any, any, any>
  /** What can be asked of it, in the order in which one meets it. */
  operations(): Promise<readonly Operation[]>
  /** The operations that agents use all day: on Bun they are a part of the program of their own. */
  readonly everyday: readonly string[]
  /** The programs and places outside of the tree that it needs, if any. */
  readonly ports?: (around: Around) => Promise<object>
}

export const protocols = [
  {
    protocol: acmq,
    operations: async () => (await import('./acmq/index.ts')).operations,
    everyday: ['send', 'claim', 'complete'],
  },
  {
    protocol: messageRouting,
    operations: async () => (await import('./mr/index.ts')).operations,
    everyday: ['send', 'receive', 'ack'],
    ports: async (around: Around) => (await import('./mr/ports.ts')).mrPorts(around),
  },
] as const satisfies readonly ProtocolLine[]

export type AnyProtocol = (typeof protocols)[number]['protocol']
export type ProtocolName = AnyProtocol['name']
/** What `open` of a protocol gives. */
export type StoreOf<P extends AnyProtocol> = Awaited<ReturnType<P['open']>>

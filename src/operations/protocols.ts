/**
 * The protocols, one line each. Code that concerns all of them reads this list and names none: settings, the root and its
 * marks, `init`, `doctor`, `import`, `export` and `mirror`, `human`, the command table with help and completion, the
 * tour, the library and the parts of the build. CONTRIBUTING.md says how to add one.
 */
import { once } from '../kernel/once.ts'
import type { TreePath } from '../kernel/tree-path.ts'
import type { AcmqPorts } from '../protocols/ac-mq/index.ts'
import type { Protocol } from '../protocols/contract.ts'
import type { Tree } from '../tree/tree.ts'
import type { Operation, OperationGroup } from './define.ts'
import type { StoresPlace } from './stores.ts'
import type { OwnPlace } from './workspace/own-file.ts'
import type { Recently } from './workspace/recently.ts'
import type { ModelSettings } from './workspace/users-settings.ts'

/** What a protocol can be given besides its tree. */
export interface Around extends OwnPlace {
  /** A tree of plain files in some other directory, closed by the caller. */
  openTree(folder: string): Promise<Tree>
  /** A file that comes with the package; `undefined` where it is missing. */
  packageFile(path: string): Uint8Array | undefined
  /** Which models may read messages, as the user says. */
  models(): Promise<ModelSettings>
  /** What earlier commands noted, such as a silent endpoint; absent where nothing is kept. */
  readonly recently?: () => Promise<Recently>
  /** Where messages of all protocols lie: folders and files, as they are configured. */
  messagePlaces(): Promise<readonly TreePath[]>
  /** The same in another directory, if that is a workspace of its own. */
  messagePlacesIn(directory: string): Promise<readonly TreePath[]>
  /** The same workspace, for a bridge: see `LazyWorkspace.forOthers`. Absent in a bridge itself. */
  readonly forOthers?: (() => StoresPlace & { close(): Promise<void> }) | undefined
  /** The short names of all protocols. */
  readonly names: readonly string[]
  /** Starts this program with other words and does not wait for it; absent where there is no program to start. */
  readonly startSelf?: ((words: readonly string[]) => Promise<void>) | undefined
}

/** The same for a protocol that asks models. */
export type AroundModels = Omit<Around, 'models'> & { readonly models: ModelSettings }

// biome-ignore lint/suspicious/noExplicitAny: readers of the list know no protocol's own types.
export type SomeProtocol = Protocol<string, any, any, any, any>

/** Light on purpose: every command reads the list, and loads only the protocol that it is about. */
export interface ProtocolLine {
  readonly name: string
  /** What marks a directory as a workspace of this protocol: every path of a line is there. */
  readonly marks: readonly (readonly string[])[]
  load(): Promise<SomeProtocol>
  /** What can be asked of it, in the order in which one meets it. Many of one kind are a group with a name. */
  operations(): Promise<readonly (Operation | OperationGroup)[]>
  /** The operations that agents use all day, by the words of their commands: on Bun they are a part of the program of their own. */
  readonly everyday: readonly string[]
  /** It says where agents are at home (`Neutral.homes`). */
  readonly givesHomes?: boolean
  /** The programs and places outside of the tree that it needs, if any. */
  readonly ports?: (around: Around) => Promise<object>
}

export const protocols = [
  {
    name: 'acmq',
    marks: [['llm/missions']],
    load: async () => (await import('../protocols/ac-mq/index.ts')).acmq,
    operations: async () => (await import('./acmq/index.ts')).operations,
    everyday: ['send', 'claim', 'complete'],
    // Loaded on demand: sending and claiming never need it.
    ports: async (around: Around) => {
      const ports = once(async () =>
        (await import('./acmq/ports.ts')).acmqPorts({ ...around, models: await around.models() }),
      )
      return {
        meaning: async (which) => (await ports()).meaning(which),
        writer: async () => (await ports()).writer(),
      } satisfies AcmqPorts
    },
  },
  {
    name: 'mr',
    marks: [['state/agents']],
    load: async () => (await import('../protocols/message-routing/index.ts')).messageRouting,
    operations: async () => (await import('./mr/index.ts')).operations,
    everyday: ['send', 'receive', 'ack'],
    ports: async (around: Around) => (await import('./mr/ports.ts')).mrPorts(around),
  },
  {
    name: 'circe',
    marks: [['AI_MANAGER']],
    load: async () => (await import('../protocols/circe/index.ts')).circe,
    operations: async () => (await import('./circe/index.ts')).operations,
    everyday: ['send', 'claim', 'ack', 'done'],
  },
  {
    name: 'dream',
    marks: [['runtime', '_agent_coordination']],
    load: async () => (await import('../protocols/dream-os/index.ts')).dream,
    operations: async () => (await import('./dream/index.ts')).operations,
    everyday: ['mailbox send', 'mailbox next', 'mailbox done'],
    ports: async () => (await import('./dream/ports.ts')).dreamPorts,
  },
  {
    name: 'session',
    marks: [],
    givesHomes: true,
    load: async () => (await import('../protocols/shared-agent/index.ts')).sharedAgent,
    operations: async () => (await import('./session/index.ts')).operations,
    everyday: ['say'],
    ports: async (around: Around) => (await import('./session/ports.ts')).sessionPorts(around),
  },
] as const satisfies readonly ProtocolLine[]

export type AnyProtocol = Awaited<ReturnType<(typeof protocols)[number]['load']>>
export type ProtocolName = AnyProtocol['name']
/** What it is called in the library, where that is another name. */
export type LibraryName<P extends AnyProtocol> = P extends { readonly library: infer L extends string } ? L : P['name']
/** What `open` of a protocol gives. */
export type StoreOf<P extends AnyProtocol> = Awaited<ReturnType<P['open']>>

/** All of them, loaded. */
export const allProtocols = (): Promise<readonly SomeProtocol[]> => Promise.all(protocols.map(({ load }) => load()))

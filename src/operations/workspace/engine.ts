/** Which engine keeps the tree. The engines themselves are handed in: only the program's entry knows them. */
import type { Clock } from '../../kernel/clock.ts'
import { invalidInput } from '../../kernel/errors.ts'
import type { Durability, Tree } from '../../tree/tree.ts'
import type { ServerSettings } from './own-file.ts'

export interface FileEngineOptions {
  readonly root: string
  readonly mustExist: boolean
  readonly durability: Durability
  readonly permissions: 'owner' | 'group'
  /** Stands for the tree's own time; left out, the tree knows it by itself. */
  readonly clock?: Clock | undefined
  /** False: what crashed processes left half-way is left to be looked at first. */
  readonly recover?: boolean
}

export interface EtcdEngineOptions extends ServerSettings {
  readonly address: string
  readonly clock?: Clock | undefined
}

/** How a cluster is. The same words as the engine's own. */
export interface ClusterHealth {
  readonly place: string
  readonly members: readonly {
    readonly address: string
    readonly isReachable: boolean
    readonly isLeader: boolean
    readonly version?: string
    readonly sizeBytes?: number
    readonly inUseBytes?: number
  }[]
  readonly sizeBytes: number
  readonly quotaBytes?: number
  readonly revision: number
  readonly compactedRevision?: number
  readonly readMs?: number
}

/** One way to open a tree for each kind of address. */
export interface Engines {
  files(options: FileEngineOptions): Promise<Tree>
  etcd(options: EtcdEngineOptions): Promise<Tree>
  /** How the cluster at an address is. */
  etcdHealth(options: EtcdEngineOptions): Promise<ClusterHealth>
}

export const isCluster = (address: string): boolean => address.startsWith('etcd://')

export const unknownEngine = (address: string) =>
  invalidInput('UNKNOWN_ENGINE', `Not an engine: ${JSON.stringify(withoutSecrets(address))}.`, {
    hint: 'Use `files`, or an address such as etcd://localhost:2379/team.',
    details: { expected: ['files', 'etcd://HOST:PORT/TENANT'] },
  })

/** Addresses may carry a password; what is shown must not. */
const withoutSecrets = (address: string) => address.slice(0, 200).replace(/\/\/[^/@]*@/, '//***@')

/** Which engine keeps the tree. The engines themselves are handed in: only the program's entry knows them. */
import type { Clock } from '../../kernel/clock.ts'
import { invalidInput, unsupported } from '../../kernel/errors.ts'
import type { Durability, Tree } from '../../tree/tree.ts'

export interface FileEngineOptions {
  readonly root: string
  readonly mustExist: boolean
  readonly durability: Durability
  readonly permissions: 'owner' | 'group'
  readonly clock: Clock
  /** False: what crashed processes left half-way is left to be looked at first. */
  readonly recover?: boolean
}

/** One way to open a tree for each kind of address. */
export interface Engines {
  files(options: FileEngineOptions): Promise<Tree>
}

export async function openEngine(address: string, options: FileEngineOptions, engines: Engines): Promise<Tree> {
  if (address === 'files') return engines.files(options)
  if (address.startsWith('etcd://')) {
    throw unsupported('ENGINE_NOT_BUILT_IN', 'This version of Signalbox has no etcd engine.', {
      hint: 'Leave --engine and SIGNALBOX_ENGINE out to keep the tree in files under the root.',
      details: { engine: 'etcd' },
    })
  }
  throw invalidInput('UNKNOWN_ENGINE', `Not an engine: ${JSON.stringify(withoutSecrets(address))}.`, {
    hint: 'Use `files`, or an address such as etcd://localhost:2379/team.',
    details: { expected: ['files', 'etcd://HOST:PORT/TENANT'] },
  })
}

/** Addresses may carry a password; what is shown must not. */
const withoutSecrets = (address: string) => address.slice(0, 200).replace(/\/\/[^/@]*@/, '//***@')

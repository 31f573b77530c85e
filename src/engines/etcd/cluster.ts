/**
 * Shared by all trees that one process has open on one tenant: connections, login and copies of folders. So one of them
 * sees at once what another one wrote.
 */
import { readFileSync } from 'node:fs'
import { denied } from '../../kernel/errors.ts'
import { parseAddress, printAddress } from './address.ts'
import { CurrentTurn } from './current-turn.ts'
import { ExclusiveTurns } from './exclusive-turns.ts'
import { FolderIndexes } from './folder-indexes.ts'
import { Gateway } from './gateway.ts'
import { Keys } from './keys.ts'
import { Labels } from './labels.ts'
import { LargeBodies } from './large-bodies.ts'
import type { Parts } from './parts.ts'
import { LogCopies } from './recent.ts'
import { ClusterRequests } from './requests.ts'
import { Session } from './session.ts'
import { Transactions } from './transactions.ts'
import type { TlsFiles } from './transport.ts'
import { UnansweredWrites } from './unanswered-writes.ts'

/** Paths are those of the system, absolute. */
export interface ClusterOptions {
  /** `etcd://host:port[,host:port…]/tenant` */
  readonly address: string
  readonly user?: string | undefined
  /** A file whose first line is the password. */
  readonly passwordFile?: string | undefined
  /** Speak TLS, with the certificates that the system trusts. Naming any of the files below implies it. */
  readonly tls?: boolean | undefined
  /** Certificates to trust instead of the system's. */
  readonly ca?: string | undefined
  /** Who we are, where the cluster asks for certificates. */
  readonly certificate?: string | undefined
  readonly key?: string | undefined
  /** A directory, shared by all machines, for bodies that are too large for etcd. */
  readonly largeBodies?: string | undefined
  readonly patienceMs?: number | undefined
  /** How long a turn outlives its process, in seconds; at least 2. */
  readonly turnSeconds?: number | undefined
}

export class Cluster {
  readonly place: string
  readonly gateway: Gateway
  readonly keys: Keys
  readonly indexes: FolderIndexes
  readonly bodies: LargeBodies
  readonly parts: Parts
  readonly transactions: Transactions
  readonly turns: ExclusiveTurns
  readonly #session: Session

  constructor(options: ClusterOptions) {
    const address = parseAddress(options.address)
    this.place = printAddress(address)
    const { user, passwordFile, patienceMs, largeBodies, turnSeconds } = options
    const password =
      passwordFile === undefined ? undefined : () => readSecret(passwordFile, 'etcd.passwordFile').split(/\r?\n/)[0]!
    this.gateway = new Gateway({ address, user, password, patienceMs, tls: tlsOf(options) })
    this.keys = new Keys(address.tenant)
    this.bodies = new LargeBodies(largeBodies, address.tenant)
    const turn = new CurrentTurn()
    this.indexes = new FolderIndexes(this.gateway, this.keys, turn)
    const logs = new LogCopies()
    const requests = new ClusterRequests(this.gateway, this.keys, logs)
    const unanswered = new UnansweredWrites(this.gateway, this.keys)
    const labels = new Labels(this.gateway, this.keys)
    const shared = { keys: this.keys, bodies: this.bodies, labels, logs, turn, unanswered }
    const parts = { ...shared, requests, indexes: this.indexes, whenDone: (work: () => void) => work() }
    this.parts = parts
    this.transactions = new Transactions(this.gateway, parts)
    this.#session = new Session(this.gateway, turnSeconds)
    this.turns = new ExclusiveTurns({ ...this.parts, gateway: this.gateway, session: this.#session })
  }

  close(): void {
    this.indexes.close()
    this.#session.close()
    this.gateway.close()
  }
}

interface Shared {
  readonly cluster: Cluster
  users: number
}

const open = new Map<string, Shared>()

/** Joins the cluster that is open already, or opens it. Call `leave` once when done. */
export function joinCluster(options: ClusterOptions): { cluster: Cluster; leave: () => void } {
  const name = JSON.stringify(Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1)))
  const shared = open.get(name) ?? { cluster: new Cluster(options), users: 0 }
  open.set(name, shared)
  shared.users++
  let isIn = true
  const leave = () => {
    if (!isIn) return
    isIn = false
    if (--shared.users > 0) return
    open.delete(name)
    shared.cluster.close()
  }
  return { cluster: shared.cluster, leave }
}

function tlsOf({ tls, ca, certificate, key }: ClusterOptions): TlsFiles | undefined {
  if (!tls && ca === undefined && certificate === undefined && key === undefined) return undefined
  return {
    ...(ca === undefined ? {} : { ca: readSecret(ca, 'etcd.ca') }),
    ...(certificate === undefined ? {} : { cert: readSecret(certificate, 'etcd.certificate') }),
    ...(key === undefined ? {} : { key: readSecret(key, 'etcd.key') }),
  }
}

/** Errors name the file and the setting, never the content. */
function readSecret(path: string, setting: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw denied('SECRET_UNREADABLE', `Could not read ${path}: ${(error as { code?: string }).code}.`, {
      hint: `Check ${setting}, and that this user may read the file.`,
      cause: error,
    })
  }
}

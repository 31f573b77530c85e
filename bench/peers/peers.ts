/** The other queues, each with what it needs. Those that flush a message before they answer are compared with `batch`. */
import type { Place } from '../places.ts'
import type { QueueKind } from './queues/index.ts'
import { startNats } from './servers/nats.ts'
import { startPostgres } from './servers/postgres.ts'
import { startRedis } from './servers/redis.ts'
import type { Server } from './servers/server.ts'

export interface Peer {
  readonly name: string
  readonly kind: QueueKind
  /** A folder in `packages/`, for what comes from npm. */
  readonly packages?: string
  readonly server?: ServerName
  readonly isDurable: boolean
  /** Its workers poll, so pick-up is not measured. */
  readonly polls?: true
}

export const serverStarts = {
  'redis everysec': startRedis('everysec'),
  'redis always': startRedis('always'),
  nats: startNats,
  postgres: startPostgres,
} as const satisfies Record<string, (place: Place) => Promise<Server>>

export type ServerName = keyof typeof serverStarts

export const ours = {
  process: { name: 'ours', kind: 'ours-process', isDurable: false },
  batch: { name: 'ours, batch', kind: 'ours-batch', isDurable: true },
} as const satisfies Record<string, Peer>

export const peers: readonly Peer[] = [
  { name: 'BullMQ, Redis everysec', kind: 'bullmq', packages: 'bullmq', server: 'redis everysec', isDurable: false },
  { name: 'NATS JetStream', kind: 'nats', packages: 'nats', server: 'nats', isDurable: false },
  { name: 'plainjob', kind: 'plainjob', packages: 'plainjob', isDurable: false, polls: true },
  { name: 'liteque', kind: 'liteque', packages: 'liteque', isDurable: false, polls: true },
  { name: 'BullMQ, Redis always', kind: 'bullmq', packages: 'bullmq', server: 'redis always', isDurable: true },
  {
    name: 'graphile-worker',
    kind: 'graphile-worker',
    packages: 'graphile-worker',
    server: 'postgres',
    isDurable: true,
  },
  { name: 'pg-boss', kind: 'pg-boss', packages: 'pg-boss', server: 'postgres', isDurable: true, polls: true },
]

import { openBullMq } from './bullmq.ts'
import { openGraphileWorker } from './graphile-worker.ts'
import { openLiteque } from './liteque.ts'
import { openNats } from './nats.ts'
import { openOurs } from './ours.ts'
import { openPgBoss } from './pg-boss.ts'
import { openPlainjob } from './plainjob.ts'
import type { OpenPeer } from './queue.ts'

/** The client of each queue. */
export const queues = {
  'ours-process': openOurs('process'),
  'ours-batch': openOurs('batch'),
  bullmq: openBullMq,
  nats: openNats,
  plainjob: openPlainjob,
  liteque: openLiteque,
  'pg-boss': openPgBoss,
  'graphile-worker': openGraphileWorker,
} as const satisfies Record<string, OpenPeer>

export type QueueKind = keyof typeof queues

/** How many times as fast as each of the other queues ours should be. */
import type { Goal } from '../section.ts'
import type { Step } from './contest.ts'

export const peerGoals: Readonly<Record<string, Readonly<Partial<Record<Step, Goal>>>>> = {
  'BullMQ, Redis everysec': { oneWorker: { atLeast: 12 } },
  'NATS JetStream': { oneWorker: { atLeast: 7 } },
  plainjob: { oneWorker: { atLeast: 3.5 } },
  liteque: { oneWorker: { atLeast: 20 } },
  'BullMQ, Redis always': {
    inFlight: { atLeast: 1 },
    oneWorker: { atLeast: 1.5 },
    fourWorkers: { atLeast: 1.5 },
  },
  'graphile-worker': { oneWorker: { atLeast: 6 }, fourWorkers: { atLeast: 6 } },
  'pg-boss': { oneWorker: { atLeast: 6 }, fourWorkers: { atLeast: 6 } },
}

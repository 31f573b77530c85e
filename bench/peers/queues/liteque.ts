import { join } from 'node:path'
import { load } from './load.ts'
import { type OpenPeer, queueName } from './queue.ts'

interface Liteque {
  buildDBClient(path: string, options: { runMigrations: boolean }): unknown
  SqliteQueue: new (name: string, database: unknown, options: object) => { enqueue(payload: object): Promise<unknown> }
  Runner: new (queue: unknown, handlers: object, options: object) => { runUntilEmpty(): Promise<void> }
}

export const openLiteque: OpenPeer = async ({ packages, place }) => {
  const { buildDBClient, SqliteQueue, Runner } = await load<Liteque>(packages, 'liteque')
  const database = buildDBClient(join(place, 'queue.db'), { runMigrations: true })
  const queue = new SqliteQueue(queueName, database, { defaultJobArgs: { numRetries: 2 }, keepFailedJobs: false })
  return {
    send: (body) => queue.enqueue({ body }),
    handle: async (_count, workers, onMessage) => {
      const run = async ({ data }: { data: { body: string } }) => onMessage(data.body)
      const options = { concurrency: workers, pollIntervalMs: 1000, timeoutSecs: 60 }
      await new Runner(queue, { run }, options).runUntilEmpty()
    },
  }
}

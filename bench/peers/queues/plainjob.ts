import { join } from 'node:path'
import { load } from './load.ts'
import { countdown, type OpenPeer, queueName } from './queue.ts'

interface Queue {
  add(type: string, data: unknown): unknown
}
interface Worker {
  start(): Promise<void>
  stop(): Promise<void>
}
interface Plainjob {
  better(database: unknown): unknown
  defineQueue(options: object): Queue
  defineWorker(type: string, handler: (job: { data: string }) => Promise<void>, options: object): Worker
}

const logger = { error: console.error, warn: console.error, info: () => {}, debug: () => {} }

export const openPlainjob: OpenPeer = async ({ packages, place }) => {
  const { better, defineQueue, defineWorker } = await load<Plainjob>(packages, 'plainjob')
  const { default: Database } = await load<{ default: new (path: string) => unknown }>(packages, 'better-sqlite3')
  const queue = defineQueue({ connection: better(new Database(join(place, 'queue.db'))), logger })
  return {
    send: async (body) => queue.add(queueName, { body }),
    handle: async (count, workers, onMessage) => {
      const { done, tick } = countdown(count)
      const handler = async ({ data }: { data: string }) => onMessage((JSON.parse(data) as { body: string }).body)
      const all = Array.from({ length: workers }, () =>
        defineWorker(queueName, handler, { queue, logger, onCompleted: tick }),
      )
      const running = all.map((worker) => worker.start())
      await done
      await Promise.all(all.map((worker) => worker.stop()))
      await Promise.all(running)
    },
  }
}

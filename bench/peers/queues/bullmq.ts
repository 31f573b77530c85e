import { load } from './load.ts'
import { countdown, type OpenPeer, queueName } from './queue.ts'

interface Job {
  readonly data: { readonly body: string }
}
interface Worker {
  on(event: 'completed', listener: () => void): void
  waitUntilReady(): Promise<unknown>
  close(): Promise<void>
}
interface BullMq {
  Queue: new (name: string, options: object) => { add(name: string, data: object): Promise<unknown> }
  Worker: new (name: string, handler: (job: Job) => Promise<void>, options: object) => Worker
}

export const openBullMq: OpenPeer = async ({ packages, place }) => {
  const { Queue, Worker } = await load<BullMq>(packages, 'bullmq')
  const connection = { path: place, maxRetriesPerRequest: null }
  const queue = new Queue(queueName, { connection })
  return {
    send: (body) => queue.add('message', { body }),
    handle: async (count, workers, onMessage) => {
      const { done, tick } = countdown(count)
      const worker = new Worker(queueName, async ({ data }) => onMessage(data.body), {
        connection,
        concurrency: workers,
      })
      worker.on('completed', tick)
      await done
      await worker.close()
    },
    wait: async (onMessage) => {
      const worker = new Worker(queueName, async ({ data }) => onMessage(data.body), { connection })
      await worker.waitUntilReady()
    },
  }
}

import { postgresUser } from '../servers/postgres.ts'
import { load } from './load.ts'
import { countdown, type OnMessage, type OpenPeer, queueName } from './queue.ts'

interface Runner {
  stop(): Promise<void>
  readonly events: { on(event: 'job:complete', listener: () => void): void }
}
interface Utils {
  migrate(): Promise<void>
  addJob(task: string, payload: object): Promise<unknown>
}
interface GraphileWorker {
  makeWorkerUtils(options: object): Promise<Utils>
  run(options: object): Promise<Runner>
  Logger: new (factory: () => () => void) => unknown
}

export const openGraphileWorker: OpenPeer = async ({ packages, place }) => {
  const { makeWorkerUtils, run, Logger } = await load<GraphileWorker>(packages, 'graphile-worker')
  const { Pool } = await load<{ Pool: new (options: object) => unknown }>(packages, 'pg')
  const pgPool = new Pool({ host: place, user: postgresUser, database: 'postgres' })
  const shared = { pgPool, logger: new Logger(() => () => {}) }
  const utils = await makeWorkerUtils(shared)
  await utils.migrate()
  const start = (workers: number, onMessage: OnMessage) =>
    run({
      ...shared,
      concurrency: workers,
      noHandleSignals: true,
      taskList: { [queueName]: async ({ body }: { body: string }) => onMessage(body) },
    })
  return {
    send: (body) => utils.addJob(queueName, { body }),
    handle: async (count, workers, onMessage) => {
      const { done, tick } = countdown(count)
      const runner = await start(workers, onMessage)
      runner.events.on('job:complete', tick)
      await done
      await runner.stop()
    },
    wait: async (onMessage) => {
      await start(1, onMessage)
    },
  }
}

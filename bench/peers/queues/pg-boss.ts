/**
 * pg-boss by `fetch` and `complete`. Its own workers poll every half second at most, and would tell nothing about the speed
 * of the queue.
 */
import { postgresUser } from '../servers/postgres.ts'
import { load } from './load.ts'
import { type OpenPeer, queueName } from './queue.ts'

interface Boss {
  start(): Promise<unknown>
  createQueue(name: string): Promise<void>
  send(name: string, data: object): Promise<unknown>
  fetch(name: string): Promise<{ id: string; data: { body: string } }[]>
  complete(name: string, id: string): Promise<void>
}

export const openPgBoss: OpenPeer = async ({ packages, place }) => {
  const { default: PgBoss } = await load<{ default: new (options: object) => Boss }>(packages, 'pg-boss')
  const address = { host: place, user: postgresUser, database: 'postgres' }
  const boss = new PgBoss({ ...address, supervise: false, schedule: false })
  await boss.start()
  await boss.createQueue(queueName)
  return {
    send: (body) => boss.send(queueName, { body }),
    handle: async (count, workers, onMessage) => {
      let left = count
      const work = async () => {
        while (left > 0) {
          for (const { id, data } of await boss.fetch(queueName)) {
            left--
            onMessage(data.body)
            await boss.complete(queueName, id)
          }
        }
      }
      await Promise.all(Array.from({ length: workers }, work))
    },
  }
}

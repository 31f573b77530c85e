/** The files in the queues of a mission, listed once for everything that one pass of supervision does. */
import type { TimedEntry } from '../../../../tree/tree.ts'
import { isMessageName } from '../../layout.ts'
import { type QueueName, queueNames } from '../../schema.ts'
import type { MissionFiles } from '../parts.ts'

export type QueueListing = Readonly<Record<QueueName, readonly TimedEntry[]>>

export async function listQueues({ tree, queues }: MissionFiles): Promise<QueueListing> {
  const listed: Partial<Record<QueueName, readonly TimedEntry[]>> = {}
  for (const queue of queueNames) {
    const entries = await tree.list(queues[queue], { times: true })
    listed[queue] = entries.filter(({ name, kind }) => kind === 'leaf' && isMessageName(name))
  }
  return listed as QueueListing
}

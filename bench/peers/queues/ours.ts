/** Ours, through the library that everybody imports. */
import type { Durability } from '../../../src/tree/tree.ts'
import { inputFor, worker } from '../../acmq/message.ts'
import { openBox } from '../../acmq/queue.ts'
import { type OnMessage, type OpenPeer, queueName } from './queue.ts'

export const openOurs =
  (durability: Durability): OpenPeer =>
  async ({ place }) => {
    const { acmq } = await openBox(place, durability)
    const { mission } = await acmq.create(queueName)
    const input = inputFor(queueName)

    const handleNext = async (onMessage: OnMessage, waitMs: number): Promise<boolean> => {
      const claimed = await mission.claims.next({ agent: worker, waitMs })
      if (claimed.outcome === 'nothing') return false
      onMessage(claimed.message.body)
      await mission.settling.complete(claimed.message, { agent: worker, attempt: claimed.message.attempt })
      return true
    }
    return {
      send: (body) => mission.sending.send({ ...input, body }),
      handle: async (_count, workers, onMessage) => {
        const work = async () => {
          while (await handleNext(onMessage, 0)) {
            // Until nothing is left.
          }
        }
        await Promise.all(Array.from({ length: workers }, work))
      },
      wait: async (onMessage) => {
        for (;;) await handleNext(onMessage, 60_000)
      },
    }
  }

/** What an agent or a supervisor does with one message, and where the message may be if it dies doing it. */
import type { Clock } from '../../src/kernel/clock.ts'
import type { QueueName } from '../../src/protocols/ac-mq/schema.ts'
import type { Mission } from '../../src/protocols/ac-mq/store/mission.ts'

export const id = 'crash-test-message'

/** So late that every claim has run out: supervision has something to do. */
export const farFuture: Clock = { now: () => Date.now() + 24 * 60 * 60 * 1000 }

export interface Verb {
  /** The queue the message lies in before; `undefined`: it is not there yet. */
  readonly from: QueueName | undefined
  readonly to: QueueName
  /** What the message must say once it has arrived. */
  readonly says?: string
  act(mission: Mission): Promise<unknown>
}

const holding = { agent: 'gemini', attempt: 1 }

export const send = (mission: Mission) => mission.sending.send({ from: 'claude', to: 'gemini', body: 'The body\n', id })
export const claim = (mission: Mission) => mission.claims.next({ agent: 'gemini', id })

export const verbs: Readonly<Record<string, Verb>> = {
  send: { from: undefined, to: 'pending', act: send },
  claim: { from: 'pending', to: 'processing', act: claim },
  complete: {
    from: 'processing',
    to: 'completed',
    says: 'A result of some length',
    act: (mission) => mission.settling.complete(id, holding, { text: 'A result of some length' }),
  },
  fail: {
    from: 'processing',
    to: 'failed',
    says: 'It did not work',
    act: (mission) => mission.settling.fail(id, holding, { reason: 'It did not work' }),
  },
  retry: { from: 'failed', to: 'pending', says: 'attempt: 2', act: (mission) => mission.settling.retry(id) },
  supervise: {
    from: 'processing',
    to: 'failed',
    says: 'Stalled',
    act: async (mission) => (await mission.upkeep()).supervise(),
  },
}

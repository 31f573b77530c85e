/** What agents do with messages, and what must hold whenever they die doing it. */
import type { Routing } from '../../src/protocols/message-routing/store/routing.ts'
import { type AgentFolder, command, foreignMessage } from '../support/message-routing.ts'

export const settings = { inboxLimit: 3 }
/** Known ids, so that each can be counted wherever it is. */
export const [old, older, bad] = ['msg_0000000b', 'msg_0000000a', 'msg_00000bad'] as const

export interface Verb {
  /** What lies in the inbox of coder-1 before. */
  readonly before: readonly string[]
  /** What is done before, unharmed. */
  prepare?(mr: Routing): Promise<unknown>
  act(mr: Routing): Promise<unknown>
  /** Doing it again is as if it had been done once. */
  readonly isRepeatable?: true
  /** How many messages of coordinator-main may be in the folders of coder-1, before and after. */
  readonly sent: readonly [before: number, after: number]
  /** Acknowledgements in the folders of coordinator-main. */
  readonly acks: readonly [before: number, after: number]
}

const receive = (mr: Routing) => mr.claiming.receive('coder-1')
const send = (mr: Routing) => mr.sending.send(command('coder-1', { requiresAck: true }))
const ack = (mr: Routing) => mr.settling.ack('coder-1', old)
/** Under a key, so that it may be repeated. */
const sendOnce = (mr: Routing) => mr.sending.send(command('coder-1', { requiresAck: true }), { key: 'k1' })
const nothing = [0, 0] as const

export const verbs: Readonly<Record<string, Verb>> = {
  init: {
    before: [],
    prepare: send,
    act: (mr) => mr.agents.init('coordinator-main', { reset: true }),
    sent: [1, 1],
    acks: nothing,
  },
  send: { before: [], act: send, sent: [0, 1], acks: nothing },
  'send to a full inbox': { before: [older, old, 'msg_0000000c'], act: send, sent: [0, 1], acks: nothing },
  'send under a key': { before: [], act: sendOnce, isRepeatable: true, sent: [0, 1], acks: nothing },
  'send under a key to a full inbox': {
    before: [older, old, 'msg_0000000c'],
    act: sendOnce,
    isRepeatable: true,
    sent: [0, 1],
    acks: nothing,
  },
  receive: { before: [older, old, bad], act: receive, sent: nothing, acks: nothing },
  ack: { before: [old], prepare: receive, act: ack, isRepeatable: true, sent: nothing, acks: [0, 1] },
  recover: {
    before: [old],
    prepare: receive,
    act: (mr) => mr.recovering.recover('coder-1', old),
    sent: nothing,
    acks: nothing,
  },
}

export function fill(coder: AgentFolder, { before }: Verb): void {
  for (const [i, id] of before.entries()) {
    const more = { from: 'tester-1', sequence: i + 1, requires_ack: true, ...(id === bad ? { type: 'strange' } : {}) }
    coder.put(`${id}.json`, foreignMessage(id, more), Date.now() - 1_000_000 + i)
  }
}

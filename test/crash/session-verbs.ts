/** What is said in a session, and what must hold whenever whoever says it dies. */
import type { Sessions } from '../../src/protocols/shared-agent/store/sessions.ts'

export const session = 's'

export interface Verb {
  /** What is said before, unharmed. */
  readonly before: readonly (readonly [agent: string, line: string])[]
  act(sessions: Sessions): Promise<unknown>
  /** What somebody else asks afterwards, and what may be answered: as if it had not been said, or had been. */
  readonly asks: readonly (readonly [agent: string, line: string, notDone: string, done: string])[]
  /** What the log tells, once, of what was done. */
  readonly logs?: string
}

const say =
  (line: string, agent = 'A') =>
  (sessions: Sessions) =>
    sessions.say(line, { session, agent })
const full = Array.from({ length: 64 }, (_, n) => ['A', `#STATE:save:k:${n}`] as const)
const context = 'c.ctx'

export const verbs: Readonly<Record<string, Verb>> = {
  start: { before: [], act: say('#VERSION'), asks: [['B', '#VERSION', 'v1.1.0', 'v1.1.0']] },
  save: {
    before: [['A', '#STATE:save:k:old']],
    act: say('#STATE:save:k:new'),
    asks: [['B', '#STATE:load:k', 'old', 'new']],
  },
  'save, and turn a page': { before: full, act: say('#STATE:save:k:new'), asks: [['B', '#STATE:load:k', '63', 'new']] },
  lock: { before: [], act: say('#LOCK:r:600'), asks: [['B', '#LOCK:r:1', 'locked', 'busy:A']], logs: 'LOCK' },
  unlock: {
    before: [['A', '#LOCK:r:600']],
    act: say('#UNLOCK:r'),
    asks: [['B', '#LOCK:r:1', 'busy:A', 'locked']],
    logs: 'UNLOCK',
  },
  signal: { before: [], act: say('#SIGNAL:c'), asks: [['B', '#WAIT:c:0', 'timeout', 'ready']], logs: 'SIGNAL' },
  'signal false': {
    before: [['A', '#SIGNAL:c']],
    act: say('#SIGNAL:c:false'),
    asks: [['B', '#WAIT:c:0', 'ready', 'timeout']],
  },
  broadcast: {
    before: [
      ['B', '#SUBSCRIBE:n'],
      ['C', '#SUBSCRIBE:n'],
    ],
    act: say('#BROADCAST:n:hello'),
    asks: [
      ['B', 'inbox', '', 'hello'],
      ['C', 'inbox', '', 'hello'],
    ],
  },
  inbox: {
    before: [['A', '#DIRECT:B:hello']],
    act: (sessions) => sessions.inbox('B', { session }),
    asks: [['B', 'inbox', 'hello', '']],
  },
  take: {
    before: [['A', '#DIRECT:B:hello']],
    async act(sessions) {
      const neutral = await sessions.neutral()
      const taken = await neutral.take!('B', { place: session })
      if (taken.outcome === 'taken') await neutral.done!(taken.receipt)
    },
    asks: [['B', 'inbox', 'hello', '']],
  },
  delegate: { before: [], act: say('#DELEGATE:B:work'), asks: [['B', '#NEXT', 'not_found', 'task_id_001 P2 B work']] },
  export: {
    before: [['A', '#STATE:save:k:v:persistent']],
    act: say(`#CONTEXT:export:${context}`),
    asks: [
      [
        'B',
        `#CONTEXT:import:${context}`,
        'not_found',
        'git_ref:unknown\nimported:1 items\ntasks:0 active, 0 pending\nready to resume',
      ],
    ],
  },
  import: {
    before: [
      ['A', '#STATE:save:k:v:persistent'],
      ['A', `#CONTEXT:export:${context}`],
      ['A', '#STATE:save:k:other'],
      ['A', '#STATE:save:more:x'],
    ],
    act: say(`#CONTEXT:import:${context}`),
    asks: [['B', '#STATE:list', '• k\n• more', '• k']],
  },
  end: {
    before: [
      ['A', '#STATE:save:temp:x'],
      ['A', '#LOCK:r:600'],
      ['A', '#SIGNAL:c'],
    ],
    act: (sessions) => sessions.end(session),
    asks: [
      ['B', '#LOCK:r:1', 'busy:A', 'locked'],
      ['B', '#STATE:load:temp', 'x', 'not_found'],
      ['B', '#WAIT:c:0', 'ready', 'timeout'],
    ],
  },
}

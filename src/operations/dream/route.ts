import { flag } from '../../kernel/field.ts'
import type { Routed } from '../../protocols/dream-os/index.ts'
import { type Context, defineOperation } from '../define.ts'
import type { Freed, Pass } from '../duties.ts'
import { carried, freed, notices, settled } from '../shapes.ts'
import { actorOr, compat, openDream, recipientCheck } from './fields.ts'
import { routeOn } from './routing.ts'
import { answeredPlan, rejected } from './shapes.ts'

export interface RoutedOften extends Omit<Routed, 'unreadable'> {
  /** Files that are no messages. */
  readonly rejected: Routed['unreadable']
  /** What dead agents held, in all protocols. */
  readonly freed: readonly Freed[]
  /** Messages that the bridge took to other protocols, and those that it ended. */
  readonly carried: Pass['carried']
  readonly settled: Pass['settled']
  /** How often it looked, if it stayed. */
  readonly passes?: number
}

const routed = {
  moved: [{ from: 'text', to: 'text', path: 'text' }],
  copied: [{ from: 'text', to: ['text'], path: 'text' }],
  unroutable: [{ path: 'text', target: 'text', reason: 'advice' }],
  resent: [{ mailbox: 'integer', id: 'text' }],
  plans: [answeredPlan],
  rejected,
  freed,
  carried,
  settled,
  notices,
  'passes?': 'integer',
} as const

export const dreamRoute = defineOperation({
  name: 'route',
  summary: 'Carry what lies in outboxes to where it is meant for, and look after mailboxes and plans.',
  more:
    'A message with one target is moved; a broadcast is copied to everybody else. Answers of planners are joined into the list of ' +
    'tasks. What was sent to mailboxes and another program overwrote is sent again. A message to nobody known stays and is ' +
    'reported. What agents hold whose end is known (messages of all protocols, locks, mailboxes) is freed. Unless it is to make one ' +
    'pass, it stays, woken by what happens, until it is stopped.',
  input: { once: flag('One pass, then end.'), compat },
  lists: {
    moved: 'last',
    copied: 'last',
    unroutable: 'last',
    resent: 'last',
    plans: 'last',
    rejected: 'last',
    freed: 'last',
    carried: 'last',
    settled: 'last',
  },
  outcomes: { routed: 'done', nothing: 'done' },
  output: { routed, nothing: routed },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    { command: 'dream route', does: 'stay and carry messages' },
    { command: 'dream route --once', does: 'one pass, for cron or an agent' },
  ],

  run: (context, { compat }) => passOver(context, compat),
  stream: (context, { once, compat }) => (once ? undefined : routeOn(context, () => passOver(context, compat))),
})

async function passOver(context: Context, compat: boolean): Promise<RoutedOften> {
  const store = await openDream(context, compat)
  const recipient = recipientCheck(context)
  const { unreadable: rejected, ...routed } = await store.router.route(await actorOr(context, 'Supervisor'), {
    recipient,
  })
  const { carriedIn, freedIn } = await import('../duties.ts')
  const freed = await freedIn(context)
  const { carried, settled, notices } = await carriedIn(context)
  const hasMore = freed.length + carried.length + settled.length > 0
  return {
    ...routed,
    ...(hasMore ? { outcome: 'routed' as const } : {}),
    notices: [...routed.notices, ...notices],
    rejected,
    freed,
    carried,
    settled,
  }
}

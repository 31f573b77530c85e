import { flag } from '../../kernel/field.ts'
import type { Routed } from '../../protocols/dream-os/index.ts'
import { type Context, defineOperation } from '../define.ts'
import { notices } from '../shapes.ts'
import { actorOr, compat, openDream, recipientCheck } from './fields.ts'
import { routeOn } from './routing.ts'
import { answeredPlan, rejected } from './shapes.ts'

export interface RoutedOften extends Omit<Routed, 'unreadable'> {
  /** Files that are no messages. */
  readonly rejected: Routed['unreadable']
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
  notices,
  'passes?': 'integer',
} as const

export const dreamRoute = defineOperation({
  name: 'route',
  summary: 'Carry what lies in outboxes to where it is meant for, and look after mailboxes and plans.',
  more:
    'A message with one target is moved; a broadcast is copied to everybody else. Answers of planners are joined into the list of ' +
    'tasks. What was sent to mailboxes and another program overwrote is sent again. A message to nobody known stays and is ' +
    'reported. Unless it is to make one pass, it stays, woken by what happens, until it is stopped.',
  input: { once: flag('One pass, then end.'), compat },
  lists: { moved: 'last', copied: 'last', unroutable: 'last', resent: 'last', plans: 'last', rejected: 'last' },
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
  return { ...routed, rejected }
}

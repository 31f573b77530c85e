import { flag } from '../../kernel/field.ts'
import type { Routed } from '../../protocols/dream-os/index.ts'
import { defineOperation } from '../define.ts'
import type { Freed } from '../duties.ts'
import { actorOr, compat, openDream, recipientCheck } from './fields.ts'

export interface RoutedOften extends Omit<Routed, 'unreadable'> {
  /** Files that are no messages. */
  readonly rejected: Routed['unreadable']
  /** What dead agents held, in all protocols. */
  readonly freed: readonly Freed[]
  /** How often it looked, if it stayed. */
  readonly passes?: number
}

/** One pass. Surfaces that can stay repeat it: see `duties/route-messages.ts`. */
export const dreamRoute = defineOperation({
  name: 'route',
  summary: 'Carry what lies in outboxes to where it is meant for, and look after mailboxes and plans.',
  more:
    'A message with one target is moved; a broadcast is copied to everybody else. Answers of planners are joined into the list of ' +
    'tasks. What was sent to mailboxes and another program overwrote is sent again. A message to nobody known stays and is ' +
    'reported. What agents hold whose end is known (messages of all protocols, locks, mailboxes) is freed. Without --once it stays, ' +
    'woken by what happens, until it is stopped.',
  input: { once: flag('One pass, then end.'), compat },
  lists: {
    moved: 'last',
    copied: 'last',
    unroutable: 'last',
    resent: 'last',
    plans: 'last',
    rejected: 'last',
    freed: 'last',
  },
  outcomes: { routed: 'done', nothing: 'done' },
  examples: [
    { command: 'dream route', does: 'stay and carry messages' },
    { command: 'dream route --once', does: 'one pass, for cron or an agent' },
  ],

  async run(context, { compat }): Promise<RoutedOften> {
    const store = await openDream(context, compat)
    const recipient = recipientCheck(context)
    const { unreadable: rejected, ...routed } = await store.router.route(await actorOr(context, 'Supervisor'), {
      recipient,
    })
    const { freedIn } = await import('../duties.ts')
    const freed = await freedIn(context)
    return { ...routed, ...(freed.length > 0 ? { outcome: 'routed' } : {}), rejected, freed }
  },
})

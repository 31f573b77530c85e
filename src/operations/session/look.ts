/** The verbs that look into a session: its locks and its log. */
import { withoutUndefined } from '../../kernel/field.ts'
import { sharedAgent } from '../../protocols/shared-agent/index.ts'
import { limit } from '../bounded.ts'
import { defineOperation } from '../define.ts'
import { session } from './fields.ts'
import { change, lock } from './shapes.ts'

export const sessionLocks = defineOperation({
  name: 'locks',
  summary: 'List the locks of a session: who holds what until when, and who waits.',
  input: { session },
  lists: { locks: 'first' },
  outcomes: { listed: 'done' },
  output: { listed: { locks: [lock] } },
  effects: 'reads',
  examples: [{ command: 'session locks', does: 'see who holds what' }],

  async run(context, { session }) {
    return { outcome: 'listed', locks: await (await context.store(sharedAgent)).locks(session) } as const
  },
})

const log = { 'session?': 'text', changes: [change], leftOut: 'integer' } as const

export const sessionLog = defineOperation({
  name: 'log',
  summary: 'Tell every change of a session, with who made it and when.',
  input: { session, limit },
  outcomes: { told: 'done', nothing: 'done' },
  output: { told: log, nothing: log },
  effects: 'reads',
  examples: [{ command: 'session log --session release', does: 'see what happened' }],

  async run(context, { session: named, limit }) {
    const sessions = await context.store(sharedAgent)
    const all = await sessions.log(named)
    const changes = limit === undefined ? all : all.slice(-limit)
    const outcome = changes.length > 0 ? 'told' : 'nothing'
    const session = named ?? (await sessions.current())
    return { outcome, ...withoutUndefined({ session }), changes, leftOut: all.length - changes.length } as const
  },
})

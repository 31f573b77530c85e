/** Locks by pattern, for every agent. */

import type { GlobLock } from '../../bridge/locks.ts'
import { call, inputs } from '../../kernel/call.ts'
import { isoTime } from '../../kernel/clock.ts'
import { conflict } from '../../kernel/errors.ts'
import { duration, flag, text, withoutUndefined } from '../../kernel/field.ts'
import { boxOf, busOf } from '../bus.ts'
import { type Context, defineOperation, whoActs } from '../define.ts'

const glob = text('The files: a path, or a pattern such as src/auth/**. A folder means all that is in it.', {
  positional: true,
  required: true,
  placeholder: 'GLOB',
  longest: 1024,
})

const locksOf = async (context: Context) => {
  const { GlobLocks } = await import('../../bridge/locks.ts')
  return new GlobLocks((await busOf(context)).tree)
}

const told = ({ until, ...lock }: GlobLock) => ({ ...lock, until: isoTime(until) })

const globLock = {
  glob: 'text',
  owner: 'text',
  until: 'time',
  fence: 'integer',
  'reason?': 'text',
  'session?': 'text',
} as const

export const lock = defineOperation({
  name: 'lock',
  summary: 'Lock files for a while, so that no other agent changes them.',
  more:
    'Patterns of different agents that can mean the same file exclude each other, and so do locks taken in sessions. Taking it ' +
    'again makes it last longer. Exit status 1: another agent holds it; who, until when and why is printed.',
  input: {
    glob,
    ttl: duration('How long, a day at most.', {
      default: 1_800_000,
      least: 1000,
      most: 86_400_000,
      placeholder: 'SECONDS',
    }),
    reason: text('What for, told to whoever is kept waiting.', { placeholder: 'TEXT', longest: 1000 }),
    wait: duration('How long to wait for it.', { least: 0, placeholder: 'SECONDS' }),
  },
  outcomes: { locked: 'done', busy: 'nothing' },
  output: { locked: { lock: globLock }, busy: { lock: globLock } },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    { command: "lock 'src/auth/**' --as gemini --reason 'new login'", does: 'keep others out for half an hour' },
  ],

  async run(context, { glob, ttl, reason, wait }) {
    const { cleanGlob } = await import('../../bridge/locks.ts')
    const owner = await whoActs(context)
    await (await boxOf(context)).acts(owner)
    const wish = { glob: cleanGlob(glob), owner, ttlMs: ttl, ...(reason === undefined ? {} : { reason }) }
    const taken = await (await locksOf(context)).take(wish, withoutUndefined({ waitMs: wait, signal: context.signal }))
    return { outcome: taken.outcome, lock: told(taken.lock) } as const
  },
})

export const unlock = defineOperation({
  name: 'unlock',
  summary: 'Give a lock back.',
  input: { glob, force: flag('Also one that another agent holds.') },
  outcomes: { unlocked: 'done', unchanged: 'done' },
  output: { unlocked: { glob: 'text' }, unchanged: { glob: 'text' } },
  effects: 'destroys',
  isRepeatable: true,
  examples: [{ command: "unlock 'src/auth/**' --as gemini", does: 'let others change it again' }],

  async run(context, { glob, force }) {
    const { cleanGlob } = await import('../../bridge/locks.ts')
    const owner = await whoActs(context)
    await (await boxOf(context)).acts(owner)
    const released = await (await locksOf(context)).release(cleanGlob(glob), owner, { force })
    if (released === 'not-owner')
      throw conflict('NOT_OWNER', `Another agent holds ${JSON.stringify(glob)}.`, {
        hint: `See who: ${call('locks')}. To take it away: ${inputs({ force: true })}`,
        details: { glob },
      })
    return { outcome: released === 'released' ? 'unlocked' : 'unchanged', glob } as const
  },
})

export const locks = defineOperation({
  name: 'locks',
  summary: 'List all locks: who holds what, until when, and why.',
  input: {},
  lists: { locks: 'first' },
  outcomes: { listed: 'done' },
  output: { listed: { locks: [globLock] } },
  effects: 'reads',
  examples: [{ command: 'locks', does: 'see what is locked' }],
  run: async (context) => ({ outcome: 'listed', locks: (await (await locksOf(context)).list()).map(told) }) as const,
})

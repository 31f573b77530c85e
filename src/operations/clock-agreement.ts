/**
 * Whether this machine's clock agrees with the tree's own time. Ages and ends are measured by the tree's, so a wrong clock
 * does no harm to the work of others; but what this machine writes into messages bears the wrong time, and people should
 * know.
 */
import type { Tree } from '../tree/tree.ts'
import type { Context } from './define.ts'

export interface Disagreement {
  readonly message: string
  readonly hint: string
}

const second = 1000
const minute = 60 * second
/** Clocks that are not kept right come to less than this in some weeks, which does no harm. */
const tolerated = minute

export async function clockDisagreement(context: Context, tree: Tree): Promise<Disagreement | undefined> {
  const now = await tree.now()
  const own = context.clock.now()
  if (Math.abs(own - now) <= tolerated) return undefined
  const difference = `${inWords(Math.abs(own - now))} ${own > now ? 'ahead of' : 'behind'}`
  return {
    message: `The clock of this machine is ${difference} the time of ${tree.place}: ${shown(own)} here, ${shown(now)} there.`,
    hint:
      'Set the clock, or let it be kept right (NTP). Ages and ends go by the time there; what is written into messages here ' +
      'goes by this clock.',
  }
}

const told = new WeakSet<Context>()

/** For operations that judge by time. Told once for each context, however often it is asked. */
export async function tellClock(context: Context): Promise<void> {
  if (told.has(context)) return
  told.add(context)
  const found = await clockDisagreement(context, await context.tree())
  if (found) context.report.notice(`${found.message} ${found.hint}`)
}

/** To the second; what no calendar has is left as a number. */
const shown = (time: number): string =>
  Math.abs(time) <= lastMoment ? new Date(time).toISOString().replace(/\.\d+Z$/, 'Z') : `${time} ms`
const lastMoment = 8.64e15

const units = [
  ['day', 24 * 60 * minute],
  ['hour', 60 * minute],
  ['minute', minute],
  ['second', second],
] as const

/** The two largest units that count: `2 days and 3 hours`. */
export function inWords(milliseconds: number): string {
  let rest = Math.round(milliseconds / second) * second
  const first = units.findIndex(([, length]) => rest >= length)
  const words = units.slice(Math.max(0, first), Math.max(0, first) + 2).flatMap(([name, length]) => {
    const count = Math.floor(rest / length)
    rest %= length
    return count === 0 ? [] : [`${count} ${name}${count === 1 ? '' : 's'}`]
  })
  return words.join(' and ') || '0 seconds'
}

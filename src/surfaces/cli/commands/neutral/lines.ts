/** How messages of any protocol are told in a line. */
import type { Envelope } from '../../../../kernel/envelope.ts'
import { printableLine } from '../../../../kernel/printable.ts'
import { ageOf } from '../../lines.ts'
import type { Screen } from '../../terminal.ts'

export type ToldEnvelope = Omit<Envelope, 'native'>

/** The first eight characters of an id that is made by chance name its message as well as all of them. */
export const shortHandle = (handle: string): string =>
  handle.replace(/([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/, '$1')

export const handleOf = ({ handle }: Pick<Envelope, 'handle'>): string => printableLine(shortHandle(handle))

export function messageLine(message: ToldEnvelope, { paint }: Screen, now = Date.now()): string {
  const { from, to, kind, urgency, summary, createdAt, stage } = message
  const age = ageOf((now - Date.parse(createdAt)) / 1000)
  const what = [kind, ...(urgency === 'normal' ? [] : [urgency]), ...(stage === 'written' ? [] : [stage]), age].join(
    ' ',
  )
  const who = `${printableLine(from)} → ${printableLine(to)}`
  return `${paint('bold', handleOf(message))}  ${who}  ${what}  ${printableLine(summary.slice(0, 120))}\n`
}

/** Agents are told at the end of every answer how much waits for them, if anything does. */
export const moreLine = (waiting: number): string =>
  waiting === 0 ? '' : `${waiting >= 100 ? '100 or more' : waiting} more ${waiting === 1 ? 'waits' : 'wait'}.\n`

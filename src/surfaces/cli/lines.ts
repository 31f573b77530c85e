/** What many commands print. */
import type { Envelope } from '../../kernel/envelope.ts'
import { escaped, printable, printableLine } from '../../kernel/printable.ts'
import { printDuration } from '../../operations/check-input.ts'
import type { Paint, Screen } from './terminal.ts'

/** Something that was done just now. */
export const stepLine = (text: string, paint: Paint): string => `  ${paint('green', '›')} ${printableLine(text)}\n`

/** Notices for people beside the result, one line each. */
export const noticeLines = ({ notices = [] }: { readonly notices?: readonly string[] }, { paint }: Screen): string =>
  notices.map((notice) => `${paint('yellow', 'note:')} ${printableLine(notice)}\n`).join('')

interface WithAlerts {
  readonly alerts: readonly { readonly message: string }[]
}

export const alertLines = ({ alerts }: WithAlerts, { paint }: Screen): string =>
  alerts.map(({ message }) => `${paint('red', 'alert:')} ${printableLine(message)}\n`).join('')

export const noticesAndAlerts = (output: WithAlerts & { readonly notices: readonly string[] }, screen: Screen) =>
  noticeLines(output, screen) + alertLines(output, screen)

/** Files that are no messages: told beside the result, because no message may go unnoticed. Ten show what is wrong. */
export function unreadableLines(unreadable: readonly Unreadable[], { paint }: Screen): string {
  const lines = unreadable
    .slice(0, mostUnreadable)
    .map(({ path, reason }) => `${paint('yellow', 'unreadable:')} ${printableLine(path)}: ${printableLine(reason)}\n`)
  const left = unreadable.length - lines.length
  return `${lines.join('')}${left > 0 ? `… and ${left} more: signalbox doctor\n` : ''}`
}

const mostUnreadable = 10

interface Unreadable {
  readonly path: string
  readonly reason: string
}

/** The same for an answer that lists them in `rejected`. */
export const rejectedLines = ({ rejected }: { readonly rejected: readonly Unreadable[] }, screen: Screen): string =>
  unreadableLines(rejected, screen)

/** One line a write: what happened to which message, and where it is now. */
export const writtenLine = (
  did: string,
  { id, path }: { readonly id: string; readonly path: string },
  { paint }: Screen,
): string => `${did} ${paint('bold', printableLine(id))}: ${printableLine(path)}\n`

/** A text of several lines, safe to print, with one line end behind it. */
export const printedText = (text: string): string => printable(text.replaceAll('\r\n', '\n')).replace(/\n*$/, '\n')

/** A span of time at a glance: its two largest units. */
export function ageOf(seconds: number): string {
  const units = printDuration(Math.max(0, Math.floor(seconds)) * 1000).match(/\d+[a-z]+/g) ?? []
  return units.slice(0, 2).join(' ')
}

const steering = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/**
 * One JSON document on one line. Characters that could control a terminal are escaped, too; the parsed values are the
 * same.
 */
export const printJson = (value: unknown): string => `${JSON.stringify(value).replace(steering, escaped)}\n`

/** A message of any protocol in an answer. */
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

/** What the bridge has done, a line each. */
export const carriedSteps = ({ carried, settled }: BridgePass): string[] => [
  ...carried.map(({ from, to }) => `carried ${shortHandle(from)} as ${shortHandle(to)}`),
  ...settled.map(({ from, outcome }) => `${outcome === 'failed' ? 'failed' : 'finished'} ${shortHandle(from)}`),
]

interface BridgePass {
  readonly carried: readonly { readonly from: string; readonly to: string }[]
  readonly settled: readonly { readonly from: string; readonly outcome: string }[]
}

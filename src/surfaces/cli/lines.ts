/** What many commands print. */
import { escaped, printable, printableLine } from '../../kernel/printable.ts'
import { printDuration } from '../../operations/check-input.ts'
import type { Screen } from './terminal.ts'

/** What people should know besides, one line each. */
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

/** The same of an answer that names them. */
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

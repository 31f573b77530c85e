/** A message for people and for agents that read text: its header, and its body as a quotation that it cannot end itself. */
import { printable, printableLine } from '../../../../kernel/printable.ts'
import type { AcmqView, AcmqViewWithBody } from '../../../../operations/acmq/view.ts'
import { grid } from '../../grid.ts'
import type { Screen } from '../../terminal.ts'

export type Row = readonly [name: string, text: string]

export function messageText(message: AcmqViewWithBody, more: readonly Row[], screen: Screen): string {
  const rows: Row[] = [
    ['id', message.id],
    ['from', message.from],
    ['to', message.to],
    ['summary', message.summary],
    ['state', message.attempt > 1 ? `${message.state}, attempt ${message.attempt}` : message.state],
    ['priority', String(message.priority)],
    ['sent', message.createdAt],
    ...message.dependencies.map((text): Row => ['depends on', text]),
    ['file', message.path],
    ...message.problems.map((problem): Row => ['problem', `${problem.field}: ${problem.message}`]),
    ...more,
  ]
  return `${fieldList(rows, screen)}\n${quotation(message.body, message.from, screen)}`
}

export const fieldList = (rows: readonly Row[], screen: Screen): string =>
  grid(rows, [{ text: ([name]) => `${name}:`, colour: () => 'dim' }, { text: ([, text]) => text }], screen)

/** Between fences longer than any in the text. */
export function quotation(body: string, from: string, { paint }: Screen): string {
  const text = printable(body.replaceAll('\r\n', '\n')).replace(/\n*$/, '\n')
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const title = `${fence} quoted from ${printableLine(from)}: what it says is theirs, not this program's`
  return `${paint('dim', title)}\n${text}${paint('dim', fence)}\n`
}

/** One line a write: what happened to which message, and where it is now. */
export const writtenLine = (did: string, { id, path }: AcmqView, { paint }: Screen): string =>
  `${did} ${paint('bold', printableLine(id))}: ${printableLine(path)}\n`

/** What people should know besides, one line each. */
export const noticeLines = ({ notices }: { readonly notices: readonly string[] }, { paint }: Screen): string =>
  notices.map((notice) => `${paint('yellow', 'note:')} ${printableLine(notice)}\n`).join('')

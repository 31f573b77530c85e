/** Lines that many commands print. */
import { printableLine } from '../../kernel/printable.ts'
import type { Screen } from './terminal.ts'

/** What people should know besides, one line each. */
export const noticeLines = ({ notices }: { readonly notices: readonly string[] }, { paint }: Screen): string =>
  notices.map((notice) => `${paint('yellow', 'note:')} ${printableLine(notice)}\n`).join('')

/** Files that are no messages: told beside the result, because no message may go unnoticed. */
export const unreadableLines = (
  unreadable: readonly { readonly path: string; readonly reason: string }[],
  { paint }: Screen,
): string =>
  unreadable
    .map(({ path, reason }) => `${paint('yellow', 'unreadable:')} ${printableLine(path)}: ${printableLine(reason)}\n`)
    .join('')

/** One line a write: what happened to which message, and where it is now. */
export const writtenLine = (
  did: string,
  { id, path }: { readonly id: string; readonly path: string },
  { paint }: Screen,
): string => `${did} ${paint('bold', printableLine(id))}: ${printableLine(path)}\n`

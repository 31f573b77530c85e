import { printableLine } from '../../kernel/printable.ts'
import type { Screen } from './terminal.ts'

/** Notices for standard error, one line each. */
export const noticeLines = ({ notices }: { readonly notices: readonly string[] }, { paint }: Screen): string =>
  notices.map((notice) => `${paint('yellow', 'note:')} ${printableLine(notice)}\n`).join('')

import { printableLine } from '../../kernel/printable.ts'
import type { Screen } from './terminal.ts'

/** What people should know besides, one line each. */
export const noticeLines = ({ notices }: { readonly notices: readonly string[] }, { paint }: Screen): string =>
  notices.map((notice) => `${paint('yellow', 'note:')} ${printableLine(notice)}\n`).join('')

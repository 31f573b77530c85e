import { printableLine } from '../../../../kernel/printable.ts'
import type { Screen } from '../../terminal.ts'

/** Files in a queue that are no messages, for standard error: a broken message must not go unnoticed. */
export const unreadableLines = (
  unreadable: readonly { readonly path: string; readonly reason: string }[],
  { paint }: Screen,
): string =>
  unreadable
    .map(({ path, reason }) => `${paint('yellow', 'unreadable:')} ${printableLine(path)}: ${printableLine(reason)}\n`)
    .join('')

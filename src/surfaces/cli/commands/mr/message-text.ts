/** A message as text: its header, and its payload in a fence that the payload cannot close. */
import { printableLine } from '../../../../kernel/printable.ts'
import type { MrHeader, MrMessage } from '../../../../operations/mr/view.ts'
import { fieldList, type Row } from '../../field-list.ts'
import { quotation } from '../../quotation.ts'
import type { Screen } from '../../terminal.ts'

export function messageText(header: MrHeader, { payload }: MrMessage, more: readonly Row[], screen: Screen): string {
  const { id, from, to, type, sequence, priority, correlationId, createdAt, path, problems, notes } = header
  const rows: Row[] = [
    ['id', id],
    ['from', `${from}, its number ${sequence} to ${to}`],
    ['type', type],
    ...(correlationId === undefined ? [] : [['answers', correlationId] as const]),
    ...(priority === 5 ? [] : [['priority', String(priority)] as const]),
    ['sent', createdAt],
    ['file', path],
    ...problems.map((problem): Row => ['problem', problem]),
    ...notes.map((note): Row => ['note', note]),
    ...more,
  ]
  return `${fieldList(rows, screen)}${quotation(JSON.stringify(payload, undefined, 2), from, screen)}`
}

/** One line a write: what happened to which message, and where it is now. */
export const writtenLine = (
  did: string,
  { id, path }: { readonly id: string; readonly path: string },
  { paint }: Screen,
): string => `${did} ${paint('bold', printableLine(id))}: ${printableLine(path)}\n`

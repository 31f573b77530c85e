/** What the commands of Message Routing print, for people and for agents that read text. */
import type { MrHeader, MrMessage } from '../../../../operations/mr/view.ts'
import { noticesAndAlerts } from '../../lines.ts'
import { fieldList, quotation, type Row } from '../../message.ts'
import type { Screen } from '../../terminal.ts'

/** Its header, and its payload as a quotation. */
export function messageText(header: MrHeader, { payload }: MrMessage, more: readonly Row[], screen: Screen): string {
  const { id, from, to, type, sequence, priority, correlationId, createdAt, path, notices } = header
  const rows: Row[] = [
    ['id', id],
    ['from', `${from}, its number ${sequence} to ${to}`],
    ['type', type],
    ['answers', correlationId],
    ['priority', priority === 5 ? undefined : String(priority)],
    ['sent', createdAt],
    ['file', path],
    ...notices.map((notice): Row => ['note', notice]),
    ...more,
  ]
  return `${fieldList(rows, screen)}${quotation(JSON.stringify(payload, undefined, 2), from, screen, path)}`
}

interface Remarked {
  readonly notices: readonly string[]
  readonly alerts: readonly { readonly message: string }[]
  readonly toldBefore: readonly string[]
}

/** What a command says besides its result, without what an earlier command has told already. Programs find all of it in the JSON. */
export function news({ notices, alerts, toldBefore }: Remarked, screen: Screen): string {
  const isNew = (sentence: string) => !toldBefore.includes(sentence)
  return noticesAndAlerts(
    { notices: notices.filter(isNew), alerts: alerts.filter(({ message }) => isNew(message)) },
    screen,
  )
}

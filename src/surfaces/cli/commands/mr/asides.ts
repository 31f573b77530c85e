/** What is told on standard error beside a result. */
import { printableLine } from '../../../../kernel/printable.ts'
import type { Alert } from '../../../../operations/mr/view.ts'
import { noticeLines } from '../../lines.ts'
import type { Screen } from '../../terminal.ts'

export const alertLines = ({ alerts }: { readonly alerts: readonly Alert[] }, { paint }: Screen): string =>
  alerts.map(({ message }) => `${paint('red', 'alert:')} ${printableLine(message)}\n`).join('')

interface WithAsides {
  readonly notices: readonly string[]
  readonly alerts: readonly Alert[]
}

export const noticesAndAlerts = (output: WithAsides, screen: Screen): string =>
  noticeLines(output, screen) + alertLines(output, screen)

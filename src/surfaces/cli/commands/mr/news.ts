/** What a command says besides its result, without what was said before and still is so. Programs find all of it. */
import { noticesAndAlerts } from '../../lines.ts'
import type { Screen } from '../../terminal.ts'

interface Remarked {
  readonly notices: readonly string[]
  readonly alerts: readonly { readonly message: string }[]
  readonly toldBefore: readonly string[]
}

export function news({ notices, alerts, toldBefore }: Remarked, screen: Screen): string {
  const isNew = (sentence: string) => !toldBefore.includes(sentence)
  return noticesAndAlerts(
    { notices: notices.filter(isNew), alerts: alerts.filter(({ message }) => isNew(message)) },
    screen,
  )
}

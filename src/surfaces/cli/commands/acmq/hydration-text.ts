/** Hydration as text, and what was left out of it. */
import { printable, printableLine } from '../../../../kernel/printable.ts'
import type { Hydration } from '../../../../operations/acmq/view.ts'
import type { Screen } from '../../terminal.ts'

export const hydrationText = ({ document }: Pick<Hydration, 'document'>): string =>
  printable(document.replaceAll('\r\n', '\n')).replace(/\n*$/, '\n')

/** For standard error, one line each. */
export const leftOutLines = ({ leftOut }: Pick<Hydration, 'leftOut'>, { paint }: Screen): string =>
  leftOut
    .map(({ path, reason, detail }) => {
      const why = detail === undefined ? reason : `${reason} (${detail})`
      return `${paint('yellow', 'left out:')} ${printableLine(path)}: ${printableLine(why)}\n`
    })
    .join('')

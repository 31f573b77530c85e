/** Prints what an operation tells while it runs. */
import { printable, printableLine } from '../../kernel/printable.ts'
import type { Passage } from '../../operations/define.ts'
import type { Screen } from './terminal.ts'

export function narrated({ as, text }: Passage, { paint }: Screen): string {
  switch (as) {
    case 'title':
      return `\n${paint('bold', printableLine(text))}\n`
    case 'text':
      return `${printableLine(text)}\n`
    case 'step':
      return `  ${paint('green', '›')} ${printableLine(text)}\n`
    case 'file': {
      const [path, ...lines] = printable(text.trimEnd()).split('\n')
      return `    ${paint('cyan', path!)}\n${lines.map((line) => `    ${paint('dim', '│')} ${line}\n`).join('')}`
    }
  }
}

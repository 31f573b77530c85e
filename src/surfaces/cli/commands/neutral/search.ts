/** What was found, two lines a hit: which message it is, and why. An agent pays for every word. */
import { printableLine } from '../../../../kernel/printable.ts'
import { search } from '../../../../operations/neutral/search.ts'
import { commandFace } from '../../command.ts'
import { messageLine } from '../../lines.ts'

export const searchFace = commandFace(search, ({ hits, overBudget }, screen) => {
  if (hits.length === 0) return 'Nothing found.\n'
  const lines = hits.map(({ message, score, by, excerpt }) => {
    const why = screen.paint('dim', `${score.toFixed(2)} ${by.join(', ')}`)
    return `${messageLine(message, screen)}  ${why}${excerpt === '' ? '' : `: ${printableLine(excerpt)}`}\n`
  })
  return `${lines.join('')}${overBudget > 0 ? `… and ${overBudget} more (--budget)\n` : ''}`
})

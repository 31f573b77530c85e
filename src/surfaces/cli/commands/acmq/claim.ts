import { claim } from '../../../../operations/acmq/claim.ts'
import { commandFace } from '../../command.ts'
import { grid } from '../../grid.ts'
import type { Screen } from '../../terminal.ts'
import { hydrationText, leftOutLines, messageText } from './texts.ts'

type Output = Awaited<ReturnType<typeof claim.invoke>>

export const claimFace = commandFace(claim, show, {
  aside: (claimed, screen) =>
    claimed.outcome === 'claimed' && claimed.hydration ? leftOutLines(claimed.hydration, screen) : '',
})

function show(claimed: Output, screen: Screen): string {
  if (claimed.outcome === 'claimed') {
    const { message, until, hydration } = claimed
    const which = `${message.mission} ${message.id} --as ${message.to} --attempt ${message.attempt}`
    const text = messageText(
      message,
      [
        ['yours until', until],
        ['when done', screen.next(`acmq complete ${which} --result TEXT`)],
        ['or else', screen.next(`acmq fail ${which} --reason TEXT`)],
      ],
      screen,
    )
    return hydration ? `${text}\n${hydrationText(hydration)}` : text
  }
  const { blocked } = claimed
  if (blocked.length === 0) return 'Nothing to claim.\n'
  const shown = blocked.slice(0, mostShown)
  const rows = grid(
    shown,
    [{ text: ({ id }) => id, colour: () => 'bold' }, { text: ({ reason, summary }) => `${reason} · ${summary}` }],
    screen,
    '  ',
  )
  const more = blocked.length > shown.length ? `  … and ${blocked.length - shown.length} more\n` : ''
  return `Nothing to claim now. Waiting for something else:\n${rows}${more}`
}

const mostShown = 20

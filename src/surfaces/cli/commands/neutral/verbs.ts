/** The verbs for every agent. An agent pays for every word: each answer is a line, and the text that it asked for. */
import { printableLine } from '../../../../kernel/printable.ts'
import { wait } from '../../../../operations/neutral/look.ts'
import { send } from '../../../../operations/neutral/send.ts'
import { done, fail, release, renew } from '../../../../operations/neutral/settle.ts'
import { inbox, take } from '../../../../operations/neutral/take.ts'
import { type CommandFace, commandFace } from '../../command.ts'
import { handleOf, messageLine, moreLine, noticeLines, shortHandle, type ToldEnvelope } from '../../lines.ts'
import { quotation } from '../../message.ts'
import { shellWord } from '../../spelling.ts'
import type { Screen } from '../../terminal.ts'

export const sendFace = commandFace(
  send,
  (output, screen) => {
    if ('messages' in output) return output.messages.map((message) => sentLine(output.outcome, message)).join('')
    const { outcome, message } = output
    if (outcome === 'sent' || outcome === 'unchanged') return sentLine(outcome, message)
    return `${sentLine('sent', message)}${awaitedText(output, screen)}`
  },
  { aside: ({ notices }, screen) => noticeLines({ notices }, screen) },
)

const sentLine = (outcome: string, message: ToldEnvelope): string =>
  `${outcome === 'unchanged' ? 'Sent before:' : 'Sent'} ${handleOf(message)} to ${printableLine(message.to)}.\n`

export const inboxFace = commandFace(inbox, ({ messages }, screen) =>
  messages.length === 0 ? 'Nothing waits.\n' : messages.map((message) => messageLine(message, screen)).join(''),
)

export const takeFace = commandFace(take, (output, screen) => {
  if (output.outcome === 'nothing') return 'Nothing waits.\n'
  const { message, receipt, until, waiting, isGivenAgain } = output
  const { from, kind, urgency, path, text } = message
  const facts = [
    kind,
    ...(urgency === 'normal' ? [] : [urgency]),
    ...(until === undefined ? [] : [`until ${until}`]),
    ...(isGivenAgain ? ['given again'] : []),
  ]
  const how = screen.next(`signalbox done ${shellWord(shortHandle(receipt))} --result TEXT`)
  const ends = kind === 'tell' ? '' : `${how} (or fail --reason TEXT, or release)\n`
  return `${facts.join(', ')}\n${quotation(text, from, screen, path)}${ends}${moreLine(waiting)}`
})

const settledFace =
  <Output extends { readonly outcome: string; readonly message: ToldEnvelope }>(
    did: string,
  ): CommandFace<Output>['show'] =>
  (output) => {
    const { outcome, message } = output
    const waiting = 'waiting' in output ? (output.waiting as number) : 0
    return `${outcome === 'unchanged' ? `${did} before:` : did} ${handleOf(message)}.\n${moreLine(waiting)}`
  }

export const doneFace = commandFace(done, settledFace('Finished'))
export const failFace = commandFace(fail, settledFace('Given up'))
export const releaseFace = commandFace(release, settledFace('Given back'))
export const renewFace = commandFace(renew, settledFace('Renewed'))

export const waitFace = commandFace(wait, awaitedText)

interface AwaitedOutput {
  readonly outcome: string
  readonly message: ToldEnvelope
  readonly result?: string
}

function awaitedText({ outcome, message, result }: AwaitedOutput, screen: Screen): string {
  const handle = handleOf(message)
  if (outcome === 'timeout') return `${handle} is not finished: ${screen.next(`signalbox why ${shellWord(handle)}`)}\n`
  const who = message.claim?.by ?? message.to
  const did = { finished: 'has finished', answered: 'has answered', failed: 'has given up' }[outcome] ?? outcome
  return `${printableLine(who)} ${did} ${handle}:\n${quotation(result ?? '', who, screen)}`
}

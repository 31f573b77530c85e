import { printableLine } from '../../../../kernel/printable.ts'
import { wait } from '../../../../operations/acmq/wait.ts'
import { commandFace } from '../../command.ts'
import { printedText } from '../../lines.ts'
import type { Screen } from '../../terminal.ts'

type Output = Awaited<ReturnType<typeof wait.invoke>>
type Ended = Output['messages'][number]

export const waitFace = commandFace(wait, ({ messages, unsettled }, screen) => {
  const waiting = unsettled.map((id) => `${screen.paint('yellow', 'not done')} ${printableLine(id)}\n`)
  return [...messages.map((message) => endedText(message, screen)), ...waiting].join('')
})

function endedText({ id, ended, to, result, failure }: Ended, { paint }: Screen): string {
  const heading = `${paint(ended === 'completed' ? 'green' : 'red', ended)} ${printableLine(`${id} by ${to}`)}`
  const texts = failure
    ? [failure.reason, failure.detail]
    : [result?.text, ...(result?.links ?? []).map((link) => `see ${link}`)]
  const lines = texts.flatMap((text) => (text ? printedText(text).trimEnd().split('\n') : []))
  return `${heading}\n${lines.map((line) => `  ${line}\n`).join('')}`
}

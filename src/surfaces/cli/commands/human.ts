import { printableLine } from '../../../kernel/printable.ts'
import { humanAnswer, humanApprove, humanDeny, humanList } from '../../../operations/human.ts'
import type { WaitingQuestion } from '../../../operations/human-inbox.ts'
import { commandFace } from '../command.ts'
import { ageOf, noticeLines, writtenLine } from '../lines.ts'
import { fieldList, quotation, type Row } from '../message.ts'
import { shellWord } from '../spelling.ts'
import type { Screen } from '../terminal.ts'

type Shown = Omit<WaitingQuestion, 'details'>

export const humanListFace = commandFace(
  humanList,
  ({ waiting }, screen) =>
    waiting.length === 0 ? 'Nothing waits for you.\n' : waiting.map((one) => shown(one, screen)).join('\n'),
  { aside: noticeLines },
)

const shown = (question: Shown, screen: Screen): string =>
  `${fieldList(rowsOf(question), screen)}${quotation(question.text, question.from, screen)}${optionLines(question)}${waysOut(question, screen)}`

function rowsOf({ id, protocol, kind, from, ageSeconds, facts, summary }: Shown): Row[] {
  const own: Row[] = [
    ['id', id],
    ['protocol', protocol],
    ['kind', kind],
    ['from', from],
  ]
  if (ageSeconds !== undefined) own.push(['asked', `${ageOf(ageSeconds)} ago`])
  const told = new Set(own.map(([name]) => name))
  return [...own, ...facts.filter(([name]) => !told.has(name)), ['summary', summary]]
}

/** Options are never cut: a person should read to its end what is chosen. */
const optionLines = ({ options, from }: Shown): string =>
  options.length === 0
    ? ''
    : `options, in the words of ${printableLine(from)}:\n${options.map((text, n) => `  ${n + 1}  ${printableLine(text)}\n`).join('')}`

/** What to type for each answer that it can get. Not cut to the width of a terminal, so that it can be copied. */
function waysOut(question: Shown, { paint, next }: Screen): string {
  const { id, digest, options, answers, kind } = question
  const word = shellWord(id)
  const ways: Row[] = kind === 'quarantine' ? waysOfFile(question) : []
  if (answers.includes('answer')) {
    if (options.length > 0) ways.push(['to choose', `answer ${word} --option 1 --digest ${digest}`])
    ways.push(['to answer', `answer ${word} --body TEXT --digest ${digest}`])
  }
  if (answers.includes('approve') && kind !== 'quarantine')
    ways.push(['to let it go', `approve ${word} --digest ${digest}`])
  if (answers.includes('deny') && kind !== 'quarantine') ways.push(['to refuse it', `deny ${word} --reason TEXT`])
  const width = Math.max(...ways.map(([name]) => name.length))
  return ways
    .map(
      ([name, command]) =>
        `${paint('dim', `${name}:`)}${' '.repeat(width - name.length + 2)}${next(`signalbox human ${command}`)}\n`,
    )
    .join('')
}

/** Without a digest: the file is judged again when it is put back. With its place, since two folders may have files of one name. */
function waysOfFile({ id, place, answers }: Shown): Row[] {
  const word = `${shellWord(id)}${place === undefined ? '' : ` --in ${shellWord(place)}`}`
  return [
    ...(answers.includes('approve') ? [['once it is corrected', `approve ${word}`] as const] : []),
    ['to leave it as it is', `deny ${word} --reason TEXT`],
  ]
}

export const humanApproveFace = commandFace(humanApprove, (output, screen) => {
  const isFile = 'quarantined' in output
  return writtenLine(
    isFile ? 'Put back' : output.outcome === 'approved' ? 'Approved' : 'Approved already:',
    output.message,
    screen,
  )
})

export const humanDenyFace = commandFace(humanDeny, (output, screen) => {
  const isNew = output.outcome === 'denied'
  const isFile = 'quarantined' in output
  const said = isFile ? ['Left as it is:', 'Left already:'] : ['Denied', 'Failed already:']
  return writtenLine(said[isNew ? 0 : 1]!, output.message, screen)
})

/** Where the answer is, if the protocol sends one; else where the question is now. */
export const humanAnswerFace = commandFace(humanAnswer, ({ outcome, message, sent }, screen) =>
  writtenLine(
    outcome === 'answered' ? 'Answered' : 'Answered already:',
    { ...message, ...(sent && { path: sent.path }) },
    screen,
  ),
)

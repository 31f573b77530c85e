/** The log of a bottom-up report, message by message; a report that is kept has it in numbered parts. Pure. */
import { inlineCode, quote } from '../../../kernel/quotation.ts'
import { generatedMark, logHeading, withCheck } from './generated.ts'
import { plainText } from './plain-text.ts'
import type { ReportMessage } from './report-picture.ts'
import { linkTo } from './report-words.ts'

/** `body`: all that it says; `undefined` when that is left out. `mission`: whose report it is. */
export function logEntry(message: ReportMessage, body: string | undefined, mission: string): string {
  const { name, createdAt, from, to, summary, status, state } = message
  const where = message.mission === mission ? '' : `**Mission:** ${plainText(message.mission, 200)}  \n`
  const about = `${createdAt}, ${plainText(from)} to ${plainText(to)}, ${plainText(status)}${state === 'archived' ? ', archived' : ''}: ${plainText(summary)}`
  const text = body === undefined ? leftOut : quote(body, 'quoted').trimEnd()
  return `---\n${where}**File:** ${inlineCode(name)}\n\n${about}\n\n${text}`
}

const leftOut = 'What it says does not fit into what is printed; keep the report with `--out`, which divides it.'

/** `stem-part-2.md`, beside the document itself. */
export const partPath = <Path extends string>(path: Path, n: number): Path =>
  `${path.slice(0, -'.md'.length)}-part-${n}.md` as Path

export const partNumber = (path: string, main: string): number | undefined => {
  const found = /^(.*)-part-(\d{1,6})\.md$/.exec(path)
  return found && `${found[1]}.md` === main ? Number(found[2]) : undefined
}

export function printMain(front: string, log: readonly string[], path: string, parts: number): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const links = Array.from({ length: parts - 1 }, (_, i) => linkTo('', `part ${i + 2}`, partPath(name, i + 2)))
  const rest = links.length === 0 ? [] : [`The log goes on in ${links.join(', ')}.`]
  return withCheck([front, logHeading, ...log, ...rest].join('\n\n'))
}

export function printPart(title: string, log: readonly string[], path: string, n: number): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const head = `# ${title} (part ${n})\n\n${generatedMark}\n\nIt begins in ${linkTo('', name, name)}.`
  return withCheck([head, logHeading, ...log].join('\n\n'))
}

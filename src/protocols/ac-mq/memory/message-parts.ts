/** The parts of a message: what was asked, the result, and why it failed. */
import { type Failure, failureOf, type Result, resultOf } from '../reports.ts'

export interface MessageParts {
  readonly asked: string
  readonly result?: Result
  readonly failure?: Failure
}

const firstReport = /(?:^|\n) ?---[ \t]*\r?\n\s*\*\*(?:Failure Report|Result)\*\*[ \t]*\r?(?:\n|$)/

export function messagePartsIn(body: string): MessageParts {
  const bytes = Buffer.from(body)
  const at = firstReport.exec(body)?.index
  const result = resultOf(bytes)
  const failure = failureOf(bytes)
  return {
    asked: at === undefined ? body : body.slice(0, at),
    ...(result ? { result } : {}),
    ...(failure ? { failure } : {}),
  }
}

/** What is compared: the words of people and agents, when it was sent (`own`) and since, without the frame around them. */
export const comparedParts = (summary: string, body: string) => partsOf(summary, messagePartsIn(body))

function partsOf(summary: string, { asked, result, failure }: MessageParts) {
  const links = result?.links.map((link) => `\`${link}\``) ?? []
  const added = [result?.text, ...links, failure?.reason, failure?.detail]
  return { own: `${summary}\n${asked.trim()}`, added: added.filter(Boolean).join('\n') }
}

export const comparedText = (summary: string, body: string): string => comparedOf(summary, messagePartsIn(body))

export function comparedOf(summary: string, said: MessageParts): string {
  const { own, added } = partsOf(summary, said)
  return added === '' ? own : `${own}\n${added}`
}

export function shortened({ asked, result, failure }: MessageParts, most: number): MessageParts {
  const cut = (text: string) => text.slice(0, most)
  return {
    asked: cut(asked),
    ...(result ? { result: { ...result, text: cut(result.text), links: result.links.slice(0, 20) } } : {}),
    ...(failure ? { failure: { ...failure, reason: cut(failure.reason), detail: cut(failure.detail ?? '') } } : {}),
  }
}

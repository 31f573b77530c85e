/** What a sender gives, as the sections of a message. Pure. Spec: CIRCE, "Standard Message Format". */

import { type HeaderMarkdown, parseHeaderMarkdown, type Section } from '../../formats/header-markdown.ts'
import { inputs } from '../../kernel/call.ts'
import { invalidInput, SignalboxError } from '../../kernel/errors.ts'

interface Given {
  /** Written as it is, with the headings that it has. */
  readonly lead?: string
  readonly summary?: string
  readonly body?: string
  readonly sections?: readonly Section[]
  readonly artifacts?: readonly string[]
}

/**
 * The summary first, then the body, then the further sections, then the artifacts. Text of the body without a heading becomes the
 * section `Context`, or the summary where none is given.
 */
export function splitBody({ lead, summary, body = '', sections = [], artifacts = [] }: Given): {
  readonly lead: string
  readonly sections: readonly Section[]
} {
  if (lead !== undefined) return { lead, sections: [] }
  // Read as a message would be: headings in fenced code are code.
  const parsed = sectionsIn(body)
  const said: Section[] = []
  const hasSummary = summary !== undefined && summary.trim() !== ''
  if (hasSummary) said.push({ name: 'Summary', text: oneLine(summary) })
  if (parsed.lead !== '') said.push({ name: hasSummary ? 'Context' : 'Summary', text: parsed.lead })
  for (const section of [...parsed.sections, ...sections]) {
    const at = said.findIndex(({ name }) => name.toLowerCase() === section.name.toLowerCase())
    if (at < 0) said.push(section)
    else said[at] = { name: said[at]!.name, text: [said[at]!.text, section.text].filter(Boolean).join('\n\n') }
  }
  if (artifacts.length > 0) {
    const text = artifacts.map((path) => `- ${oneLine(path)}`).join('\n')
    const at = said.findIndex(({ name }) => name.toLowerCase() === 'artifacts')
    if (at < 0) said.push({ name: 'Artifacts', text })
    else said[at] = { name: said[at]!.name, text: `${said[at]!.text}\n${text}` }
  }
  if (said.length === 0) {
    throw invalidInput('MISSING_INPUT', 'There is nothing to send.', {
      hint: `Give ${inputs({ summary: 'TEXT' })}, ${inputs({ section: 'NAME=TEXT' })} or ${inputs({ file: 'FILE' })}.`,
      details: { field: 'summary' },
    })
  }
  return { lead: '', sections: said }
}

function sectionsIn(body: string): Pick<HeaderMarkdown, 'lead' | 'sections'> {
  try {
    return parseHeaderMarkdown(`# MESSAGE\n\n${body}`)
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    throw invalidInput('BAD_HEADER', 'The text holds a line `# MESSAGE`, which begins another message.', {
      hint: 'Put it between fences of code, or send one message at a time.',
      cause: error,
    })
  }
}

function oneLine(text: string): string {
  if (!/[\r\n]/.test(text.trim())) return text.trim()
  throw invalidInput('BAD_HEADER', `This must be one line: ${JSON.stringify(text.slice(0, 60))}.`, {
    hint: `Put text of several lines into a section: ${inputs({ section: 'Context=TEXT' })}`,
  })
}

/** The front matter of a manifest, if there is any, and where its body begins. */
import { readFields, splitFrontMatter } from '../../../formats/front-matter.ts'
import type { Fields } from '../../../formats/header-field.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import type { ManifestProblem } from './references.ts'

export interface Head {
  readonly fields: Fields
  /** A header that cannot be read is a problem, and the body counts without it. */
  readonly problems: readonly ManifestProblem[]
  readonly bodyStart: number
  readonly firstLine: number
}

export function readHead(text: string): Head {
  let fields: Fields = new Map()
  const problems: ManifestProblem[] = []
  let bodyStart = text.charCodeAt(0) === 0xfeff ? 1 : 0
  try {
    const place = splitFrontMatter(text)
    bodyStart = place?.bodyStart ?? bodyStart
    if (place) fields = readFields(text.slice(place.headerStart, place.headerEnd), 2)
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    const { line = 1, reason = error.message } = error.details
    problems.push({ line: Number(line), text: '---', reason: String(reason) })
  }
  return { fields, problems, bodyStart, firstLine: text.slice(0, bodyStart).split(/\r\n|\n|\r/).length }
}

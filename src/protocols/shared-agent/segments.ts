/**
 * A line between its colons. `\:` is a colon that separates nothing; of several backslashes before a colon each pair stands
 * for one, and everywhere else a backslash is a backslash. Nothing inside `{{…}}` separates. Pure.
 */

export interface Segment {
  /** Without escapes. */
  readonly text: string
  /** Where it begins in the line. */
  readonly at: number
}

const reference = /\{\{[A-Z][A-Z0-9_]{0,63}(?:\|[^{}]*)?\}\}/y

/** The segments of `line` from `from` on. */
export function segmentsOf(line: string, from: number): Segment[] {
  const segments: Segment[] = []
  let [start, text] = [from, '']
  for (let at = from; at < line.length; ) {
    if (line.startsWith('{{', at)) {
      reference.lastIndex = at
      const [whole] = reference.exec(line) ?? []
      if (whole !== undefined) {
        text += whole
        at += whole.length
        continue
      }
    }
    if (line[at] === '\\') {
      const end = endOfRun(line, at)
      const count = end - at
      if (line[end] !== ':') {
        text += line.slice(at, end)
        at = end
        continue
      }
      text += '\\'.repeat(Math.floor(count / 2))
      at = end
      if (count % 2 === 1) {
        text += ':'
        at++
      }
      continue
    }
    if (line[at] === ':') {
      segments.push({ text, at: start })
      start = ++at
      text = ''
      continue
    }
    text += line[at++]
  }
  segments.push({ text, at: start })
  return segments
}

function endOfRun(line: string, from: number): number {
  let end = from
  while (line[end] === '\\') end++
  return end
}

/** A text that is to be one segment and is followed by another. */
export const escapeSegment = (text: string): string => escaped(text, '\\:').replace(/\\+$/, doubled)

/** A text at the end of a line, where colons may stand as they are. */
export const escapeLast = (text: string): string => escaped(text, ':')

const doubled = (run: string): string => run + run

/** Colons become `colon`; backslashes before one are doubled, so that they stay what they are. References stay whole. */
function escaped(text: string, colon: string): string {
  return text.replace(
    /(\{\{[A-Z][A-Z0-9_]{0,63}(?:\|[^{}]*)?\}\})|(\\*):/g,
    (_, kept: string | undefined, run: string) => (kept === undefined ? doubled(run) + colon : kept),
  )
}

/**
 * The YAML header between two `---` lines at the top of a Markdown file, and where the body begins.
 * The body is not parsed, so it may contain anything. Spec: AC-MQ §3.
 */
import { carriageReturn, hyphen, lineFeed, space, tab } from './codes.ts'
import { readHeaderFast } from './header-fast.ts'
import { badFrontMatter, type Fields, longestHeader } from './header-field.ts'
import { readHeaderYaml } from './header-yaml.ts'

/** Positions are characters for text and bytes for bytes. */
export interface FrontMatterPlace {
  readonly headerStart: number
  /** Where the closing `---` line begins. */
  readonly headerEnd: number
  readonly bodyStart: number
  readonly eol: '\n' | '\r\n'
}

export interface FrontMatter extends FrontMatterPlace {
  readonly fields: Fields
}

/** Finds the header. `undefined` when the first line is not `---`: then everything is body. */
export function splitFrontMatter(source: string | Uint8Array): FrontMatterPlace | undefined {
  const headerStart = afterFence(source, markLength(source))
  if (headerStart < 0) return undefined
  for (
    let line = headerStart;
    line < source.length && line - headerStart <= longestHeader;
    line = afterLine(source, line)
  ) {
    const bodyStart = afterFence(source, line)
    if (bodyStart < 0) continue
    return {
      headerStart,
      headerEnd: line,
      bodyStart,
      eol: codeAt(source, headerStart - 2) === carriageReturn ? '\r\n' : '\n',
    }
  }
  const isLong = source.length - headerStart > longestHeader
  const reason = isLong ? `it is not closed within ${longestHeader} bytes` : 'no line `---` closes it'
  throw badFrontMatter(1, reason, 'End the header with a line that is only `---`.')
}

/** The start of the line after a `---` line at `at`, or -1 when there is none. */
function afterFence(source: string | Uint8Array, at: number): number {
  for (let i = at; i < at + 3; i++) if (codeAt(source, i) !== hyphen) return -1
  let i = at + 3
  while (codeAt(source, i) === space || codeAt(source, i) === tab) i++
  if (i >= source.length) return source.length
  if (codeAt(source, i) === carriageReturn) i++
  return codeAt(source, i) === lineFeed ? i + 1 : -1
}

function afterLine(source: string | Uint8Array, at: number): number {
  const end = typeof source === 'string' ? source.indexOf('\n', at) : source.indexOf(lineFeed, at)
  return end < 0 ? source.length : end + 1
}

/** Characters or bytes taken by a byte-order mark. */
function markLength(source: string | Uint8Array): number {
  if (typeof source === 'string') return source.charCodeAt(0) === 0xfeff ? 1 : 0
  return source[0] === 0xef && source[1] === 0xbb && source[2] === 0xbf ? 3 : 0
}

const codeAt = (source: string | Uint8Array, at: number): number | undefined =>
  typeof source === 'string' ? source.charCodeAt(at) : source[at]

/** Reads the fields of `key: value` lines; `firstLine` is the number of the first one in its file. */
export function readFields(header: string, firstLine = 1): Fields {
  if (header.length <= longestHeader) return readHeaderFast(header) ?? readHeaderYaml(header, firstLine)
  const reason = `the header is longer than ${longestHeader} characters`
  throw badFrontMatter(firstLine, reason, 'Move long text into the body.')
}

/** The header of a message and where its body begins; `undefined` when it has none. */
export function readFrontMatter(text: string): FrontMatter | undefined {
  const place = splitFrontMatter(text)
  return place && withFields(place, text.slice(place.headerStart, place.headerEnd))
}

/** The same without decoding the body. Bytes of the header that are not UTF-8 read as U+FFFD. */
export function readFrontMatterBytes(bytes: Uint8Array): FrontMatter | undefined {
  const place = splitFrontMatter(bytes)
  return place && withFields(place, bufferOf(bytes).toString('utf8', place.headerStart, place.headerEnd))
}

function withFields(place: FrontMatterPlace, header: string): FrontMatter {
  const { headerStart, headerEnd, bodyStart, eol } = place
  return { headerStart, headerEnd, bodyStart, eol, fields: readFields(header, 2) }
}

/** The bytes as a `Buffer` over the same memory. */
export const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Everything after the closing `---` line, byte for byte. */
export const bodyOf = (bytes: Uint8Array): Uint8Array => bytes.subarray(splitFrontMatter(bytes)?.bodyStart ?? 0)

/**
 * A reader for the YAML that message headers are made of: one `key: value` a line, lists of scalars, comments.
 *
 * It answers only if the `yaml` package would give the same answer, and says "unsure" otherwise, so it has no errors of its
 * own. It exists because one parse with `yaml` costs more than everything else that a message needs in a queue.
 */
import {
  closeBracket,
  colon,
  comma,
  hash,
  hyphen,
  isLineEnd,
  isWordPart,
  isWordStart,
  openBracket,
  space,
} from './codes.ts'
import type { Field, Fields, Scalar } from './header-field.ts'
import { ScalarScanner } from './scalar-scanner.ts'

// YAML refuses keys of more than 1024 characters. Long ones are left to the `yaml` package.
const longestKey = 128

/** The fields in order, or `undefined` when unsure. */
export function readHeaderFast(header: string): Fields | undefined {
  const fields = new Map<string, Field>()
  const scanner = new ScalarScanner(header)
  while (scanner.at < header.length) {
    const first = scanner.code
    if (first === hash) scanner.skipLine()
    else if (isLineEnd(first)) {
      if (!scanner.lineEnd()) return undefined
    } else {
      const key = readKey(scanner)
      const field = key === undefined ? undefined : readField(scanner)
      if (!field) return undefined
      const count = fields.size
      // A key twice: the `yaml` package will refuse it.
      if (fields.set(key!, field).size === count) return undefined
    }
  }
  return fields
}

/** Stops behind the colon. */
function readKey(scanner: ScalarScanner): string | undefined {
  const { text, at } = scanner
  if (!isWordStart(text.charCodeAt(at))) return undefined
  let end = at + 1
  while (isWordPart(text.charCodeAt(end))) end++
  if (text.charCodeAt(end) !== colon || end - at > longestKey) return undefined
  scanner.at = end + 1
  return text.slice(at, end)
}

function readField(scanner: ScalarScanner): Field | undefined {
  const from = scanner.at
  scanner.skipSpaces()
  const first = scanner.code
  if (isLineEnd(first) || first === hash) {
    scanner.at = from
    return scanner.lineEnd() ? readBlockList(scanner, from) : undefined
  }
  if (scanner.at === from) return undefined
  if (first === openBracket) return readFlowList(scanner, from)
  if (!scanner.scalarLine()) return undefined
  return { value: scanner.value, text: scanner.source, texts: undefined, from, to: scanner.end }
}

/** Reads the list items in the lines below a key without a value; if there are none, the value is null. */
function readBlockList(scanner: ScalarScanner, from: number): Field | undefined {
  const start = scanner.at
  scanner.skipSpaces()
  const indent = scanner.at - start
  scanner.at = start
  if (!isItem(scanner, indent)) return { value: null, text: '', texts: undefined, from, to: from }
  const values: Scalar[] = []
  const texts: string[] = []
  do {
    scanner.at += indent + 2
    scanner.skipSpaces()
    if (!scanner.scalarLine()) return undefined
    values.push(scanner.value)
    texts.push(scanner.source)
  } while (isItem(scanner, indent))
  return { value: values, text: undefined, texts, from, to: scanner.end }
}

function isItem({ text, at }: ScalarScanner, indent: number): boolean {
  for (let i = at; i < at + indent; i++) if (text.charCodeAt(i) !== space) return false
  return text.charCodeAt(at + indent) === hyphen && text.charCodeAt(at + indent + 1) === space
}

/** `[a, "b", 3]` on one line. */
function readFlowList(scanner: ScalarScanner, from: number): Field | undefined {
  const values: Scalar[] = []
  const texts: string[] = []
  do {
    scanner.at++
    scanner.skipSpaces()
    if (values.length === 0 && scanner.code === closeBracket) break
    if (!scanner.flowScalar()) return undefined
    values.push(scanner.value)
    texts.push(scanner.source)
    scanner.skipSpaces()
  } while (scanner.code === comma)
  if (scanner.code !== closeBracket) return undefined
  const to = ++scanner.at
  return scanner.lineEnd() ? { value: values, text: undefined, texts, from, to } : undefined
}

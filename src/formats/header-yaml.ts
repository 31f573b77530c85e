/**
 * The complete YAML reader, for headers that the fast one is unsure of. Limited in size and depth, since headers come from
 * strangers. Loaded on first use, because most commands do not need it.
 */
import { createRequire } from 'node:module'
import type { Document, Node, Pair, ParsedNode } from 'yaml'
import { badFrontMatter, type Field, type Fields, lineAt, type Value } from './header-field.ts'

// Deep nesting does not merely fail inside `yaml`: near the end of the stack Node aborts without an exception.
const deepest = 32
const mostAliases = 16
const plainHint = 'Write the header as plain `key: value` lines.'

/** Every field of `header`, whose first line is line `firstLine` of its file. */
export function readHeaderYaml(header: string, firstLine: number): Fields {
  const fail = (position: number, reason: string) =>
    badFrontMatter(lineAt(header, position, firstLine), reason, plainHint)
  const document = composeHeader(header, fail)
  const { contents } = document
  if (!contents || (yaml().isScalar(contents) && contents.value === null)) return new Map()
  if (!yaml().isMap(contents)) throw fail(contents.range[0], 'the header is not a list of `key: value` lines')
  refuseTwins(contents, fail)
  const values = toValues(document, fail)
  const fields = new Map<string, Field>()
  for (const pair of contents.items) {
    const key = keyOf(pair)
    const value = values.get(key) ?? null
    fields.set(key, { value, ...textOf(pair.value, value), ...placeOf(pair, header) })
  }
  return fields
}

type Fail = (position: number, reason: string) => Error

let loaded: typeof import('yaml') | undefined
function yaml(): typeof import('yaml') {
  loaded ??= createRequire(import.meta.url)('yaml') as typeof import('yaml')
  return loaded
}

function composeHeader(header: string, fail: Fail): Document.Parsed {
  const { Composer, Lexer, Parser } = yaml()
  const parser = new Parser()
  const tokens = []
  for (const lexeme of new Lexer().lex(header)) {
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') throw fail(token.offset, token.message)
      tokens.push(token)
    }
    if (parser.stack.length > deepest) throw fail(parser.offset, `values are nested more than ${deepest} deep`)
  }
  tokens.push(...parser.end())
  // `refuseTwins` finds equal keys: the package compares each key with all others, which takes quadratic time.
  const options = {
    schema: 'core',
    stringKeys: true,
    uniqueKeys: false,
    resolveKnownTags: false,
    keepSourceTokens: true,
  } as const
  const [document, second] = new Composer(options).compose(tokens, true, header.length)
  const [error] = document!.errors
  if (error) throw fail(error.pos[0], error.message)
  if (second) throw fail(second.range[0], 'the header holds more than one YAML document')
  return document as Document.Parsed
}

const keyOf = (pair: Pair<unknown, unknown>): string => String((pair.key as { value: unknown }).value)

function refuseTwins(node: unknown, fail: Fail): void {
  const { isMap, isSeq } = yaml()
  if (isSeq(node)) for (const item of node.items) refuseTwins(item, fail)
  if (!isMap<Node, Node | null>(node)) return
  const seen = new Set<string>()
  for (const pair of node.items) {
    const key = keyOf(pair)
    if (seen.has(key)) throw fail(pair.key.range?.[0] ?? 0, `\`${key}\` is given twice`)
    seen.add(key)
    refuseTwins(pair.value, fail)
  }
}

function toValues(document: Document.Parsed, fail: Fail): Map<string, Value> {
  try {
    return document.toJS({ mapAsMap: true, maxAliasCount: mostAliases }) as Map<string, Value>
  } catch (cause) {
    // A ReferenceError: an alias without an anchor, or so many that they are meant to exhaust memory.
    throw fail(0, cause instanceof Error ? cause.message : String(cause))
  }
}

function textOf(node: unknown, value: Value): Pick<Field, 'text' | 'texts'> {
  const { isScalar, isSeq } = yaml()
  if (isSeq(node) && node.items.every(isScalar)) {
    return { text: undefined, texts: node.items.map((item) => item.source ?? '') }
  }
  const text = isScalar(node) ? node.source : typeof value === 'string' ? value : undefined
  return { text, texts: undefined }
}

function placeOf(pair: Pair<ParsedNode, ParsedNode | null>, header: string): Pick<Field, 'from' | 'to'> {
  const separator = (pair as { srcToken?: { sep?: { type: string; offset: number }[] } }).srcToken?.sep
  const colon = separator?.find((token) => token.type === 'map-value-ind')
  if (!colon) return { from: -1, to: -1 }
  const from = colon.offset + 1
  // A block's range runs to the start of the next line; its value ends with its last visible character.
  let to = pair.value?.range[1] ?? from
  while (to > from && ' \t\r\n'.includes(header[to - 1]!)) to--
  return { from, to: Math.max(from, to) }
}

/**
 * YAML as plain as JSON: maps, lists and texts, each with its line. Aliases, anchors, tags, equal keys, several documents and
 * deep nesting are refused, since such files come from strangers. A scalar is the text that stands there: `007` stays
 * that, and `null` or `~` or nothing is the absent value.
 */
import type { ParsedNode } from 'yaml'

export type PlainNode =
  | { readonly kind: 'text'; readonly text: string; readonly line: number }
  | { readonly kind: 'absent'; readonly line: number }
  | { readonly kind: 'list'; readonly items: readonly PlainNode[]; readonly line: number }
  | { readonly kind: 'map'; readonly entries: readonly PlainEntry[]; readonly line: number }

export interface PlainEntry {
  readonly key: string
  readonly line: number
  readonly value: PlainNode
}

/** What is wrong, with its line. The caller makes its own error of it. */
export class PlainYamlProblem extends Error {
  readonly line: number

  constructor(line: number, reason: string) {
    super(reason)
    this.line = line
  }
}

const deepest = 8

export async function readPlainYaml(text: string): Promise<PlainNode> {
  const { Composer, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, Parser } = await import('yaml')
  const lines = new LineCounter()
  const lineAt = (position: number) => Math.max(1, lines.linePos(position).line)
  lines.addNewLine(0)
  const parser = new Parser(lines.addNewLine)
  const tokens = []
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') throw new PlainYamlProblem(lineAt(token.offset), firstLine(token.message))
      tokens.push(token)
    }
    // Deep nesting is refused here: inside the package it would end the process when the stack is full.
    if (parser.stack.length > 4 * deepest) throw new PlainYamlProblem(lineAt(parser.offset), 'nested too deep')
  }
  tokens.push(...parser.end())
  const options = { schema: 'failsafe', uniqueKeys: false, stringKeys: true, resolveKnownTags: false } as const
  const documents = [...new Composer(options).compose(tokens, true, text.length)]
  const [document, another] = documents
  const mistake = document?.errors[0] ?? document?.warnings[0]
  if (mistake?.code === 'TAG_RESOLVE_FAILED')
    throw new PlainYamlProblem(lineAt(mistake.pos[0]), 'tags are not used here')
  if (mistake) throw new PlainYamlProblem(lineAt(mistake.pos[0]), firstLine(mistake.message))
  if (another) throw new PlainYamlProblem(lineAt(another.range[0]), 'a second document begins here')
  return read(document?.contents ?? null, 1, 0)

  function read(node: ParsedNode | null, line: number, depth: number): PlainNode {
    if (!node) return { kind: 'absent', line }
    const at = lineAt(node.range[0])
    if (depth > deepest) throw new PlainYamlProblem(at, 'nested too deep')
    if (isAlias(node)) throw new PlainYamlProblem(at, 'aliases are not used here')
    if (node.anchor !== undefined) throw new PlainYamlProblem(at, 'anchors are not used here')
    if (node.tag !== undefined && !/^tag:yaml\.org,2002:(?:str|seq|map)$/.test(node.tag))
      throw new PlainYamlProblem(at, 'tags are not used here')
    if (isScalar(node)) return scalarOf(node, at)
    if (isSeq(node))
      return { kind: 'list', items: node.items.map((item) => read(item as ParsedNode, at, depth + 1)), line: at }
    if (!isMap(node)) throw new PlainYamlProblem(at, 'this is neither a map, a list nor a text')
    const seen = new Set<string>()
    const entries = node.items.map(({ key, value }) => {
      const keyLine = lineAt(key.range[0])
      if (!isScalar(key)) throw new PlainYamlProblem(keyLine, 'a key must be a plain text')
      const name = String(key.value)
      if (seen.has(name))
        throw new PlainYamlProblem(keyLine, `the key ${JSON.stringify(name.slice(0, 80))} stands here twice`)
      seen.add(name)
      return { key: name, line: keyLine, value: read(value as ParsedNode | null, keyLine, depth + 1) }
    })
    return { kind: 'map', entries, line: at }
  }

  function scalarOf(node: { readonly value: unknown; readonly type?: string }, line: number): PlainNode {
    const text = String(node.value ?? '')
    if (node.type === 'PLAIN' && /^(?:|~|null|Null|NULL)$/.test(text)) return { kind: 'absent', line }
    return { kind: 'text', text, line }
  }
}

const firstLine = (message: string): string => message.split('\n', 1)[0]!.replace(/\.$/, '')

export function textAt(entry: PlainEntry | undefined): string | undefined {
  if (!entry || entry.value.kind === 'absent') return undefined
  if (entry.value.kind !== 'text') throw new PlainYamlProblem(entry.line, `\`${entry.key}\` must be one text`)
  return entry.value.text
}

/** A text in YAML: plain where every reader takes it for text, else in quotes. */
export const yamlText = (text: string): string =>
  /^[A-Za-z][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*$/.test(text) &&
  !/^(?:null|true|false|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text.toWellFormed())

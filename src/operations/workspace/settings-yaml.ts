/** Settings that need the whole of YAML, or that are not YAML at all. Loaded only when the simple reader passes. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments, type YAMLMap } from 'yaml'
import { type Entry, type Scalar, UnreadableSettings, type Value } from './settings-text.ts'

/** A section inside a section is as deep as any setting goes. */
const deepest = 2

export function readYaml(text: string): readonly Entry[] {
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, stringKeys: false })
  const lineAt = (node: unknown): number => {
    const range = (node as { range?: readonly number[] | null } | null)?.range
    return range ? lines.linePos(range[0]!).line : 1
  }
  if (!Array.isArray(documents) || documents.length === 0) return []
  const [document, another] = documents
  const mistake = document!.errors[0] ?? document!.warnings[0]
  if (mistake) throw new UnreadableSettings(lines.linePos(mistake.pos[0]).line, firstLine(mistake.message))
  if (another) throw new UnreadableSettings(lines.linePos(another.range[0]).line, 'A second document begins here.')
  const top = document!.contents
  if (top === null || (isScalar(top) && top.value === null)) return []
  if (!isMap(top)) throw new UnreadableSettings(lineAt(top), 'The file must be a list of `key: value` lines.')
  return entriesOf(top, 1)

  function entriesOf(map: YAMLMap, depth: number): Entry[] {
    return map.items.map(({ key, value }) => {
      const line = lineAt(key)
      if (!isScalar(key) || typeof key.value !== 'string')
        throw new UnreadableSettings(line, 'A key must be a plain word.')
      return { key: key.value, line, value: readNode(value, line, depth) }
    })
  }

  function readNode(node: unknown, line: number, depth: number): Value {
    if (node === null || node === undefined) return { kind: 'scalar', scalar: null }
    if (isScalar(node)) return { kind: 'scalar', scalar: scalarOf(node.value, line) }
    if (isSeq(node)) {
      const items = node.items.map((item) => {
        if (!isScalar(item)) throw new UnreadableSettings(lineAt(item), 'A list may hold only plain values.')
        return scalarOf(item.value, lineAt(item))
      })
      return { kind: 'list', items }
    }
    if (isMap(node)) {
      if (depth >= deepest) throw new UnreadableSettings(line, 'Sections do not go deeper than one level.')
      return { kind: 'section', entries: entriesOf(node, depth + 1) }
    }
    throw new UnreadableSettings(line, isAlias(node) ? 'Aliases are not used here.' : 'This is not a setting.')
  }
}

function scalarOf(value: unknown, line: number): Scalar {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value
  throw new UnreadableSettings(line, 'This kind of value is not used here.')
}

const firstLine = (message: string) => message.split('\n', 1)[0]!

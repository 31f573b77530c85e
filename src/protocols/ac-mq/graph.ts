/** The dependencies of messages as a drawing. Labels are escaped: any sender can write a summary. Spec: AC-MQ §7.1. */
import { escaped, printableLine } from '../../kernel/printable.ts'
import { finderAmong } from '../../kernel/short-id.ts'
import { readDependency } from './dependencies.ts'
import type { State } from './schema.ts'

export type GraphFormat = 'mermaid' | 'dot' | 'json'

export interface GraphNode {
  readonly id: string
  readonly summary: string
  readonly to: string
  readonly state: State
  readonly dependencies: readonly string[]
  readonly blocked?: string
}

/** `limit`: draws the first so many messages and says how many are left out. */
export function drawGraph(nodes: readonly GraphNode[], format: GraphFormat, limit = nodes.length): string {
  const graph = connect(nodes, limit)
  if (format === 'json') return drawJson(graph)
  return format === 'dot' ? drawDot(graph) : drawMermaid(graph)
}

interface Place {
  /** A message's id, or a text with a colon, which no id has. */
  readonly key: string
  readonly kind: 'message' | 'file' | 'unknown'
  readonly node?: GraphNode
}

interface Graph {
  readonly places: readonly Place[]
  readonly edges: readonly { readonly before: number; readonly after: number }[]
  readonly leftOut: number
}

/** Messages come first, in the order given, then the files and unknown messages that they depend on. */
function connect(nodes: readonly GraphNode[], limit: number): Graph {
  const drawn = nodes.slice(0, limit)
  const places: Place[] = drawn.map((node) => ({ key: node.id, kind: 'message', node }))
  const resolve = resolver(nodes)
  const others = new Map<string, number>()
  const other = (key: string, kind: Place['kind']): number => {
    const known = others.get(key) ?? places.push({ key, kind }) - 1
    others.set(key, known)
    return known
  }
  const edges = drawn.flatMap(({ dependencies }, after) => {
    const before = dependencies.flatMap((text) => {
      const read = readDependency(text)
      const message = read.kind === 'message' ? read.id : read.kind === 'either' ? read.text : undefined
      const at = message === undefined ? undefined : resolve(message)
      if (at !== undefined) return at < drawn.length ? [at] : []
      if (read.kind === 'message') return [other(`msg:${read.id}`, 'unknown')]
      return [other(`path:${read.kind === 'either' ? read.text : read.path}`, 'file')]
    })
    return [...new Set(before)].map((at) => ({ before: at, after }))
  })
  return { places, edges, leftOut: nodes.length - drawn.length }
}

const leftOutText = (leftOut: number): string => `${leftOut} more message${leftOut === 1 ? '' : 's'}: raise the limit`

/** Finds a message by its full id, or by a beginning that no other id has. */
function resolver(nodes: readonly GraphNode[]): (id: string) => number | undefined {
  const find = finderAmong(nodes.map(({ id }, at) => ({ id, at })))
  return (id) => {
    const [first, second] = find(id)
    return second ? undefined : first?.at
  }
}

const colours = {
  pending: '#eef2ff',
  processing: '#fff4cc',
  completed: '#dcf5e3',
  failed: '#fbdcdc',
  archived: '#eeeeee',
  blocked: '#ffe3c2',
  file: '#ffffff',
  unknown: '#f3d9fa',
} as const
type Look = keyof typeof colours

const lookOf = ({ kind, node }: Place): Look => {
  if (kind !== 'message') return kind
  return node!.blocked === undefined ? node!.state : 'blocked'
}

function linesOf(place: Place): string[] {
  const { key, node } = place
  if (!node) return [shorten(key)]
  const head = `${shorten(node.id)} ${lookOf(place)}, to ${shorten(node.to)}`
  return [head, node.summary, node.blocked ?? ''].map(shorten).filter((line) => line !== '')
}

function shorten(text: string): string {
  const line = printableLine(text.slice(0, 400).toWellFormed().replace(/\s+/g, ' ').trim())
  const letters = [...line]
  return letters.length > 72 ? `${letters.slice(0, 71).join('')}…` : line
}

function drawMermaid({ places, edges, leftOut }: Graph): string {
  const boxes = places.map((place, at) => {
    const label = linesOf(place).map(mermaidText).join('<br/>')
    const slash = place.kind === 'file' ? '/' : ''
    return `  n${at}[${slash}"${label}"${slash}]:::${lookOf(place)}`
  })
  const used = new Set(places.map(lookOf))
  const looks = Object.entries(colours).filter(([look]) => used.has(look as Look))
  return lines([
    'flowchart TD',
    ...(leftOut > 0 ? [`  %% ${leftOutText(leftOut)}`] : []),
    ...boxes,
    ...edges.map(({ before, after }) => `  n${before} --> n${after}`),
    ...looks.map(([look, colour]) => `  classDef ${look} fill:${colour},stroke:#555,color:#111`),
  ])
}

/** Everything but letters, digits and a few signs becomes a numbered entity, which Mermaid shows as that character. */
const mermaidText = (text: string): string =>
  text.replace(/[^\p{L}\p{M}\p{N}\p{Extended_Pictographic} ,.…→_/()-]/gu, (sign) => `#${sign.codePointAt(0)};`)

function drawDot({ places, edges, leftOut }: Graph): string {
  return lines([
    'digraph mission {',
    ...(leftOut > 0 ? [`  // ${leftOutText(leftOut)}`] : []),
    '  node [shape=box, style="rounded,filled", fontname="sans-serif"]',
    ...places.map((place, at) => {
      const label = linesOf(place).map(dotText).join('\\n')
      const shape = place.kind === 'file' ? ', shape=note' : ''
      return `  n${at} [label="${label}", fillcolor="${colours[lookOf(place)]}"${shape}]`
    }),
    ...edges.map(({ before, after }) => `  n${before} -> n${after}`),
    '}',
  ])
}

const dotText = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('&', '&amp;')

function drawJson({ places, edges, leftOut }: Graph): string {
  const nodes = places.map(({ key, kind, node }) => {
    if (!node) return { id: key, kind }
    const { id, state, to, summary, blocked } = node
    return { id, kind, state, ...(blocked === undefined ? {} : { blocked }), to, summary }
  })
  const links = edges.map(({ before, after }) => ({ from: places[before]!.key, to: places[after]!.key }))
  return `${JSON.stringify({ nodes, edges: links, ...(leftOut > 0 ? { leftOut } : {}) }, null, 2).replace(invisible, escaped)}\n`
}

// JSON allows these unescaped; a terminal would obey them.
const invisible = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`

/**
 * Forms of requests, as they are written in `requests/`: words, `CLASS`es of words, `<slots>`, `[what may be left out]` and
 * `(one|of several)`. A comma or colon is written as `,` and stands for any mark. Pure.
 */
import { classes } from './words.ts'

export type Node =
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'mark' }
  | { readonly kind: 'slot'; readonly name: string }
  | Choice

/** One of several ways, or none where it is optional. */
export interface Choice {
  readonly kind: 'any'
  readonly ways: readonly (readonly Node[])[]
  readonly isOptional: boolean
  /** The ways by their first word; absent where one begins with something else. */
  readonly byWord: ReadonlyMap<string, readonly (readonly Node[])[]> | undefined
}

const part = /<([^<>]+)>|([()[\]|,])|([A-Z]{2,})|([^\s()[\]|,<>]+)/gu

export function compile(form: string): readonly Node[] {
  const parts = [...form.matchAll(part)]
  let at = 0
  const sequence = (): Node[] => {
    const nodes: Node[] = []
    for (;;) {
      const found = parts[at]
      const sign = found?.[2]
      if (found === undefined || sign === ')' || sign === ']' || sign === '|') return nodes
      at++
      if (sign === ',') nodes.push({ kind: 'mark' })
      else if (sign !== undefined) nodes.push(group(sign === '['))
      else if (found[1] !== undefined) nodes.push({ kind: 'slot', name: found[1] })
      else if (found[3] !== undefined) nodes.push(ofClass(found[3]))
      else nodes.push({ kind: 'word', word: found[4]! })
    }
  }
  const group = (isOptional: boolean): Node => {
    const ways = [sequence()]
    while (parts[at]?.[2] === '|') {
      at++
      ways.push(sequence())
    }
    at++
    return choiceOf(ways, isOptional)
  }
  return sequence()
}

function choiceOf(ways: readonly (readonly Node[])[], isOptional: boolean): Choice {
  const byWord = new Map<string, (readonly Node[])[]>()
  for (const way of ways) {
    const [first] = way
    if (first?.kind !== 'word') return { kind: 'any', ways, isOptional, byWord: undefined }
    byWord.set(first.word, [...(byWord.get(first.word) ?? []), way])
  }
  return { kind: 'any', ways, isOptional, byWord }
}

const compiled = new Map<string, Node>()

/** A class as one node, made at its first use. */
function ofClass(name: string): Node {
  const known = compiled.get(name)
  if (known) return known
  const words = classes[name]
  if (words === undefined) throw new TypeError(`There is no class of words ${name}.`)
  const ways = words.split('|').map((phrase) => phrase.split(' ').map((word): Node => ({ kind: 'word', word })))
  const node = choiceOf(ways, false)
  compiled.set(name, node)
  return node
}

/** Every word that a form has, for finding what a mistyped one meant. */
export function* wordsIn(nodes: readonly Node[]): Generator<string> {
  for (const node of nodes) {
    if (node.kind === 'word') yield node.word
    else if (node.kind === 'any') for (const way of node.ways) yield* wordsIn(way)
  }
}

export function* slotsIn(nodes: readonly Node[]): Generator<string> {
  for (const node of nodes) {
    if (node.kind === 'slot') yield node.name
    else if (node.kind === 'any') for (const way of node.ways) yield* slotsIn(way)
  }
}

/** For each part that cannot be left out, the words of which one must be there. What begins with a slot says nothing. */
export const needsOf = (nodes: readonly Node[]): readonly (readonly string[])[] =>
  nodes.flatMap((node) => {
    if (node.kind === 'word') return [[node.word]]
    return node.kind === 'any' && !node.isOptional && node.byWord ? [[...node.byWord.keys()]] : []
  })

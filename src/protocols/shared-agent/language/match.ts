/** Holds a form against the words of a sentence, and answers every way in which it fits all of them. Pure. */
import type { Choice, Node } from './pattern.ts'
import { type Filling, fillings, type Hearing, parameterOf } from './slots.ts'
import { fillers, joints } from './words.ts'

export interface Fit {
  /** By the parameters of the command. */
  readonly given: Readonly<Record<string, Filling>>
  readonly cost: number
  /** Token numbers that free text has taken. */
  readonly texts: readonly (readonly [from: number, to: number])[]
  readonly doubts: readonly string[]
  /** Parameters that are left open: by a word such as "it", or because the sentence ends before them. */
  readonly open: readonly string[]
}

interface Way extends Fit {
  readonly at: number
  /** How many words of the form itself stood there. */
  readonly said: number
}

/** What a form wants behind a choice. */
interface Rest {
  readonly nodes: readonly Node[]
  readonly n: number
  readonly then: Rest | undefined
}

const mostFits = 64
/** Nobody says more such words in a row; many of them would make many ways. */
const mostSkipped = 3

/** With `mayBeOpen` also those in which something is not said. */
export function fitsOf(form: readonly Node[], hearing: Hearing, mayBeOpen: boolean): readonly Fit[] {
  const { tokens } = hearing
  const fits: Fit[] = []
  follow(form, 0, undefined, { at: 0, given: {}, cost: 0, texts: [], doubts: [], open: [], said: 0 })
  return fits

  function isRestEmpty(from: number): boolean {
    for (let at = from; at < tokens.length; at++) if (!isSkipped(at)) return false
    return true
  }

  function isSkipped(at: number): boolean {
    const token = tokens[at]
    return token !== undefined && !token.isQuoted && (token.isMark || fillers.has(token.word))
  }

  function follow(nodes: readonly Node[], n: number, then: Rest | undefined, way: Way): void {
    if (fits.length >= mostFits) return
    const node = nodes[n]
    if (node === undefined) {
      if (then) follow(then.nodes, then.n, then.then, way)
      else if (isRestEmpty(way.at)) fits.push(way)
      return
    }
    if (node.kind === 'any') {
      const rest = { nodes, n: n + 1, then }
      for (const some of waysFrom(node, way.at)) follow(some, 0, rest, way)
      if (node.isOptional) follow(nodes, n + 1, then, way)
      return
    }
    if (way.at >= tokens.length) {
      if (mayBeOpen && way.said > 0) endsHere({ nodes, n, then }, way)
      return
    }
    if (node.kind === 'slot') {
      for (const from of starts(way.at))
        for (const filling of fillings(node.name, hearing, from, mayBeOpen && way.said > 0)) {
          // Words that are kept as they were said begin where they begin; a name may have "our" or "please" before it.
          if (from > way.at && filling.isText && !filling.isName) continue
          follow(nodes, n + 1, then, filled(way, node.name, from, filling))
        }
      return
    }
    for (const at of starts(way.at)) {
      const token = tokens[at]!
      const isIt = node.kind === 'mark' ? token.isMark : token.word === node.word && !token.isQuoted && !token.isMark
      if (isIt) follow(nodes, n + 1, then, { ...way, at: at + 1, said: way.said + Number(node.kind === 'word') })
    }
  }

  /** Of many ways those whose first word stands here. */
  function waysFrom({ ways, byWord }: Choice, from: number): readonly (readonly Node[])[] {
    if (!byWord || from >= tokens.length) return ways
    const first = byWord.get(tokens[from]!.word)
    if (!isSkipped(from)) return first ?? []
    return starts(from).flatMap((at) => byWord.get(tokens[at]!.word) ?? [])
  }

  /** Here, or behind words that only carry others. */
  function starts(from: number): readonly number[] {
    if (!isSkipped(from)) return [from]
    const all = [from]
    for (let at = from; isSkipped(at) && at + 1 < tokens.length && all.length <= mostSkipped; at++) all.push(at + 1)
    return all
  }

  /** The sentence has ended: what the form still wants is open, if only a word such as "to" stands before it. */
  function endsHere(rest: Rest, way: Way): void {
    const wanted: string[] = []
    for (let on: Rest | undefined = rest; on; on = on.then)
      for (const node of on.nodes.slice(on.n)) {
        if (node.kind === 'slot') wanted.push(parameterOf[node.name] ?? node.name)
        else if (wanted.length === 0 && !isJoint(node)) return
      }
    if (wanted.length > 0) fits.push({ ...way, open: [...way.open, ...wanted] })
  }
}

/** Whether it can be nothing but words that join. */
const isJoint = (node: Node): boolean =>
  node.kind === 'mark' ||
  (node.kind === 'word' && joints.has(node.word)) ||
  (node.kind === 'any' && (node.isOptional || node.ways.some((way) => way.every(isJoint))))

function filled(way: Way, slot: string, from: number, filling: Filling): Way {
  const name = parameterOf[slot] ?? slot
  const { to, cost, isHollow, doubt, isText } = filling
  return {
    ...way,
    at: to,
    given: isHollow ? way.given : { ...way.given, [name]: filling },
    cost: way.cost + cost,
    texts: isText ? [...way.texts, [from, to]] : way.texts,
    doubts: doubt === undefined ? way.doubts : [...way.doubts, doubt],
    open: isHollow ? [...way.open, name] : way.open,
  }
}

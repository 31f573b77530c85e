/** Paths, resources, checkpoints, times and words of which there are only a few. Pure. */
import { categories, wordsOf } from '../../commands/spec.ts'
import { priorityAt } from '../priorities.ts'
import { flat } from '../surroundings.ts'
import { timeAt } from '../times.ts'
import { afterArticles, type Hearing, isFree, type Reader } from './filling.ts'
import { name, plainName } from './words.ts'

const looksLikePath = (raw: string): boolean => /[/\\]|^[.~]|\.[A-Za-z0-9]{1,8}$/.test(raw)

export const path: Reader = function* (hearing, start) {
  const from = afterArticles(hearing, start)
  const token = hearing.tokens[from]
  if (!token || !isFree(token)) return
  if (token.isQuoted || looksLikePath(token.raw)) yield { to: from + 1, value: token.raw, cost: 0 }
  else if (/^[\w-]+$/.test(token.raw)) yield { to: from + 1, value: token.raw, cost: 2 }
}

export const resource: Reader = function* (hearing, start) {
  const from = afterArticles(hearing, start)
  const token = hearing.tokens[from]
  if (token && isFree(token) && (token.isQuoted || looksLikePath(token.raw) || /[^\w-]/.test(token.raw)))
    yield { to: from + 1, value: token.raw, cost: 0 }
  else yield* name(hearing, start)
}

export const checkpoint: Reader = function* (hearing, start) {
  const from = afterArticles(hearing, start)
  const { tokens, around } = hearing
  const known = around.checkpoints.flatMap(({ id, name }) => [id, name])
  for (let to = Math.min(tokens.length, from + 5); to > from; to--) {
    const said = tokens.slice(from, to)
    const found = new Set(known.filter((one) => flat(one) === flat(said.map(({ raw }) => raw).join(''))))
    for (const value of found) yield { to, value, cost: 0 }
    if (found.size > 0) return
  }
  const token = tokens[from]
  if (!token || !isFree(token)) return
  if (/^cp_\d+$/i.test(token.raw)) yield { to: from + 1, value: token.raw.toLowerCase(), cost: 0 }
  else if (plainName(token.raw))
    yield { to: from + 1, value: token.raw, cost: 1, doubt: `no checkpoint called ${token.raw} is known` }
}

export const matching = (pattern: RegExp, toValue: (raw: string) => string): Reader =>
  function* (hearing, start) {
    const from = afterArticles(hearing, start)
    const token = hearing.tokens[from]
    if (token && pattern.test(token.raw)) yield { to: from + 1, value: toValue(token.raw), cost: 0 }
  }

export const oneOf = (values: Readonly<Record<string, string>>): Reader =>
  function* ({ tokens }, from) {
    const word = tokens[from]?.word ?? ''
    if (Object.hasOwn(values, word)) yield { to: from + 1, value: values[word]!, cost: 0 }
  }

export const timeout: Reader = function* ({ tokens }, from) {
  const found = timeAt(tokens, from, true)
  if (found) yield { to: from + found.length, value: String(found.seconds), cost: 0 }
}

export const priority: Reader = function* ({ tokens }, from) {
  const found = priorityAt(tokens, from)
  if (found) yield { to: from + found.length, value: found.priority, cost: 0 }
}

/** What `#HELP` explains: a category, or a command by its word. */
export const category: Reader = function* ({ tokens, around }, from) {
  const word = tokens[from]?.word
  if (word === undefined) return
  const singular = word.replace(/s$/, '')
  const found = categories.find((one) => one === word || one === singular || one === `${word}s`)
  if (found) yield { to: from + 1, value: found, cost: 0 }
  else yield* command({ tokens, around } as Hearing, from)
}

export const command: Reader = function* ({ tokens, around }, from) {
  const words = tokens.slice(from, from + 2).map(({ word }) => word.replace(/^#/, ''))
  const heads = new Set(around.table.map((spec) => wordsOf(spec)[0]))
  const [first = '', second = ''] = words
  const [head, form = second] = first.split(':')
  const named = around.table.find((spec) => spec.name.toLowerCase() === `${head}:${form}`)
  if (named) yield { to: from + (first.includes(':') ? 1 : 2), value: named.name, cost: 0 }
  const single = first.replace(/(?:ing|s)$/, '').toUpperCase()
  for (const one of [first.toUpperCase(), single])
    if (heads.has(one)) {
      yield { to: from + 1, value: one, cost: 0 }
      return
    }
}

export const brief = Object.fromEntries(
  ['brief', 'quick', 'short', 'concise', 'terse', 'rough'].map((word) => [word, 'brief']),
)
export const detailed = Object.fromEntries(
  ['detailed', 'full', 'in-depth', 'thorough', 'complete', 'long', 'extensive', 'comprehensive'].map((word) => [
    word,
    'detailed',
  ]),
)

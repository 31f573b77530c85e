/** Names, texts and tasks. Pure. */
import { features } from '../../commands/table.ts'
import { isKey } from '../../names.ts'
import { nameOrText } from '../names.ts'
import { flat, type Surroundings } from '../surroundings.ts'
import { writtenIn } from '../tokens.ts'
import { articles } from '../words.ts'
import { afterArticles, isFree, type Reader, textOf } from './filling.ts'

const mostNameWords = 3

/** One word or a few, as one name. */
export const nameOf = (
  isGood: (name: string) => boolean,
  known: (around: Surroundings) => readonly string[],
  mostWords = mostNameWords,
): Reader =>
  function* (hearing, start) {
    const from = afterArticles(hearing, start)
    const { tokens, around } = hearing
    const words: string[] = []
    for (let at = from; at < tokens.length && words.length < mostWords; at++) {
      const token = tokens[at]!
      if (!isFree(token)) break
      if (token.isQuoted && words.length > 0) break
      words.push(token.isQuoted ? token.raw.replace(/\s+/g, '_') : token.raw)
      const name = words.join('_')
      const cost = known(around).includes(name) ? 0 : words.length
      if (isGood(name)) yield { to: at + 1, value: name, cost }
      else {
        const repaired = name.replace(/[^A-Za-z0-9_]+/g, '_').replace(/^_+|_+$/g, '')
        if (words.length === 1 && !/[/\\]/.test(name) && isGood(repaired))
          yield {
            to: at + 1,
            value: repaired,
            cost: cost + 1,
            doubt: `${JSON.stringify(name.slice(0, 64))} is no name here`,
          }
      }
      if (token.isQuoted) break
    }
  }

export const plainName = (name: string): boolean => /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/.test(name)
export const key = nameOf(isKey, ({ keys }) => keys)
export const knownKey: Reader = function* ({ tokens, around }, from) {
  const token = tokens[from]
  if (token && around.keys.includes(token.raw)) yield { to: from + 1, value: token.raw, cost: 1 }
}
export const oneKey = nameOf(isKey, ({ keys }) => keys, 1)
export const term = nameOf(plainName, ({ definitions }) => definitions, 1)
export const name = nameOf(plainName, () => [])
/** One that the protocol has, or else any name: whether there is such a feature is what is asked. */
export const feature: Reader = function* (hearing, from) {
  const word = hearing.tokens[from]?.word ?? ''
  if (Object.hasOwn(features, word)) yield { to: from + 1, value: word, cost: 0 }
  else yield* name(hearing, from)
}
export const oneName = nameOf(plainName, () => [], 1)

const emptyWords = /^(?:it|this|that|these|those|them|something|him|her)$/

/** Any words; `toName` makes a name of a few. */
export const words = (toName: boolean): Reader =>
  function* ({ text, tokens }, start) {
    let from = start
    while (tokens[from]?.isMark) from++
    let cost = 0
    for (let to = from + 1; to <= tokens.length; to++) {
      const last = tokens[to - 1]!
      if (!toName || !articles.has(last.word)) cost++
      if (last.isMark) continue
      const isOne = to === from + 1
      if (isOne && !last.isQuoted && (emptyWords.test(last.word) || (toName && articles.has(last.word)))) continue
      const value = () => (toName ? nameOrText : writtenIn)(text, tokens.slice(from, to)).trim()
      yield { to, value, cost: isOne && last.isQuoted ? 0 : cost, isText: true, ...(toName ? { isName: true } : {}) }
    }
  }

/** A task of the session by its id or its words; else any words. */
export const task: Reader = function* (hearing, start) {
  const { tasks } = hearing.around
  for (const filling of words(true)(hearing, start)) {
    const value = textOf(filling)
    const meant = tasks.find(({ id, task }) => id === value || flat(task) === flat(value))
    if (meant) yield { to: filling.to, value: meant.id === value ? meant.id : meant.task, cost: 0 }
    else yield filling
  }
}

/** What must be a task: known, or called like one. */
export const taskId: Reader = function* (hearing, start) {
  const from = afterArticles(hearing, start)
  const { tokens, around } = hearing
  const token = tokens[from]
  if (!token) return
  const isKnown = around.tasks.some(({ id, task }) => id === token.raw || task === token.raw)
  if (isKnown || /^task[_-]?(?:id[_-]?)?\d+$/i.test(token.raw)) yield { to: from + 1, value: token.raw, cost: 0 }
}

/** Names of agents, as people write them: in any case, in two words, mistyped, or by what they do. Pure. */
import { nearest } from '../../../../kernel/nearest.ts'
import { isAgentName } from '../../names.ts'
import { flat, type Surroundings, usualAgents } from '../surroundings.ts'
import { articles, joints, nouns, pronouns } from '../words.ts'
import { afterArticles, type Reader, textOf } from './filling.ts'

export const agentsKnown = ({ agents }: Surroundings): readonly string[] => {
  const known = new Set(agents.map(flat))
  return [...agents, ...usualAgents.filter((one) => !known.has(flat(one)))]
}

const capital = (word: string): string => word[0]!.toUpperCase() + word.slice(1).toLowerCase()

export const agent: Reader = function* (hearing, start) {
  const from = afterArticles(hearing, start)
  const { tokens, around, mayCorrect } = hearing
  const [first, second] = [tokens[from], tokens[from + 1]]
  if (!first || first.isMark) return
  const known = agentsKnown(around)
  const named = (text: string): readonly string[] => known.filter((one) => flat(one) === flat(text))
  if (second?.word === 'agent' && !joints.has(first.word) && !pronouns.has(first.word)) {
    const found = named(`${first.raw}Agent`)
    for (const value of found) yield { to: from + 2, value, cost: 0 }
    if (found.length === 0 && /^[a-z]+$/i.test(first.word)) {
      yield { to: from + 2, value: `${capital(first.word)}Agent`, cost: 1 }
    }
    return
  }
  if (second && !second.isMark)
    for (const value of named(`${first.raw} ${second.raw}`)) yield { to: from + 2, value, cost: 0 }
  const found = named(first.raw)
  // Of names that differ only by case, the one that is written so is meant.
  const exact = found.filter((one) => one === first.raw)
  for (const value of exact.length > 0 ? exact : found) yield { to: from + 1, value, cost: 0 }
  if (found.length > 0 || pronouns.has(first.word) || joints.has(first.word) || articles.has(first.word)) return
  if (/^[A-Za-z]{5,}$/.test(first.raw)) {
    const meant = nearest(first.raw, known, first.raw.length > 7 ? 2 : 1)
    // Nobody new is meant by a name that is nearly a known one.
    if (meant !== undefined) {
      if (mayCorrect) yield { to: from + 1, value: meant, cost: 1 }
      return
    }
  }
  const [, stem] = /^([a-z]{2,})agent$/i.exec(first.raw) ?? []
  if (stem !== undefined) {
    const asWritten = /[A-Z]/.test(first.raw) && /[a-z]/.test(first.raw)
    yield { to: from + 1, value: asWritten ? first.raw : `${capital(stem)}Agent`, cost: 1 }
    return
  }
  if (!isAgentName(first.raw) || nouns.has(first.word)) return
  const looksLikeName = first.isQuoted || /[\d_.-]/.test(first.raw) || (from > 0 && /^[A-Z]/.test(first.raw))
  yield {
    to: from + 1,
    value: first.raw,
    cost: 2,
    ...(looksLikeName ? {} : { doubt: `nobody called ${first.raw} is known` }),
  }
}

/** Whoever begins a sentence must be known, or be called like an agent: anything can begin one. */
export const someone: Reader = function* (hearing, from) {
  for (const filling of agent(hearing, from)) if (filling.cost < 2) yield filling
}

export const agents: Reader = function* (hearing, from) {
  const { tokens } = hearing
  const names: string[] = []
  for (let at = from; ; ) {
    const [found] = [...agent(hearing, at)].filter(({ cost, doubt }) => cost < 2 && doubt === undefined)
    if (!found) return
    names.push(textOf(found))
    if (names.length > 1) yield { to: found.to, value: names.join(','), cost: 0 }
    at = found.to
    if (tokens[at]?.word === ',') at++
    if (/^(?:and|with|&|plus)$/.test(tokens[at]?.word ?? '')) at++
    if (at === found.to) return
  }
}

/** "the test results" are those of TestAgent. */
export const role: Reader = function* ({ tokens, around }, from) {
  const word = tokens[from]?.word
  if (word === undefined) return
  for (const one of agentsKnown(around))
    if (flat(one) === `${flat(word)}agent`) yield { to: from + 1, value: one, cost: 0 }
}

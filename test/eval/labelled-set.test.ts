/** Holds the labelled set to being large, mixed and hard. It was written before what it measures. */
import { describe, expect, it } from 'vitest'
import { type LabelledMessage, type LabelledPart, readPart } from './labelled-set.ts'

const parts = {
  tune: readPart(new URL('tune.md', import.meta.url)),
  'held-out': readPart(new URL('held-out.md', import.meta.url)),
}
const both = Object.values(parts)
const count = (size: (part: LabelledPart) => number): number => both.reduce((sum, part) => sum + size(part), 0)

// Words that say nothing of a topic. Short, because a word that is missing here makes the set look easier than it is.
const empty = new Set(
  `a about above after again all also always an and any anybody are as at away back be because been before begin behind being below
  beside between both but by can cannot come comes could did do does done down each else every everybody everywhere few first
  for from get gets give given go goes got had has have he her here him his how i if in instead into is it its itself just keep
  keeps know last least less let like long longer look made make makes many may me meanwhile more most much must my need needed
  needs never new no nobody none not nothing now of off on once one ones only or other others our out over own put rather same
  say says see send sent set she should show shown so some somebody somewhere still such take taken takes tell than that the their
  them then there they thing things this those three through till time times to today together too two under until up us use used
  uses very was way we well went were what when where whether which while who whom whose why will with without would you your`.split(
    /\s+/,
  ),
)

/** Content words, cut to a stem that is too short rather than too long: it finds more words in common than people would. */
const contentOf = (text: string): Set<string> =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
      .filter((word) => word.length > 2 && !empty.has(word))
      .map((word) =>
        word.replace(/(?:ations?|ings?|ers?|ies|ed|es|ly|s|e|y)$/, (end) => (word.length - end.length > 2 ? '' : end)),
      ),
  )
const textOf = ({ summary, body }: LabelledMessage): string => `${summary} ${body}`

describe('both parts together', () => {
  it('have 200 messages in 14 topics, a tenth of them in none, and 40 queries', () => {
    expect(count(({ messages }) => messages.length)).toBeGreaterThanOrEqual(200)
    expect(count(({ topics }) => topics.length)).toBeGreaterThanOrEqual(14)
    expect(count(({ messages }) => messages.filter(({ topic }) => !topic).length)).toBeGreaterThanOrEqual(
      count(({ messages }) => messages.length) / 10,
    )
    expect(count(({ queries }) => queries.length)).toBeGreaterThanOrEqual(40)
  })

  it('share no topic and no id', () => {
    const ids = both.flatMap(({ messages, queries }) => [...messages, ...queries].map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
    const names = both.flatMap(({ topics }) => topics.map(({ name }) => name))
    expect(new Set(names).size).toBe(names.length)
  })

  it('have messages in other languages and scripts', () => {
    const texts = both.flatMap(({ messages }) => messages).map(textOf)
    for (const script of [/\p{Script=Han}/u, /\p{Script=Hiragana}/u, /\p{Script=Cyrillic}/u, /[äöüß]/, /[àçé]/, /[ñó]/])
      expect(texts.some((text) => script.test(text))).toBe(true)
  })
})

describe.each(Object.entries(parts))('the part %s', (_, { topics, messages, queries }) => {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const of = (topic: string) => messages.filter((message) => message.topic === topic)

  it('has topics in pairs that are easily taken for each other, with ten messages each', () => {
    for (const { name, near } of topics) {
      expect(topics.find((other) => other.name === near)?.near).toBe(name)
      expect(of(name).length).toBeGreaterThanOrEqual(10)
    }
  })

  it('says the keywords of a topic, and any other word, in at most half of its messages', () => {
    for (const { name, keywords } of topics) {
      const texts = of(name).map(textOf)
      for (const keyword of keywords) {
        const saying = texts.filter((text) => text.toLowerCase().includes(keyword))
        expect({ name, keyword, most: saying.length <= texts.length / 2 }).toEqual({ name, keyword, most: true })
      }
      const often = new Map<string, number>()
      for (const text of texts) for (const word of contentOf(text)) often.set(word, (often.get(word) ?? 0) + 1)
      expect([...often].filter(([, number]) => number > texts.length / 2)).toEqual([])
    }
  })

  it('has dependencies only on messages that are there', () => {
    for (const { after } of messages) for (const id of after) expect(byId.has(id)).toBe(true)
  })

  it('half of the queries share no content word with what they should find, the others share one', () => {
    expect(queries.filter(({ kind }) => kind === 'meaning').length).toBe(queries.length / 2)
    const wrong = queries.flatMap(({ id, kind, text, relevant }) => {
      const shared = relevant.flatMap((one) => {
        const words = contentOf(textOf(byId.get(one)!))
        return [...contentOf(text)].filter((word) => words.has(word))
      })
      return (kind === 'meaning') === (shared.length === 0) ? [] : [{ id, shared }]
    })
    expect(wrong).toEqual([])
  })
})

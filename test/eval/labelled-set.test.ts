/** Holds the labelled set to being large, mixed and hard. It was written before what it measures. */
import { describe, expect, it } from 'vitest'
import { contentOf, textOf } from './content-words.ts'
import type { LabelledPart } from './labelled-set.ts'
import { readParts, type Side } from './parts.ts'

const folder = new URL('.', import.meta.url)
const sides: Readonly<Record<Side, ReadonlyMap<string, LabelledPart>>> = {
  tune: readParts('tune', folder),
  test: readParts('test', folder),
}
const written = Object.values(sides).flatMap((parts) => [...parts].filter(([name]) => !name.startsWith('paraphrased')))
const byHand = written.filter(([name]) => name.startsWith('hand'))
const all = written.map(([, part]) => part)
const count = (size: (part: LabelledPart) => number): number => all.reduce((sum, part) => sum + size(part), 0)

describe('all parts together', () => {
  it('have 400 messages in 30 topics, some of them in none, and 90 queries', () => {
    expect(count(({ messages }) => messages.length)).toBeGreaterThanOrEqual(400)
    expect(count(({ topics }) => topics.length)).toBeGreaterThanOrEqual(30)
    expect(count(({ messages }) => messages.filter(({ topic }) => !topic).length)).toBeGreaterThanOrEqual(
      count(({ messages }) => messages.length) / 12,
    )
    expect(count(({ queries }) => queries.length)).toBeGreaterThanOrEqual(90)
  })

  it('share no topic, and have each id once', () => {
    for (const { messages, queries } of all) {
      const ids = [...messages, ...queries].map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
    }
    const names = all.flatMap(({ topics }) => topics.map(({ name }) => name))
    expect(new Set(names).size).toBe(names.length)
  })

  it('have messages in other languages and scripts', () => {
    const texts = all.flatMap(({ messages }) => messages).map(textOf)
    for (const script of [/\p{Script=Han}/u, /\p{Script=Hiragana}/u, /\p{Script=Cyrillic}/u, /[äöüß]/, /[àçé]/, /[ñó]/])
      expect(texts.some((text) => script.test(text))).toBe(true)
  })
})

describe.each(byHand)('the part %s', (_, { topics, messages }) => {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const of = (topic: string) => messages.filter((message) => message.topic === topic)

  it('has topics in pairs that are easily taken for each other, with nine messages each', () => {
    for (const { name, near } of topics) {
      expect(topics.find((other) => other.name === near)?.near).toBe(name)
      expect(of(name).length).toBeGreaterThanOrEqual(9)
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
})

describe.each(written)('the queries of %s', (_, { messages, queries }) => {
  const byId = new Map(messages.map((message) => [message.id, message]))

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

describe('said again by rules', () => {
  const again = Object.values(sides).flatMap((parts) => [...parts].filter(([name]) => name.startsWith('paraphrased')))
  it.each(again)('%s has other words for the same, and most of its queries', (name, part) => {
    const from = Object.values(sides).flatMap((parts) => parts.get(name.replace('paraphrased', 'hand')) ?? [])[0]!
    expect(part.messages.map(({ id }) => id)).toEqual(from.messages.map(({ id }) => id))
    expect(part.queries.length).toBeGreaterThan(from.queries.length * 0.7)
    const changed = part.messages.map((message, i) => {
      const [before, after] = [contentOf(textOf(from.messages[i]!)), contentOf(textOf(message))]
      return [...after].filter((word) => !before.has(word)).length / after.size
    })
    expect(changed.reduce((sum, share) => sum + share, 0) / changed.length).toBeGreaterThan(0.15)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { featuresOf } from './features.ts'
import { groupKnown, groupTexts } from './grouping.ts'
import { keyTerms, nameFor } from './labels.ts'
import { linkPairs } from './linkage.ts'
import { keySentences, sentencesIn } from './sentences.ts'

const slow = [
  'The orders query is slow: a sequential scan over the orders table',
  'Slow orders query: add an index to the orders table',
  'Explain plan of the slow orders query shows no index on the orders table',
  'Index on the orders table built, the orders query is not slow any more',
]
const other = ['Invite the new colleague to lunch', 'Logo in dark blue', 'Newsletter draft for spring', 'Ping']
const items = [...slow, ...other].map((text, i) => ({ key: `m${i}`, text }))

describe('groups', () => {
  it('finds what is alike and leaves the rest alone', () =>
    expect(groupTexts(items, { least: 4 })).toEqual([['m0', 'm1', 'm2', 'm3']]))

  it('is the same in any order', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(items, { minLength: items.length }), (shuffled) => {
        expect(groupTexts(shuffled, { least: 4 })).toEqual([['m0', 'm1', 'm2', 'm3']])
      }),
      { numRuns: 30 },
    )
  })

  it('names and links bring together what words do not', () => {
    const apart = [
      { key: 'a', text: 'Users are thrown out early, see `src/auth/session.ts`' },
      { key: 'b', text: 'Lifetime comes from `src/auth/session.ts`' },
      { key: 'c', text: 'Prolong it on every call', links: ['b'] },
    ]
    expect(groupTexts(apart)).toEqual([['a', 'b', 'c']])
    expect(groupTexts(apart.map(({ key, text }) => ({ key, text: text.replace(/`.*`/, key) })))).toEqual([])
  })

  it('texts that are the same but for numbers, and mere numbers, make no group however many there are', () => {
    const many = Array.from({ length: 3000 }, (_, n) => ({
      key: String(n),
      text: `Build ${n} failed in step ${n % 7}`,
    }))
    expect(groupTexts(many)).toEqual([])
    expect(groupTexts(many.map(({ key }) => ({ key, text: `${key} ${Number(key) * 7}` })))).toEqual([])
  })

  it('ten thousand identical texts are one text', () => {
    const same = Array.from({ length: 10_000 }, (_, i) => ({ key: String(i), text: 'Are you there? Ping the server' }))
    expect(groupTexts(same)).toEqual([])
    expect(groupTexts([])).toEqual([])
  })

  it('[AC-13.2a] of texts of letters by chance cost little more than comparing them: each pair is looked at once', () => {
    let seed = 1
    const below = (most: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
      return (seed >>> 8) % most
    }
    const word = () => Array.from({ length: 1 + below(3) }, () => String.fromCharCode(97 + below(26))).join('')
    const known = Array.from({ length: 2000 }, (_, n) => {
      const text = Array.from({ length: 10 }, word).join(' ')
      return { id: `m${n}`, digest: text, own: text, createdAt: String(n).padStart(6, '0'), features: featuresOf(text) }
    })
    const costOf = <T>(work: () => T) => {
      const begun = process.cpuUsage()
      const made = work()
      return { made, cost: process.cpuUsage(begun).user }
    }
    // Nothing is that much alike, so nothing is linked.
    const comparing = costOf(() => groupKnown(known, { cut: 10 }))
    expect(comparing.made.groups).toEqual([])
    const { linked: _, ...lists } = comparing.made.neighbours
    const linking = costOf(() => groupKnown(known, {}, lists))
    expect(linking.made.groups.length).toBeGreaterThan(300)
    expect(linking.cost / comparing.cost).toBeLessThan(5)
  })

  it('are one for a hundred texts that are nearly the same, among others', () => {
    const subjects = ['orders', 'login', 'search', 'payment', 'export', 'avatar', 'invoice', 'cache']
    const items = Array.from({ length: 800 }, (_, n) => {
      const subject = subjects[n % subjects.length]!
      const text = `The ${subject} service: ${subject} case ${n} shows the ${subject} error again. `
      return { key: `${subject}-${n}`, text: text.repeat(4) }
    })
    const groups = groupTexts(items)
    expect(groups.map((group) => group.length)).toEqual(subjects.map(() => 100))
    for (const group of groups) expect(new Set(group.map((key) => key.split('-')[0])).size).toBe(1)
  })
})

it('links the most alike first, and stops at the cut', () => {
  const pairs = [
    { a: 0, b: 1, likeness: 0.9 },
    { a: 1, b: 2, likeness: 0.4 },
    { a: 3, b: 4, likeness: 0.2 },
  ]
  expect(linkPairs(5, pairs, 0.2)).toEqual([
    [0, 1, 2],
    [3, 4],
  ])
  expect(linkPairs(5, pairs, 0.21)).toEqual([[0, 1], [2], [3], [4]])
})

describe('names of groups', () => {
  it('are words of the group that others do not say', () => {
    expect(keyTerms(slow, other, 3)).toEqual(['orders', 'query', 'slow'])
    expect(nameFor(slow, other)).toBe('orders-query')
    expect(nameFor(['the of', 'and to'], other)).toBeUndefined()
    // Of words that all say, those that are said more often.
    const login = ['Login token: the login fails, cookie, token', 'A cookie for the login; login token, token']
    expect(nameFor(login, other)).toBe('login-token')
  })
})

describe('sentences', () => {
  it('are prose, without Markdown around it', () => {
    const text = [
      '# Heading',
      '',
      'It **failed** twice. See [the log](log.md).',
      '```sh',
      'rm -rf /. Really.',
      '```',
      '| a | b |',
      '- first item',
      '- [x] second item.',
      '> quoted',
    ].join('\n')
    expect(sentencesIn(text)).toEqual(['It failed twice.', 'See the log.', 'first item', 'second item.'])
  })

  it('the key ones are about what most are about, and do not repeat each other', () => {
    const chosen = keySentences(
      [...slow, slow[0]!, ...other].map((text) => [text]),
      2,
    )
    expect(chosen).toHaveLength(2)
    for (const { text } of chosen) expect(text).toMatch(/orders/)
    expect(new Set(chosen.map(({ text }) => text)).size).toBe(2)
  })
})

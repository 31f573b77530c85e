import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sentenceModel } from '../../test/support/sentence-model.ts'
import { featuresOf } from './features.ts'
import { groupName, namesFor } from './group-names.ts'
import { groupKnown, groupTexts } from './grouping.ts'
import { keyTerms } from './labels.ts'
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

  it('[AC-13.2a] what means the same belongs together without a word in common, and nothing else does', async () => {
    const meant = {
      sign: [
        'Nobody can sign in since this morning',
        'Login is rejected although the password is right',
        'Authentication fails for every account',
        'People are locked out and cannot get into their profile',
      ],
      lunch: ['Shall we eat pizza together?', 'New chairs arrived', 'Translate the imprint', 'Fire drill at eleven'],
    }
    const said = [...meant.sign, ...meant.lunch]
    const vectors = await sentenceModel.embed(said)
    const given = said.map((text, i) => ({ key: `m${i}`, text, vector: vectors[i]! }))
    expect(groupTexts(given, { least: 4 })).toEqual([['m0', 'm1', 'm2', 'm3']])
    expect(groupTexts(given.map(({ key, text }) => ({ key, text })))).toEqual([])
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
    const whole = costOf(() => groupKnown(known))
    expect(whole.made.groups.length).toBeGreaterThan(100)
    // Compared already, so all that is left is to link.
    const { linked: _, ...lists } = whole.made.neighbours
    const linking = costOf(() => groupKnown(known, {}, lists))
    expect(linking.cost / whole.cost).toBeLessThan(5 / 6)
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
  it('are phrases of the group that others do not say, as they are written', async () => {
    expect(keyTerms(slow, other, 3)).toEqual(['orders', 'query', 'slow'])
    expect(namesFor(slow, other)[0]).toBe('orders query')
    expect(namesFor(['the of', 'and to'], other)).toEqual([])
    expect(namesFor(['The PDF export fails', 'Export to PDF: the PDF export is empty', 'A PDF export'], other)[0]).toBe(
      'PDF export',
    )
  })

  it('have no stems, pieces of code or verbs in them, and four words at most', async () => {
    const limits = [
      'The rate limit fell to `limits.maxPerMinute` calls; we must raise the rate limit',
      'Callers hit the rate limit of src/gateway/limit.ts again',
      'Rate limits: partners call too often',
      'Who set the rate limit to 600?',
    ]
    const vectors = await sentenceModel.embed(limits)
    for (const name of [await groupName(limits, other), await groupName(limits, other, vectors, sentenceModel)])
      expect(name).toBe('rate limit')
    for (const name of namesFor(limits, other)) expect(name.split(' ').length).toBeLessThanOrEqual(4)
  })

  it('are the one that is nearest to what the texts mean', async () => {
    const said = [
      'The nightly backup failed on Monday: disk full',
      'Restore test of the nightly backup on Monday took an hour',
      'Encrypt the nightly backup before Monday',
      'Old backup files fill the disk',
    ]
    expect(await groupName(said, other, await sentenceModel.embed(said), sentenceModel)).toBe('nightly backup')
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

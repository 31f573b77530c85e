import { describe, expect, it } from 'vitest'
import { isSegment } from '../../kernel/tree-path.ts'
import { spareName } from './quarantine.ts'

describe('the name of a file that is set aside', () => {
  it.each([
    ['msg_a3f5d8b2.json', 2, 'msg_a3f5d8b2~2.json'],
    ['a.b.md', 10, 'a.b~10.md'],
    ['README', 3, 'README~3'],
    ['.hidden', 2, '.hidden~2'],
  ])('%s, taken: %i is %s', (name, n, spare) => expect(spareName(name, n)).toBe(spare))

  it('keeps a long name within what a tree can say', () => {
    for (const name of [`${'x'.repeat(175)}.json`, `${'é'.repeat(87)}.json`, `${'😀'.repeat(43)}.json`]) {
      expect([isSegment(name), isSegment(spareName(name, 12))]).toEqual([true, true])
    }
  })
})

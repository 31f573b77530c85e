import { describe, expect, it } from 'vitest'
import { isMeant, shortOf, theOneMeant, thoseMeant } from './short-id.ts'

const all = ['1f2e3d4c-aaaa', '1f2e3d4c-bbbb', '1f2e3d4c', '99999999-cccc', 'short'].map((id) => ({ id }))

describe('a short id', () => {
  it.each([
    ['1f2e3d4c-aaaa', '1f2e3d4c-aaaa', true],
    ['1f2e3d4c', '1f2e3d4c-aaaa', true],
    ['1f2e3d4c-a', '1f2e3d4c-aaaa', true],
    ['1f2e3d4', '1f2e3d4c-aaaa', false],
    ['1f2e3d4c-aaaa-more', '1f2e3d4c-aaaa', false],
    ['short', 'short', true],
    ['', '1f2e3d4c-aaaa', false],
  ])('%s means %s: %s', (asked, full, meant) => expect(isMeant(asked, full)).toBe(meant))

  it('means the one whose id it is, before those that begin with it', () => {
    expect(thoseMeant('1f2e3d4c', all)).toEqual([{ id: '1f2e3d4c' }])
    expect(theOneMeant('1f2e3d4c', all)).toEqual({ id: '1f2e3d4c' })
    expect(theOneMeant('99999999', all)).toEqual({ id: '99999999-cccc' })
    expect(theOneMeant('00000000', all)).toBeUndefined()
    expect(shortOf('99999999-cccc')).toBe('99999999')
  })

  it('is refused with its candidates when it means several, and not for one message in two places', () => {
    expect(() => theOneMeant('1f2e3d4c-', all)).toThrow(
      expect.objectContaining({
        code: 'AMBIGUOUS_ID',
        details: { id: '1f2e3d4c-', candidates: ['1f2e3d4c-aaaa', '1f2e3d4c-bbbb'] },
      }),
    )
    expect(theOneMeant('99999999', [...all, ...all])).toEqual({ id: '99999999-cccc' })
  })
})

import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/support/verifies.ts'
import { compareVersions, negotiate, parseVersion, versionProblem } from './versions.ts'

describe('versions', () => {
  it.each([
    ['1.0.0', '1.0.1', -1],
    ['1.10.0', '1.9.0', 1],
    ['2.0.0', '1.99.99', 1],
    ['1.2.3', '01.2.3', 0],
    ['1.0.99999999999999999999', '1.0.99999999999999999998', 1],
  ])('%s and %s compare as %d', (a, b, order) => {
    expect(compareVersions(parseVersion(a)!, parseVersion(b)!)).toBe(order)
  })

  it.each(['1.0', '1', '', '1.0.0-beta', 'v1.0.0', '1.0.0\n', '1..0'])('%j is none', (text) => {
    expect(parseVersion(text)).toBeUndefined()
    expect(versionProblem(text)).toMatchObject({ code: 'UNSUPPORTED_VERSION' })
  })

  const judged: [text: string, isRead: boolean][] = [
    ['1.0.0', true],
    ['1.7.3', true],
    ['2.0.0', false],
    ['0.9.0', false],
    ['11.0.0', false],
  ]
  for (const [text, isRead] of judged) {
    verifies(['MR-10', 'MR-10b'], `${text} is ${isRead ? 'read' : 'refused'}: the major number decides`, () => {
      expect(versionProblem(text) === undefined).toBe(isRead)
    })
  }

  it('are refused with what would be read', () => {
    expect(versionProblem('2.0.0')?.message).toBe('Unsupported version: 2.0.0; versions 1.x.y are read here')
  })

  const pairs: [ours: string[], theirs: string[], common: string | undefined][] = [
    [['1.0.0'], ['1.0.0'], '1.0.0'],
    [['1.0.0', '1.1.0', '2.0.0'], ['1.1.0', '1.0.0'], '1.1.0'],
    [['1.9.0', '1.10.0'], ['1.10.0', '1.9.0'], '1.10.0'],
    [['1.0.0'], ['2.0.0'], undefined],
    [['nonsense', '1.0.0'], ['nonsense', '1.0.0'], '1.0.0'],
    [[], ['1.0.0'], undefined],
  ]
  for (const [ours, theirs, common] of pairs) {
    verifies('MR-10', `${ours.join(' ')} and ${theirs.join(' ')} share ${common ?? 'nothing'}`, () => {
      expect(negotiate(ours, theirs)).toBe(common)
    })
  }
})

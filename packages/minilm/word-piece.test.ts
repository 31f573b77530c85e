import { describe, expect, it } from 'vitest'
import { WordPiece } from './word-piece.ts'

const vocabulary = Array.from({ length: 103 }, (_, i) => `[unused${i}]`)
vocabulary.push('data', '##base', '##s', 'slow', ',', '数', 'cafe')
const words = new WordPiece(vocabulary)

describe('pieces of words', () => {
  const cases: [text: string, pieces: number[]][] = [
    ['', [101, 102]],
    ['databases', [101, 103, 104, 105, 102]],
    ['Slow, DATA', [101, 106, 107, 103, 102]],
    ['Café', [101, 109, 102]],
    ['数数', [101, 108, 108, 102]],
    ['database nowhere', [101, 103, 104, 100, 102]],
    ['da\u0000ta', [101, 103, 102]],
    [`${'s'.repeat(101)} slow`, [101, 100, 106, 102]],
  ]
  it.each(cases)('of %j', (text, pieces) => {
    expect(words.piecesOf(text, 128)).toEqual(pieces)
  })

  it('are at most so many, with both marks', () => {
    expect(words.piecesOf('slow '.repeat(500), 8)).toEqual([101, 106, 106, 106, 106, 106, 106, 102])
    expect(words.piecesOf('slow databases', 4)).toEqual([101, 106, 103, 102])
  })
})

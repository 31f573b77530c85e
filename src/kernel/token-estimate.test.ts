import { describe, expect, it } from 'vitest'
import { estimateTokens } from './token-estimate.ts'

describe('the estimate of tokens', () => {
  // The second number is what the o200k_base tokenizer says.
  const cases: [text: string, real: number][] = [
    ['', 0],
    ['hello world', 2],
    ['The quick brown fox jumps over the lazy dog. It was not amused.', 15],
    [
      'Die Verwaltung der Nachrichten erfolgt über Verzeichnisse, die jeder Agent lesen kann; Fehler werden gemeldet.',
      21,
    ],
    ['消息系统把所有内容保存在文件和文件夹中。', 13],
    ['a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d', 35],
  ]
  for (const [text, real] of cases) {
    it(`${text.slice(0, 40)} (${real})`, () => {
      expect(Math.abs(estimateTokens(text) - real)).toBeLessThanOrEqual(Math.max(1, real * 0.25))
    })
  }

  it('takes time that grows with the text, whatever is in it', () => {
    const started = performance.now()
    for (const piece of ['a', 'A', ' ', '\n', '{', '1', '界', '🎉', 'aB', 'A\n']) estimateTokens(piece.repeat(500_000))
    expect(performance.now() - started).toBeLessThan(15_000)
  })
})

/** Counts by estimate, for programs that open sessions without a real tokenizer. */
import { estimateTokens } from '../../kernel/token-estimate.ts'
import type { Tokenizer } from '../../kernel/tokenizer.ts'

export const estimatingTokenizer: Tokenizer = {
  count: estimateTokens,
  first(text, tokens) {
    let [fits, tooLong] = [0, text.length + 1]
    while (tooLong - fits > 1) {
      const middle = Math.floor((fits + tooLong) / 2)
      if (estimateTokens(text.slice(0, middle)) <= tokens) fits = middle
      else tooLong = middle
    }
    return text.slice(0, fits)
  },
}

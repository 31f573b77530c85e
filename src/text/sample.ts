/**
 * The texts in which terms are counted, to know how common they are: the oldest ones. Later texts do not change the sample until
 * there are a third or half more of them, so that not every new text means comparing all again.
 */
import { compareTexts } from '../kernel/order.ts'

export interface Sample<T extends Aged = Aged> {
  /** Changes when the sample does. */
  readonly digest: string
  /** Oldest first. */
  readonly texts: readonly T[]
}

export interface Aged {
  /** Names what the text said from the first. Of texts with the same name, one is in the sample. */
  readonly own: string
  /** When it was first said; comparable as text. */
  readonly createdAt: string
  readonly id: string
}

/** Below this all of them are the sample: comparing all again costs less than the difference would. */
const mostWhole = 1024

/** A large number cut down to its first two binary digits: 1,024, 1,536, 2,048, 3,072 and so on. */
export function rounded(count: number): number {
  if (count < mostWhole) return count
  const step = 2 ** (Math.floor(Math.log2(count)) - 1)
  return count - (count % step)
}

export function sampleOf<T extends Aged>(texts: readonly T[]): Sample<T> {
  const seen = new Set<string>()
  const distinct = texts.toSorted(compareAge).filter(({ own }) => {
    if (seen.has(own)) return false
    seen.add(own)
    return true
  })
  const oldest = distinct.slice(0, rounded(distinct.length))
  return { digest: fingerprint(oldest.map(({ own }) => own)), texts: oldest }
}

const compareAge = (a: Aged, b: Aged): number => compareTexts(a.createdAt, b.createdAt) || compareTexts(a.id, b.id)

/** Two hashes beside each other, since two texts soon share one of 32 bits. */
export function fingerprint(texts: readonly string[]): string {
  let one = 0x811c9dc5
  let two = texts.length
  for (const text of texts) {
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      one = Math.imul(one ^ unit, 0x01000193)
      two = Math.imul(two + unit, 0x9e3779b1) ^ (two >>> 15)
    }
    one = Math.imul(one ^ 0x10000, 0x01000193)
  }
  return `${texts.length}-${(one >>> 0).toString(16)}-${(two >>> 0).toString(16)}`
}

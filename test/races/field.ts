/** The ground the races are run on: few folders and few names, so that everybody meets everybody. */
import { treePath } from '../../src/kernel/tree-path.ts'

export const folderNames = ['pending', 'processing', 'completed', 'failed', 'sub/one', 'sub/two']
export const names = Array.from({ length: 40 }, (_, i) => `message-${i}.md`)
export const counterPath = treePath('state/counter')

/** Repeatable chance (mulberry32): a failing run can be run again with its seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

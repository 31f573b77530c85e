/** How urgent something is, in words. Pure. */
import { phrases, startsWith } from './courtesies.ts'
import type { Token } from './tokens.ts'

export const priorities: readonly (readonly [priority: string, words: readonly string[]])[] = (
  [
    [
      'P3',
      'when you can|whenever you can|low priority|lowest priority|low prio|low|whenever|when you have time|whenever you have time|when there is time|whenever there is time|when you find time|when time permits|if there is time|if you have time|no rush|not urgent|no hurry|at your leisure|eventually|someday|some day|in your spare time|nice to have|not important|unimportant|no hurry|when convenient|when it suits you|minor',
    ],
    [
      'P0',
      'urgent|urgently|critical|critically|asap|a s a p|immediately|right away|right now|top priority|highest priority|at once|an emergency|emergency|as soon as possible|without delay|drop everything|blocker|very urgent|super urgent|extremely urgent|really urgent|top prio',
    ],
    ['P1', 'important|high priority|high prio|high|very important|high importance|really important'],
    ['P2', 'normal priority|medium priority|default priority|standard priority|normal|medium|regular priority'],
  ] as const
)
  .flatMap(([priority, text]) => phrases(text).map((words) => [priority, words] as const))
  .sort(([, a], [, b]) => b.length - a.length)

export function priorityAt(tokens: readonly Token[], from: number): { priority: string; length: number } | undefined {
  const skipped = tokens[from]?.word === 'priority' ? 1 : 0
  const [, written] = /^p?([0-3])$/.exec(tokens[from + skipped]?.word ?? '') ?? []
  if (written !== undefined && (skipped === 1 || tokens[from]!.word.startsWith('p')))
    return { priority: `P${written}`, length: skipped + 1 }
  const found = priorities.find(([, words]) => startsWith(tokens, words, from))
  if (!found) return undefined
  const length = found[1].length
  return { priority: found[0], length: length + Number(tokens[from + length]?.word === 'priority') }
}

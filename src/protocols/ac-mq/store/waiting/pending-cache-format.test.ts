import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endlessBase } from '../../../../../test/properties/notes/crafted.ts'
import { inOrder } from '../../../../kernel/order.ts'
import type { Candidate } from './candidate.ts'
import { Base, printBase } from './pending-cache-format.ts'

const candidate = (name: string, more: Partial<Candidate> = {}): Candidate => ({
  name,
  id: name.replace(/\.md$/, ''),
  to: 'gemini',
  priority: 3,
  time: 1_751_625_000_000,
  dependencies: [],
  summary: '',
  ...more,
})
const readAt = 1_751_625_000_200.25

const anyCandidate = fc
  .record({
    id: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/),
    to: fc.constantFrom('gemini', 'codex', 'all'),
    priority: fc.integer({ min: 1, max: 5 }),
    time: fc.integer({ min: 0, max: 4e12 }),
    dependencies: fc.array(fc.string(), { maxLength: 3 }),
    summary: fc.string(),
    accent: fc.constantFrom('', 'é', '日本'),
  })
  .map(({ accent, ...one }) => {
    const summary = one.dependencies.length > 0 ? one.summary : ''
    return { ...one, summary, name: `${one.id}${accent}.md` }
  })
const anyQueue = fc.uniqueArray(anyCandidate, { selector: ({ name }) => name, maxLength: 40 })

describe('the base of the pending cache', () => {
  it('[X-notes] is refused when a part would reach beyond its end, made up for by a length below zero', () => {
    expect(() => new Base(Buffer.from(endlessBase()))).toThrow('cut off or made up')
  })

  it('gives back what it was made of: by recipient best first, and by name', () => {
    fc.assert(
      fc.property(anyQueue, (queue) => {
        const base = new Base(printBase(queue, readAt))
        expect([base.readAt, base.count]).toEqual([readAt, queue.length])
        expect(base.names()).toEqual(queue.map(({ name }) => name).sort())
        for (const recipient of ['gemini', 'codex', 'all', 'nobody']) {
          const expected = queue.filter(({ to }) => to === recipient).sort(inOrder)
          expect(base.first(recipient, 100, () => true)).toEqual(expected)
          expect(base.first(recipient, 2, (name) => name !== expected[0]?.name)).toEqual(expected.slice(1, 3))
        }
        expect(base.entries().sort(inOrder)).toEqual([...queue].sort(inOrder))
      }),
      { numRuns: 100 },
    )
  })

  it('is refused when any byte of it is another, or it is cut off', () => {
    const bytes = printBase([candidate('a.md'), candidate('b.md', { dependencies: ['msg:x'], summary: 'B' })], readAt)
    expect(new Base(bytes).entries()).toHaveLength(2)
    for (let i = 0; i < bytes.length; i++) {
      const broken = Buffer.from(bytes)
      broken[i] = broken[i]! ^ 1
      expect(() => new Base(broken), `byte ${i}`).toThrow()
      expect(() => new Base(bytes.subarray(0, i)), `cut off at ${i}`).toThrow()
    }
  })

  it.each([
    ['a name that leaves the folder', candidate('../../processing/x.md')],
    ['a name that is no message', candidate('notes.txt')],
    ['a hidden name', candidate('.own-1-2-x.md')],
    ['an id that is none', candidate('a.md', { id: 'a b' })],
    ['a priority that is none', candidate('a.md', { priority: 7 })],
    ['a time that is none', candidate('a.md', { time: Number.NaN })],
    ['dependencies that are no texts', candidate('a.md', { dependencies: [7 as never] })],
  ])('with %s is refused, whatever its sum says', (_, made) => {
    const base = new Base(printBase([made], readAt))
    expect(() => base.entries()).toThrow('cut off or made up')
    expect(() => base.first('gemini', 1, () => true)).toThrow('cut off or made up')
  })

  it('with a recipient that is none is refused', () => {
    expect(() => new Base(printBase([candidate('a.md', { to: '../x' })], readAt))).toThrow('cut off or made up')
  })
})

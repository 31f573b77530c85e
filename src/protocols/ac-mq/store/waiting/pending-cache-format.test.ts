import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endlessBase } from '../../../../../test/properties/notes/crafted.ts'
import type { Candidate } from './candidate.ts'
import { inOrder } from './candidate.ts'
import { type Base, entriesIn, parseBase, parseNote, printBase, printNote, WholeBase } from './pending-cache-format.ts'

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
const times = { stamp: 1_751_625_000_123.25, lookedAt: 1_751_625_000_200 }
const baseOf = (bytes: Buffer) => parseBase(bytes, bytes.length) as Base

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
    // Whoever read up to the end of such a part would never arrive.
    const bytes = Buffer.from(endlessBase())
    expect(parseBase(bytes, bytes.length)).toBeUndefined()
  })

  it('gives back what it was made of: by recipient best first, by name, and one by one', () => {
    fc.assert(
      fc.property(anyQueue, (queue) => {
        const bytes = printBase(queue, times)
        const base = baseOf(bytes)
        const whole = new WholeBase(bytes, base)
        const names = queue.map(({ name }) => name).sort()
        expect(base).toMatchObject(times)
        expect(whole.names()).toEqual(names)
        expect(names.map((_, i) => whole.entryAt(i))).toEqual(
          names.map((name) => queue.find((one) => one.name === name)),
        )
        for (const section of base.sections) {
          const expected = queue.filter(({ to }) => to === section.to).sort(inOrder)
          expect([...entriesIn(bytes, section)]).toEqual(expected)
        }
        expect(whole.entries()).toHaveLength(queue.length)
      }),
      { numRuns: 100 },
    )
  })

  it('is refused when any byte of it is another, or it is cut off', () => {
    const bytes = printBase([candidate('a.md'), candidate('b.md', { dependencies: ['msg:x'], summary: 'B' })], times)
    const isUsable = (broken: Buffer) => {
      try {
        const base = parseBase(broken, broken.length)
        return typeof base === 'object' && new WholeBase(broken, base).entries() !== undefined
      } catch {
        return false
      }
    }
    expect(isUsable(bytes)).toBe(true)
    for (let i = 0; i < bytes.length; i++) {
      const broken = Buffer.from(bytes)
      broken[i] = broken[i]! ^ 1
      // The filling between the first line and the first section says nothing.
      if (bytes[i] !== 10) expect([i, isUsable(broken)]).toEqual([i, false])
      expect([i, isUsable(bytes.subarray(0, i))]).toEqual([i, false])
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
    const bytes = printBase([made], times)
    const base = baseOf(bytes)
    expect(new WholeBase(bytes, base).entries()).toBeUndefined()
    expect([...entriesIn(bytes, base.sections[0]!)]).toEqual([undefined])
    expect(parseNote(printNote({ before: 1, after: 2, gone: [], came: [made] }))).toBeUndefined()
  })

  it('with a recipient that is none is refused', () => {
    const bytes = printBase([candidate('a.md', { to: '../x' })], times)
    expect(parseBase(bytes, bytes.length)).toBeUndefined()
  })
})

describe('a note in the journal', () => {
  it('is read back, and refused when it was cut off', () => {
    const note = { before: 1.25, after: 2.5, lookedAt: 3, gone: ['a.md'], came: [candidate('b.md')] }
    const line = printNote(note)
    expect(parseNote(line)).toEqual(note)
    for (let i = 0; i < line.length; i++) expect(parseNote(line.slice(0, i))).toBeUndefined()
  })
})

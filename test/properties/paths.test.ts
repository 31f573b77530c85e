/** No text, however it is made up, names a place outside the root. */
import { readdirSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { SignalboxError } from '../../src/kernel/errors.ts'
import { childOf, isSegment, isWithin, nameOf, parentOf, type TreePath, treePath } from '../../src/kernel/tree-path.ts'
import { tempDir } from '../support/temp.ts'

const runs = Number(process.env.SIGNALBOX_PROPERTY_RUNS ?? 2000)

/** Pieces that have led out of directories before, mixed with ordinary and random ones. */
const piece = fc.oneof(
  fc.constantFrom(
    '..',
    '.',
    '',
    '...',
    '..\\',
    '\\',
    '/',
    '//',
    '\0',
    '%2e%2e',
    '．．',
    '‥',
    'a',
    'b.md',
    '.hidden',
    '~',
    'C:',
    'con',
    '\u202e',
    '\n',
    '\ud800',
    ' ',
    'x'.repeat(300),
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ maxLength: 12 }),
)
const pathText = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join('/'))

function accepted(text: string): TreePath | undefined {
  try {
    return treePath(text)
  } catch (error) {
    expect(error).toBeInstanceOf(SignalboxError)
    expect((error as SignalboxError).code).toBe('PATH_ESCAPES_ROOT')
    return undefined
  }
}

describe('paths', () => {
  it('stay inside the root, whatever they are made of', () => {
    fc.assert(
      fc.property(pathText, (text) => {
        const path = accepted(text)
        if (path === undefined || path === '') return
        expect(resolve('/some/root', path).startsWith(`/some/root${sep}`)).toBe(true)
        expect(resolve('/some/root', path)).toBe(`/some/root/${path}`)
      }),
      { numRuns: runs },
    )
  })

  it('are what their parts make of them', () => {
    fc.assert(
      fc.property(pathText, (text) => {
        const path = accepted(text)
        if (path === undefined || path === '') return
        expect(childOf(parentOf(path), nameOf(path))).toBe(path)
        expect(isSegment(nameOf(path))).toBe(true)
        expect(isWithin(path, parentOf(path))).toBe(true)
      }),
      { numRuns: runs },
    )
  })

  it('that are accepted make files inside the root and nowhere else', async () => {
    const base = tempDir()
    const tree = await openFileTree({ root: join(base, 'root') })
    await fc.assert(
      fc.asyncProperty(pathText, async (text) => {
        const path = accepted(text)
        if (path === undefined || path === '') return
        try {
          await tree.create(path, Buffer.from('x'))
        } catch (error) {
          // A leaf in the way of a folder, or the engine's own place: a clear error, and nothing made.
          const { code, message } = error as SignalboxError
          expect(['NOT_A_FOLDER', 'RESERVED_PATH', 'NAME_TOO_LONG'], message).toContain(code)
        }
        expect(readdirSync(base)).toEqual(['root'])
      }),
      { numRuns: Math.ceil(runs / 4) },
    )
    await tree.close()
  })
})

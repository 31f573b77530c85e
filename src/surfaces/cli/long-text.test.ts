import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../../test/support/temp.ts'
import * as outside from '../../engines/file-system/outside.ts'
import { list, text } from '../../kernel/field.ts'
import { fileFlags, readLongTexts } from './long-text.ts'
import type { Values } from './words.ts'

const fields = {
  body: text('The text.', { fileFlag: 'file', longest: 100 }),
  note: text('A note.', { fileFlag: 'noteFile', longText: 'at-file' }),
  letter: text('A whole letter.', { longText: 'named' }),
  draft: text('A draft, and where it lies.', { longText: 'named', pathGoesTo: 'place' }),
  piped: text('Perhaps piped.', { longText: 'standard-input' }),
  plain: text('Plain.'),
  line: list('Words.', text('A word.', { longText: 'standard-input' })),
  words: list('Words.', text('A word.')),
}

function read(values: Values, standardInput = 'from stdin'): Values {
  const folder = tempDir()
  writeFileSync(join(folder, 'letter.md'), 'from a file: ü\n')
  writeFileSync(join(folder, 'long.md'), 'x'.repeat(101))
  writeFileSync(join(folder, 'binary'), Uint8Array.of(0xff, 0xfe))
  readLongTexts(values, fields, { ...outside, currentFolder: () => folder, readStandardInput: () => standardInput })
  return values
}

describe('long texts', () => {
  it('come as they are, from standard input or from a file', () => {
    expect(read({ body: 'as it is' })).toEqual({ body: 'as it is' })
    expect(read({ body: '-' })).toEqual({ body: 'from stdin' })
    expect(read({ file: '-' })).toEqual({ body: 'from stdin' })
    expect(read({ file: 'letter.md' })).toEqual({ body: 'from a file: ü\n' })
    expect(read({ body: '@ada: look' })).toEqual({ body: '@ada: look' })
    expect(read({ note: '@letter.md' })).toEqual({ note: 'from a file: ü\n' })
    expect(read({ letter: 'letter.md' })).toEqual({ letter: 'from a file: ü\n' })
    expect(read({ letter: '-' })).toEqual({ letter: 'from stdin' })
    expect(read({ draft: 'letter.md' })).toEqual({
      draft: 'from a file: ü\n',
      place: expect.stringMatching(/^\/.*\/letter\.md$/),
    })
    expect(read({ draft: 'letter.md', place: 'given' })).toEqual({ draft: 'from a file: ü\n', place: 'given' })
    expect(read({ draft: '-' })).toEqual({ draft: 'from stdin' })
    expect(read({ piped: '-' })).toEqual({ piped: 'from stdin' })
    expect(read({ piped: 'letter.md' })).toEqual({ piped: 'letter.md' })
    expect(read({ plain: '-' })).toEqual({ plain: '-' })
    expect(read({ line: ['-'] }, 'a line \n')).toEqual({ line: ['a line '] })
    expect(read({ line: ['a', '-'] })).toEqual({ line: ['a', '-'] })
    expect(read({ words: ['-'] })).toEqual({ words: ['-'] })
    expect(read({ plain: '@letter.md' })).toEqual({ plain: '@letter.md' })
  })

  it.each([
    [{ body: 'x', file: 'letter.md' }, /Both --body and --file were given/],
    [{ body: '-', note: '-' }, /Standard input cannot be both --body and --note/],
    [{ file: 'missing.md' }, /There is no file .*missing\.md/],
    [{ letter: 'missing.md' }, /There is no file .*missing\.md/],
    [{ note: '@missing.md' }, /There is no file .*missing\.md/],
    [{ file: '.' }, /is a directory/],
    [{ file: 'long.md' }, /more than 100 bytes/],
    [{ file: 'binary' }, /Not UTF-8 text/],
  ])('%j is refused', (values, message) => {
    expect(() => read({ ...values })).toThrow(message)
  })

  it('bring their own flags', () => {
    expect(Object.keys(fileFlags(fields))).toEqual(['file', 'noteFile'])
  })
})

import { describe, expect, it } from 'vitest'
import { fullPath, insideRoot, rootFolder } from './field.ts'

const field = rootFolder('Where it lives.', 'llm/missions')

describe('a folder inside the root', () => {
  it.each([
    ['llm/missions', 'llm/missions'],
    ['./llm/missions/', 'llm/missions'],
    ['.hidden/a+b@c', '.hidden/a+b@c'],
    ['..a/b', '..a/b'],
  ])('%s is %s', (written, path) => {
    expect([field.pattern.test(written), insideRoot(written)]).toEqual([true, path])
  })

  it.each(['', '.', '..', '../x', 'a/../b', '/etc', 'a//b', 'a/./b', '.signalbox', './.signalbox/x', 'a b', 'a\\b'])(
    '%j is none',
    (written) => expect(field.pattern.test(written)).toBe(false),
  )

  it.each(['../x', 'a/../b', '/etc', 'a//b'])('%j cannot be asked for unchecked either', (written) => {
    expect(() => insideRoot(written)).toThrow(expect.objectContaining({ code: 'PATH_ESCAPES_ROOT' }))
  })

  it('is a setting that names its default as the example', () => {
    expect(field).toMatchObject({ default: 'llm/missions', expected: 'a folder below the root, such as llm/missions' })
  })
})

it.each([
  ['/home/ada/secret', true],
  ['secret', false],
  ['./secret', false],
  ['~/secret', false],
])('a full path: %s is %s', (written, isOne) => {
  expect(fullPath('A file.', 'file').pattern.test(written)).toBe(isOne)
})

import { expect, it } from 'vitest'
import { SignsOfLife } from './signs-of-life.ts'

const at = (key: string, revision: number) => ({ key, mod_revision: `${revision}` })

it('who gives no sign for too long is dead, if our own get through', () => {
  const signs = new SignsOfLife(5000)
  const silent = (now: number, ...keys: ReturnType<typeof at>[]) =>
    signs.silentAmong(keys, now).map(({ key, mod_revision }) => `${key} ${mod_revision}`)
  expect(silent(0, at('dead', 1), at('alive', 2))).toEqual([])
  // The cluster has answered nobody: that says nothing about anybody.
  expect(silent(9000, at('dead', 1), at('alive', 2))).toEqual([])
  signs.answered()
  expect(silent(10_000, at('dead', 1), at('alive', 3))).toEqual([])
  signs.answered()
  expect(silent(10_001, at('dead', 1), at('alive', 3), at('late', 4))).toEqual(['dead 1'])
  for (let n = 0; n < 3; n++) signs.answered()
  expect(silent(14_999, at('alive', 3), at('late', 4))).toEqual([])
  expect(silent(15_000, at('alive', 5), at('late', 4))).toEqual([])
  expect(silent(15_001, at('alive', 5), at('late', 4))).toEqual(['late 4'])
})

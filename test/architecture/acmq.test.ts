/** What AC-MQ's store keeps to, beyond the layers: messages move in one place, and what waits has one face. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { transitionNames } from '../../src/protocols/ac-mq/lifecycle.ts'
import { repository } from '../support/child.ts'
import { findImports } from './imports.ts'

const protocol = join(repository, 'src/protocols/ac-mq')
const sources = readdirSync(protocol, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(protocol, path), 'utf8') }))
const inStore = sources.filter(({ path }) => path.startsWith('store/'))

it('in the store only moving.ts moves anything, so that nothing goes round the lifecycle table', () => {
  const movers = inStore.filter(({ text }) => /\.move\b|\bmove\b[^\n]*}\s*=/.test(text))
  expect(movers.map(({ path }) => path)).toEqual(['store/moving.ts'])
})

it('every way of the table is gone by somebody, except to the archive, which has a folder of its own', () => {
  const isNamed = (name: string) => inStore.some(({ text }) => text.includes(`'${name}'`))
  expect(transitionNames.filter((name) => !isNamed(name))).toEqual(['archive'])
})

it('nothing outside store/waiting/ imports anything of it but its face', () => {
  const outside = sources.filter(({ path }) => !path.startsWith('store/waiting/'))
  const past = outside.flatMap(({ path, text }) =>
    findImports(text)
      .map(({ specifier = '' }) => specifier)
      .filter((specifier) => /(?<!messaging\/)waiting\//.test(specifier) && !specifier.endsWith('/waiting/waiting.ts'))
      .map((specifier) => `${path}: ${specifier}`),
  )
  expect(outside.length).toBeGreaterThan(40)
  expect(past).toEqual([])
})

/** What AC-MQ's store keeps to, beyond the layers: messages move in one place, and what waits has one face. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { transitionNames } from '../../src/protocols/ac-mq/lifecycle.ts'
import { repository } from '../support/child.ts'

const store = join(repository, 'src/protocols/ac-mq/store')
const sources = readdirSync(store, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(store, path), 'utf8') }))

it('only moving.ts moves anything, so that nothing goes round the lifecycle table', () => {
  const movers = sources.filter(({ text }) => /\.move\s*[(?]|\bmove\s*[,}].*=\s*.*tree/.test(text))
  expect(movers.map(({ path }) => path)).toEqual(['moving.ts'])
})

it('every way of the table is gone by somebody, except to the archive, which has a folder of its own', () => {
  const isNamed = (name: string) => sources.some(({ text }) => text.includes(`'${name}'`))
  expect(transitionNames.filter((name) => !isNamed(name))).toEqual(['archive'])
})

/** `signalbox schema`: what every command takes and answers, as JSON Schema. */
import { expect } from 'vitest'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { cliJson, quickCli } from './cli-program.ts'

const schemasOf = (...words: readonly string[]) => cliJson(['schema', ...words], { cwd: tempDir() }, quickCli)

verifies('X-schema', 'one command, or all below a word', () => {
  const { output } = schemasOf('send')
  expect(output.operations.map(({ name }: { name: string }) => name)).toEqual(['send'])
  expect(output.operations[0].input.properties.to).toMatchObject({ type: 'string' })
  expect(output.operations[0].input.properties.from).toBeUndefined()
  expect(schemasOf('human').output.operations.map(({ name }: { name: string }) => name)).toEqual([
    'human list',
    'human approve',
    'human deny',
    'human answer',
  ])
  expect(schemasOf('sned')).toMatchObject({ exit: 3, output: { error: { hint: 'Did you mean send?' } } })
})

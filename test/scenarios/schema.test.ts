/** `signalbox schema`: what every command takes and answers, as JSON Schema. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { cliJson, quickCli } from './cli-program.ts'

const schemasOf = (...words: readonly string[]) => cliJson(['schema', ...words], { cwd: tempDir() }, quickCli)

verifies('X-schema', 'every command says what it takes, what it answers for each outcome, and what it changes', () => {
  const { exit, output } = schemasOf()
  expect(exit).toBe(0)
  expect(output.operations.length).toBeGreaterThan(100)
  const ajv = new Ajv2020({ strict: false })
  for (const { name, input, output: answers, effects, isRepeatable } of output.operations) {
    expect({ name, isValid: ajv.validateSchema(input) && ajv.validateSchema(answers) }).toEqual({ name, isValid: true })
    expect({ name, outcomes: answers.oneOf.length > 0 }).toEqual({ name, outcomes: true })
    expect(['reads', 'writes', 'destroys']).toContain(effects)
    if (effects === 'reads') expect({ name, isRepeatable }).toEqual({ name, isRepeatable: true })
  }
})

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

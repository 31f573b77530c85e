import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { repository } from '../../../test/support/child.ts'

it('the generated checks are those of the schema as it is now', async () => {
  const { currentValidator, generatedFile } = (await import(`${repository}/scripts/validator.mjs`)) as {
    currentValidator: () => Promise<string>
    generatedFile: string
  }
  // Otherwise: node scripts/validator.mjs
  expect(readFileSync(`${repository}/${generatedFile}`, 'utf8')).toBe(await currentValidator())
})

import { expect, it } from 'vitest'
import { invalidInput } from './errors.ts'

const long = 'x'.repeat(120_000)

it('quotes a very long value by how it begins and ends, for people and for programs', () => {
  const error = invalidInput('NO', `There is no ${long}!`, {
    hint: `Not ${long}.`,
    details: { word: long, problems: [{ found: long }], line: 3, known: ['a', 'b'] },
  })
  expect(error.message).toMatch(/^There is no x{488} … \(119213 characters left out\) … x{299}!$/)
  expect(error.hint!.length).toBeLessThan(1000)
  expect(JSON.stringify(error.details).length).toBeLessThan(2000)
  expect(error.details).toMatchObject({ line: 3, known: ['a', 'b'] })
})

it('leaves what is not too long as it is, and never cuts a character in two', () => {
  const [text, smiles] = ['y'.repeat(1000), `a${'😀'.repeat(600)}`]
  expect(invalidInput('NO', text, { details: { text } })).toMatchObject({ message: text, details: { text } })
  expect(invalidInput('NO', smiles).message.isWellFormed()).toBe(true)
})

import { expect, it } from 'vitest'
import { call, inputs, spellCalls } from './call.ts'

const spelled = (text: string) =>
  spellCalls(text, (operation, input) => `<${operation ?? ''}|${Object.entries(input).flat().join(' ')}>`)

it('names operations and inputs in words that a surface spells', () => {
  const text = `Claim it first: ${call('acmq claim', { mission: 'alpha', id: 'a1' })}, or give ${inputs({ as: 'AGENT' })}.`
  expect(text).toBe('Claim it first: `acmq claim {"mission":"alpha","id":"a1"}`, or give `{"as":"AGENT"}`.')
  expect(spelled(text)).toBe('Claim it first: <acmq claim|mission alpha id a1>, or give <|as AGENT>.')
  expect(spelled(call('doctor'))).toBe('<doctor|>')
})

it('is not ended early by a backquote in a value, and leaves alone what is no call', () => {
  expect(spelled(call('show', { handle: 'a`b} `c' }))).toBe('<show|handle a`b} `c>')
  for (const other of ['`agent: NAME`', '`{not json}`', '`signalbox doctor`', 'plain'])
    expect(spelled(other)).toBe(other)
})

/** The translator against sentences that nobody would say: nothing destructive runs that was not asked for. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { commands } from '../../src/protocols/shared-agent/commands/table.ts'
import { parseLine } from '../../src/protocols/shared-agent/format.ts'
import { SentenceModel } from '../../src/protocols/shared-agent/language/sentence-model.ts'
import { translate } from '../../src/protocols/shared-agent/language/translate.ts'
import { around } from '../support/phrasings.ts'
import { destroyedByChance } from '../support/random-requests.ts'
import { weights } from '../support/session.ts'

const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)
/** A soak, five times as long as usual, has all 100,000. */
const count = scale > 1 ? 20_000 * scale : 2000

it(`[SA-2.5a] ${count} sentences put together at random ask for whatever they destroy`, () => {
  const { wrong, destructive, understood } = destroyedByChance(count, 20261117)
  expect(wrong).toEqual([])
  // They are no mere noise: some are requests, and some of those destroy something.
  expect(understood).toBeGreaterThan(count / 20)
  expect(destructive).toBeGreaterThan(count / 2000)
})

it('[SA-2.5a] any text is a command that can be read, or a question', () => {
  const model = new SentenceModel(weights())
  const words = fc.constantFrom(
    ...[
      'clear',
      'state',
      'lock',
      ':',
      '"',
      "'",
      '#STATE:clear',
      '{{A}}',
      'é',
      '😀',
      '\\',
      '`',
      '\u0000',
      '\u202e',
      '\ud800',
      'DevAgent',
      '=',
      ',',
      '.',
      'and',
    ],
  )
  const text = fc.array(fc.oneof(words, fc.string({ maxLength: 8 })), { maxLength: 12 }).map((some) => some.join(' '))
  fc.assert(
    fc.property(text, (said) => {
      const made = translate(said, model, around)
      const lines = made.outcome === 'commands' ? made.commands : [made.command]
      for (const line of lines) if (line !== undefined) expect(parseLine(line, commands).kind).toBe('command')
      if (made.outcome === 'asked') expect(made.question).not.toBe('')
    }),
    { numRuns: 100 * scale },
  )
})

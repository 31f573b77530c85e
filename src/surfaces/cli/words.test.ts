import { describe, expect, it } from 'vitest'
import { SignalboxError } from '../../kernel/errors.ts'
import { duration, flag, integer, list, text } from '../../kernel/field.ts'
import { globalFlags } from './global-flags.ts'
import { checkFlags, placeWords, readFlags, type Values } from './words.ts'

const fields = {
  mission: text('The mission.', { positional: true, required: true }),
  body: text('The text.'),
  priority: integer('How urgent.'),
  olderThan: duration('How old.'),
  blocked: flag('Only blocked ones.'),
  depends: list('What must come first.', text('A reference.')),
}

function read(...words: string[]): Values {
  const values: Values = {}
  const all = { ...fields, ...globalFlags }
  placeWords(readFlags(words, all, values).rest, all, values)
  checkFlags(values, globalFlags)
  return values
}

function refusal(...words: string[]) {
  try {
    read(...words)
  } catch (error) {
    if (error instanceof SignalboxError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('words of a command line', () => {
  const understood: readonly [string[], Values][] = [
    [['alpha'], { mission: 'alpha' }],
    [['--body', 'hello', 'alpha'], { mission: 'alpha', body: 'hello' }],
    [['alpha', '--body=hello=you'], { mission: 'alpha', body: 'hello=you' }],
    [['--body='], { body: '' }],
    [['--priority', '-5'], { priority: -5 }],
    [['--priority=-5'], { priority: -5 }],
    [['--older-than', '7d'], { olderThan: 604_800_000 }],
    [['--body', '-'], { body: '-' }],
    [['--body', '- a list item'], { body: '- a list item' }],
    [['--body', '--- a rule'], { body: '--- a rule' }],
    [['--body=--json'], { body: '--json' }],
    [['--depends', 'a', '--depends=b'], { depends: ['a', 'b'] }],
    [['--blocked'], { blocked: true }],
    [['--no-blocked'], { blocked: false }],
    [['--blocked=false'], { blocked: false }],
    [['--no-blocked=false'], { blocked: true }],
    [['--blocked', 'alpha'], { blocked: true, mission: 'alpha' }],
    [['--', '--body'], { mission: '--body' }],
    [['--json', 'alpha', '-q', '--root', 'x'], { json: true, mission: 'alpha', quiet: true, root: 'x' }],
    [['--no-color', '-h'], { color: false, help: true }],
    [['-5'], { mission: '-5' }],
  ]
  it.each(understood)('%j is %j', (words, values) => {
    expect(read(...words)).toEqual(values)
  })

  const refused: readonly [string[], string, RegExp, RegExp][] = [
    [['--bdoy', 'x'], 'UNKNOWN_FLAG', /no option --bdoy/, /^Did you mean --body\?$/],
    [['--older_than=1'], 'UNKNOWN_FLAG', /--older_than/, /^Did you mean --older-than\?$/],
    [['-x'], 'UNKNOWN_FLAG', /no option -x/, /Known: --body, .*after `--`/],
    [['--body'], 'VALUE_MISSING', /--body needs a value \(text\), but the command ends there/, /^Write --body BODY\.$/],
    [['--body', '--json'], 'VALUE_MISSING', /but the next word is --json/, /write --body=--json$/],
    [['--body', '--', 'x'], 'VALUE_MISSING', /the next word is --\./, /./],
    [['--priority', 'high'], 'WRONG_TYPE', /^--priority must be a whole number; found "high"\.$/, /./],
    [['--blocked=perhaps'], 'WRONG_TYPE', /--blocked must be true or false/, /./],
    [['--body', 'a', '--body', 'b'], 'GIVEN_TWICE', /--body was given more than once/, /./],
    [['--no-body'], 'UNKNOWN_FLAG', /--no-body/, /^Did you mean --body\?$/],
    [['alpha', 'beta'], 'UNEXPECTED_WORD', /a word too many: "beta"/, /quotes/],
    [['--root', ''], 'WRONG_FORM', /--root must be a directory; found ""/, /./],
    [['--as', 'a/b'], 'WRONG_FORM', /--as must be a name/, /./],
    [['--durability', 'ful'], 'NOT_A_CHOICE', /--durability must be one of/, /^Did you mean full\?$/],
  ]
  it.each(refused)('%j is refused with %s', (words, code, message, hint) => {
    const error = refusal(...words)
    expect(error).toMatchObject({ code, exit: 2 })
    expect(error.message).toMatch(message)
    expect(error.hint).toMatch(hint)
  })

  it('a list in last place takes all that is left', () => {
    const run = { agent: text('Who.'), command: list('What to run.', text('A word.'), { positional: true }) }
    const values: Values = {}
    placeWords(readFlags(['--agent', 'a', '--', 'npm', 'test', '--', '--fast'], run, values).rest, run, values)
    expect(values).toEqual({ agent: 'a', command: ['npm', 'test', '--', '--fast'] })
  })
})

/** Words of a command line into values by field: flags in any order, the rest by place. */
import { invalidInput } from '../../kernel/errors.ts'
import type { Field, Fields } from '../../kernel/field.ts'
import { nearest } from '../../kernel/nearest.ts'
import { checkValue, expectedOf, meaningOf, valueFromText } from '../../operations/check-input.ts'
import { shortFlags } from './global-flags.ts'
import { flagOf, kebab, placeholderOf, spelled } from './spelling.ts'

export type Values = Record<string, unknown>

/** `-`, `-5` and `- a list item` are values; `-x`, `--name` and `--name=value` are flags. */
const isFlag = (word: string): boolean => /^--?[A-Za-z][A-Za-z0-9_-]*(?:=|$)/.test(word)

/**
 * Reads flags into `values` and returns the words that are not flags. With `untilWord` it stops before the
 * first of those and also says where.
 */
export function readFlags(
  words: readonly string[],
  fields: Fields,
  values: Values,
  { untilWord = false } = {},
): { readonly rest: string[]; readonly at: number } {
  const byFlag = new Map(
    Object.entries(fields).flatMap(([name, field]) => (field.positional ? [] : [[kebab(name), name]])),
  )
  const rest: string[] = []
  let at = 0
  while (at < words.length) {
    const word = words[at]!
    if (word === '--' && !untilWord) {
      rest.push(...words.slice(at + 1))
      at = words.length
      break
    }
    if (!isFlag(word)) {
      if (untilWord) break
      rest.push(word)
      at++
      continue
    }
    const { name, field, isNegated, attached } = identify(word, fields, byFlag)
    at++
    if (field.type === 'flag') {
      const isOn = attached === undefined || (valueFromText(name, field, attached, spelled) as boolean)
      values[name] = isOn !== isNegated
      continue
    }
    const written = attached ?? words[at]
    if (attached === undefined) {
      if (written === undefined || written === '--' || isFlag(written)) throw valueMissing(name, field, written)
      at++
    }
    addValue(name, field, written!, values)
  }
  return { rest, at }
}

interface Identified {
  readonly name: string
  readonly field: Field
  readonly isNegated: boolean
  /** The value after `=`. */
  readonly attached: string | undefined
}

function identify(word: string, fields: Fields, byFlag: ReadonlyMap<string, string>): Identified {
  const equals = word.indexOf('=')
  const flag = equals < 0 ? word : word.slice(0, equals)
  const attached = equals < 0 ? undefined : word.slice(equals + 1)
  const typed = flag.startsWith('--') ? flag.slice(2) : (shortFlags[flag.slice(1)] ?? '')
  const name = byFlag.get(typed)
  if (name !== undefined) return { name, field: fields[name]!, isNegated: false, attached }
  const positive = typed.startsWith('no-') ? byFlag.get(typed.slice(3)) : undefined
  if (positive !== undefined && fields[positive]!.type === 'flag') {
    return { name: positive, field: fields[positive]!, isNegated: true, attached }
  }
  const known = [...byFlag.keys()].map((key) => `--${key}`)
  const meant = nearest(flag.startsWith('--') ? flag : `-${flag}`, known)
  throw invalidInput('UNKNOWN_FLAG', `There is no option ${flag} here.`, {
    hint: meant
      ? `Did you mean ${meant}?`
      : `Known: ${known.join(', ')}. A value that begins with a dash goes behind \`=\` or after \`--\`.`,
    details: { flag, known },
  })
}

function addValue(name: string, field: Field, written: string, values: Values): void {
  const value = valueFromText(name, field, written, spelled)
  if (field.type === 'list') {
    const items = (values[name] ??= []) as unknown[]
    items.push(value)
    return
  }
  if (Object.hasOwn(values, name)) {
    throw invalidInput('GIVEN_TWICE', `${flagOf(name)} was given more than once.`, {
      hint: `Give ${flagOf(name)} once; it takes one value.`,
      details: { field: name },
    })
  }
  values[name] = value
}

function valueMissing(name: string, field: Field, next: string | undefined) {
  const flag = flagOf(name)
  const found = next === undefined ? 'the command ends there' : `the next word is ${next}`
  return invalidInput(
    'VALUE_MISSING',
    `${flag} needs a value (${meaningOf(field).takes ?? expectedOf(field)}), but ${found}.`,
    {
      hint:
        next === undefined
          ? `Write ${flag} ${placeholderOf(name, field)}.`
          : `If ${next} is the value, write ${flag}=${next}`,
      details: { field: name },
    },
  )
}

/**
 * Assigns the words that are not flags to the positional fields, in order. A list at the end takes all the rest. A field that is
 * an older way to name who acts is passed over if the other fields can take all words, and `actor` is named otherwise or all words are
 * needed there.
 */
export function placeWords(words: readonly string[], fields: Fields, values: Values, actor?: string): void {
  let at = 0
  const others = Object.values(fields).filter((field) => field.positional && !isActor(field))
  const needed = others.filter(({ required }) => required).length
  const isNamed = actor !== undefined && words[0]?.toLowerCase() !== actor.toLowerCase()
  const isPassedOver = words.length <= (isNamed ? others.length : needed)
  for (const [name, field] of Object.entries(fields)) {
    if (!field.positional || at >= words.length || (isActor(field) && isPassedOver)) continue
    const until = field.type === 'list' ? words.length : at + 1
    for (const word of words.slice(at, until)) addValue(name, field, word, values)
    at = until
  }
  const extra = words[at]
  if (extra === undefined) return
  throw invalidInput('UNEXPECTED_WORD', `There is a word too many: ${JSON.stringify(extra)}.`, {
    hint:
      at === 0
        ? 'This command takes options only; put quotes around a value with spaces.'
        : 'Put quotes around a value with spaces.',
    details: { word: extra },
  })
}

const isActor = (field: Field): boolean => field.type === 'text' && field.isActor === true

/** Checks the values of global flags, which no operation checks. */
export function checkFlags(values: Values, fields: Fields): void {
  for (const [name, field] of Object.entries(fields)) {
    if (Object.hasOwn(values, name)) checkValue(name, field, values[name], spelled)
  }
}

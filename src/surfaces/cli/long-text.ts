/**
 * Long texts on a command line: `-` is standard input, a second flag may name a file, and for some `@FILE` does.
 * Done here and not in operations, so that no request over a network can make anyone read a file.
 */
import { invalidInput, notFound } from '../../kernel/errors.ts'
import { type Fields, type JsonField, type TextField, text } from '../../kernel/field.ts'
import type { Outside } from '../../kernel/outside.ts'
import { flagOf, spelled } from './spelling.ts'
import type { Values } from './words.ts'

const longest = 1 << 20

/** The flags that name files, to be read besides those of the operation. */
export function fileFlags(fields: Fields): Fields {
  const flags: Record<string, Fields[string]> = {}
  for (const [name, field] of Object.entries(fields)) {
    if (!isLong(field) || field.fileFlag === undefined) continue
    flags[field.fileFlag] = text(`Read ${flagOf(name)} from a file; \`-\` is standard input.`, {
      placeholder: 'FILE',
      completes: 'file',
    })
  }
  return flags
}

/** Replaces the name of a file, or `-`, by the text itself. */
export function readLongTexts(values: Values, fields: Fields, outside: Outside): void {
  let stdinTakenBy: string | undefined
  for (const [name, field] of Object.entries(fields)) {
    if (isPipedLine(field, values[name])) {
      // The line end that `echo` adds is not part of the text.
      values[name] = [outside.readStandardInput(longest).replace(/\r?\n$/, '')]
      continue
    }
    if (!isLong(field) || (field.fileFlag === undefined && field.longText === undefined)) continue
    const source = sourceOf(name, field, values)
    if (source === undefined) continue
    const atMost = field.longest ?? longest
    if (source === '-') {
      if (stdinTakenBy !== undefined) {
        throw invalidInput('GIVEN_TWICE', `Standard input cannot be both ${stdinTakenBy} and ${flagOf(name)}.`)
      }
      stdinTakenBy = flagOf(name)
      values[name] = asGiven(field, outside.readStandardInput(atMost))
      continue
    }
    const path = outside.resolve(outside.currentFolder(), source)
    if (field.type === 'text' && field.pathGoesTo !== undefined) values[field.pathGoesTo] ??= path
    const content = outside.readText(path, atMost)
    if (content === undefined) {
      throw notFound('NO_SUCH_FILE', `There is no file ${path}.`, {
        hint:
          field.longText === 'at-file' && values[name] !== undefined
            ? 'To give the text itself, write it to a file: a leading @ names one.'
            : `Check ${field.fileFlag === undefined ? spelled(name, field) : flagOf(field.fileFlag)}.`,
        details: { path },
      })
    }
    values[name] = asGiven(field, content)
  }
}

type LongField = TextField | JsonField

const isLong = (field: Fields[string]): field is LongField => field.type === 'text' || field.type === 'json'

const asGiven = (field: LongField, text: string): string =>
  field.type === 'text' && field.isExact ? text : text.replace(/^\ufeff/, '')

/** Words that together are one line, where a lone `-` stands for all of them. */
const isPipedLine = (field: Fields[string], value: unknown): boolean =>
  field.type === 'list' &&
  field.of.type === 'text' &&
  field.of.longText === 'standard-input' &&
  Array.isArray(value) &&
  value.length === 1 &&
  value[0] === '-'

/** Where the text comes from: a file, or `-`; `undefined` if it is the value itself. */
function sourceOf(name: string, { fileFlag, longText }: LongField, values: Values): string | undefined {
  const written = values[name] as string | undefined
  const named = fileFlag === undefined ? undefined : (values[fileFlag] as string | undefined)
  if (fileFlag !== undefined) delete values[fileFlag]
  if (written !== undefined && named !== undefined) {
    throw invalidInput('GIVEN_TWICE', `Both ${flagOf(name)} and ${flagOf(fileFlag!)} were given.`, {
      hint: 'Give one of them.',
      details: { field: name },
    })
  }
  if (named !== undefined || written === undefined || written === '-') return named ?? written
  if (longText === 'named') return written
  return longText === 'at-file' && written.startsWith('@') ? written.slice(1) : undefined
}

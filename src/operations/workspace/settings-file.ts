/**
 * A file of settings as checked entries: `signalbox.yaml` of a workspace, and the user's own file. Whatever is wrong with
 * it is told with its line.
 */
import { type ErrorParts, invalidInput, SignalboxError } from '../../kernel/errors.ts'
import type { Field, Fields } from '../../kernel/field.ts'
import { nearest } from '../../kernel/nearest.ts'
import { checkValue, expectedOf, valueFromText } from '../check-input.ts'
import { type Entry, readSettingsText, UnreadableSettings } from './settings-text.ts'

export interface SettingsFile {
  readonly path: string
  readonly text: string
  /**
   * False when these may be the words of another file, which only got this name as well, or of another user: errors then
   * name the line and say nothing of what stands there.
   */
  readonly mayBeQuoted: boolean
}

export async function entriesOf(file: SettingsFile): Promise<readonly Entry[]> {
  try {
    return await readSettingsText(file.text)
  } catch (error) {
    if (!(error instanceof UnreadableSettings)) throw error
    throw bad(file, error.line, error.message, { hint: 'Write settings as `key: value`, one a line.', cause: error })
  }
}

/** Where a key stands: at the top, or in a section. */
export interface KeyPlace {
  readonly section?: string | undefined
  /** Other keys that could have been meant there. */
  readonly alsoKnown?: readonly string[]
}

/** The checked value of one line. A key with nothing behind it means the default, as if it were not there. */
export function checkedEntry(
  entry: Entry,
  file: SettingsFile,
  fields: Fields,
  { section, alsoKnown = [] }: KeyPlace,
): unknown {
  const field = Object.hasOwn(fields, entry.key) ? fields[entry.key] : undefined
  const name = section === undefined ? entry.key : `${section}.${entry.key}`
  if (field === undefined) {
    const known = [...Object.keys(fields), ...alsoKnown]
    const meant = nearest(entry.key, known)
    const where = section === undefined ? '' : ` in \`${section}\``
    throw bad(file, entry.line, `unknown key ${JSON.stringify(entry.key)}${where}.`, {
      hint: meant ? `Did you mean \`${meant}\`?` : `Known keys${where}: ${known.join(', ')}.`,
      details: { key: name, known },
    })
  }
  const { value } = entry
  if (value.kind === 'scalar' && value.scalar === null) return undefined
  if (value.kind === 'section') {
    throw bad(file, entry.line, `\`${name}\` must be ${expectedOf(field)}; found a section.`, {
      details: { key: name },
    })
  }
  try {
    return checkValue(name, field, value.kind === 'list' ? value.items : fromScalar(name, field, value.scalar))
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    // YAML turns a name such as 007 into a number.
    const isMistaken = field.type === 'text' && value.kind === 'scalar' && typeof value.scalar !== 'string'
    const hint = isMistaken ? `If it is meant as text, put quotes around it: ${entry.key}: "…"` : error.hint
    throw bad(file, entry.line, error.message, { hint, details: { key: name, ...error.details }, cause: error })
  }
}

/** YAML knows no durations: a bare number of seconds arrives as a number. */
function fromScalar(name: string, field: Field, scalar: string | number | boolean | null): unknown {
  if (field.type === 'duration' && (typeof scalar === 'string' || typeof scalar === 'number')) {
    return valueFromText(name, field, String(scalar))
  }
  return scalar
}

export function bad(
  file: Omit<SettingsFile, 'text'>,
  line: number,
  message: string,
  parts: ErrorParts,
): SignalboxError {
  const { path } = file
  if (file.mayBeQuoted) {
    return invalidInput('BAD_CONFIGURATION', `${path}:${line}: ${message}`, {
      ...parts,
      details: { file: path, line, ...parts.details },
    })
  }
  const why = 'the file has a second name or another owner, so what it says is not shown'
  return invalidInput('BAD_CONFIGURATION', `${path}:${line}: this is not a setting; ${why}.`, {
    hint: 'Look at that line yourself. If the file is yours, put a copy in its place, under this name alone.',
    details: { file: path, line },
  })
}

/** What this workspace is set to: flags beat environment variables beat `signalbox.yaml` beats defaults. */
import { invalidInput, SignalboxError } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { checkValue, expectedOf, valueFromText } from '../check-input.ts'
import type { Environment } from '../define.ts'
import type { Field, Fields, InputOf } from '../field.ts'
import type { Outside } from '../outside.ts'
import {
  configurationFile,
  schema as fullSchema,
  type Schema,
  type sections,
  type settings,
  variableOf,
} from './settings.ts'
import { type Entry, readSettingsText, UnreadableSettings } from './settings-text.ts'

export type Origin = 'flag' | 'environment' | 'file' | 'default'

export interface Configuration extends InputOf<typeof settings> {
  /** What protocols set for themselves, by section. */
  readonly sections: { readonly [Name in keyof typeof sections]: InputOf<(typeof sections)[Name]> }
  /** Where each value comes from, for people who wonder: `durability`, `acmq.root`. */
  readonly origins: Readonly<Record<string, Origin>>
}

export interface ConfigurationSources {
  readonly root: string
  readonly flags: Readonly<Record<string, unknown>>
  readonly environment: Environment
  readonly outside: Outside
  readonly schema?: Schema
}

/** Longer files are not settings; reading stops there. */
const longestFile = 64 * 1024

export async function readConfiguration(sources: ConfigurationSources): Promise<Configuration> {
  const { settings, sections } = sources.schema ?? fullSchema
  const path = sources.outside.resolve(sources.root, configurationFile)
  const written = textOfFile(sources.outside, path)
  const file = written === undefined ? { values: {}, sections: {} } : await readFile(written, path, settings, sections)

  const origins: Record<string, Origin> = {}
  const values = chooseValues(settings, file.values, sources, origins)
  const inSections = Object.entries(sections).map(([name, fields]) => {
    return [name, chooseValues(fields, file.sections[name] ?? {}, { ...sources, flags: {} }, origins, name)]
  })
  return { ...values, sections: Object.fromEntries(inSections), origins } as unknown as Configuration
}

/** The value of each field from where it counts most. What nobody says, and what has no default, is left out. */
function chooseValues(
  fields: Fields,
  inFile: Values,
  { flags, environment }: Pick<ConfigurationSources, 'flags' | 'environment'>,
  origins: Record<string, Origin>,
  section?: string,
): Values {
  const values: Values = {}
  for (const [key, field] of Object.entries(fields)) {
    const name = section === undefined ? key : `${section}.${key}`
    const variable = variableOf(key, section)
    const written = environment[variable]
    if (flags[key] !== undefined) {
      values[key] = checkValue(key, field, flags[key])
      origins[name] = 'flag'
    } else if (written !== undefined && written !== '') {
      values[key] = fromVariable(variable, field, written)
      origins[name] = 'environment'
    } else if (Object.hasOwn(inFile, key)) {
      values[key] = inFile[key]
      origins[name] = 'file'
    } else {
      if ('default' in field && field.default !== undefined) values[key] = field.default
      origins[name] = 'default'
    }
  }
  return values
}

function textOfFile(outside: Outside, path: string): string | undefined {
  const kind = outside.kindOf(path)
  if (kind === undefined) return undefined
  // A pipe of this name would keep every command waiting.
  if (kind !== 'file')
    throw bad(path, 1, 'this is not a file.', { hint: 'Move it away, or write settings into a file of that name.' })
  return outside.readText(path, longestFile)
}

function fromVariable(variable: string, field: Field, written: string): unknown {
  try {
    return checkValue(variable, field, valueFromText(variable, field, written))
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    throw invalidInput('BAD_CONFIGURATION', `In the environment: ${error.message}`, {
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      details: { variable, ...error.details },
      cause: error,
    })
  }
}

type Values = Record<string, unknown>

async function readFile(text: string, path: string, settings: Fields, sections: Schema['sections']) {
  const file: { values: Values; sections: Record<string, Values> } = { values: {}, sections: {} }
  for (const entry of await entriesOf(text, path)) {
    const fields = Object.hasOwn(sections, entry.key) ? sections[entry.key] : undefined
    if (fields === undefined) {
      const value = checkedValue(entry, path, settings, Object.keys(sections))
      if (value !== undefined) file.values[entry.key] = value
    } else if (entry.value.kind === 'section') {
      const values: Values = {}
      for (const inner of entry.value.entries) {
        const value = checkedValue(inner, path, fields, [], entry.key)
        if (value !== undefined) values[inner.key] = value
      }
      file.sections[entry.key] = values
    } else if (entry.value.kind !== 'scalar' || entry.value.scalar !== null) {
      throw bad(path, entry.line, `\`${entry.key}\` is a section; found a value.`, {
        hint: `Write its keys on lines of their own below \`${entry.key}:\`, indented.`,
      })
    }
  }
  return file
}

async function entriesOf(text: string, path: string): Promise<readonly Entry[]> {
  try {
    return await readSettingsText(text)
  } catch (error) {
    if (!(error instanceof UnreadableSettings)) throw error
    throw bad(path, error.line, error.message, { hint: 'Write settings as `key: value`, one a line.', cause: error })
  }
}

/** The checked value of one line. A key with nothing behind it means the default, as if it were not there. */
function checkedValue(
  entry: Entry,
  path: string,
  fields: Fields,
  alsoKnown: readonly string[],
  section?: string,
): unknown {
  const field = Object.hasOwn(fields, entry.key) ? fields[entry.key] : undefined
  const name = section === undefined ? entry.key : `${section}.${entry.key}`
  if (field === undefined) {
    const known = [...Object.keys(fields), ...alsoKnown]
    const meant = nearest(entry.key, known)
    const where = section === undefined ? '' : ` in \`${section}\``
    throw bad(path, entry.line, `unknown key ${JSON.stringify(entry.key)}${where}.`, {
      hint: meant ? `Did you mean \`${meant}\`?` : `Known keys${where}: ${known.join(', ')}.`,
      details: { key: name, known },
    })
  }
  const { value } = entry
  if (value.kind === 'scalar' && value.scalar === null) return undefined
  if (value.kind === 'section') {
    throw bad(path, entry.line, `\`${name}\` must be ${expectedOf(field)}; found a section.`, {
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
    throw bad(path, entry.line, error.message, {
      ...(hint === undefined ? {} : { hint }),
      details: { key: name, ...error.details },
      cause: error,
    })
  }
}

/** YAML knows no durations: a bare number of seconds arrives as a number. */
function fromScalar(name: string, field: Field, scalar: string | number | boolean | null): unknown {
  if (field.type === 'duration' && (typeof scalar === 'string' || typeof scalar === 'number')) {
    return valueFromText(name, field, String(scalar))
  }
  return scalar
}

interface Parts {
  readonly hint?: string
  readonly details?: Record<string, unknown>
  readonly cause?: unknown
}

const bad = (path: string, line: number, message: string, parts: Parts) =>
  invalidInput('BAD_CONFIGURATION', `${path}:${line}: ${message}`, {
    ...parts,
    details: { file: path, line, ...parts.details },
  })

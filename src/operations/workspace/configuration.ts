/**
 * What this workspace is set to: flags beat environment variables beat `signalbox.yaml` beats defaults. What a stranger's
 * workspace must not decide is not read from its file at all: see `isUsersOwn`.
 */
import { invalidInput, SignalboxError } from '../../kernel/errors.ts'
import type { Field, Fields, InputOf } from '../../kernel/field.ts'
import type { Outside } from '../../kernel/outside.ts'
import { checkValue, valueFromText } from '../check-input.ts'
import type { Environment } from '../define.ts'
import { ownFilePath } from './own-file.ts'
import {
  configurationFile,
  schema as fullSchema,
  isUsersOwn,
  type Schema,
  type sections,
  type settings,
  variableOf,
} from './settings.ts'
import { bad, checkedEntry, entriesOf, longestFile, type SettingsFile } from './settings-file.ts'
import type { Entry } from './settings-text.ts'

export type Origin = 'flag' | 'environment' | 'file' | 'default'

export interface Configuration extends InputOf<typeof settings> {
  /** What protocols set for themselves, by section. */
  readonly sections: { readonly [Name in keyof typeof sections]: InputOf<(typeof sections)[Name]> }
  /** Where each value comes from, for people who wonder: `durability`, `acmq.root`. */
  readonly origins: Readonly<Record<string, Origin>>
  /** On which line of `signalbox.yaml` a key at the top stands. */
  readonly lines: Readonly<Record<string, number>>
}

export interface ConfigurationSources {
  readonly root: string
  readonly flags: Readonly<Record<string, unknown>>
  readonly environment: Environment
  readonly outside: Outside
  readonly schema?: Schema
}

export async function readConfiguration(sources: ConfigurationSources): Promise<Configuration> {
  const schema = sources.schema ?? fullSchema
  const { settings, sections } = schema
  const path = sources.outside.resolve(sources.root, configurationFile)
  const written = settingsIn(sources.outside, path)
  const none: ReadFile = { values: {}, sections: {}, lines: {} }
  const file = written === undefined ? none : await readFile(written, schema, sources.environment)

  const origins: Record<string, Origin> = {}
  const values = chooseValues(settings, file.values, sources, origins)
  const inSections = Object.entries(sections).map(([name, fields]) => {
    return [name, chooseValues(fields, file.sections[name] ?? {}, { ...sources, flags: {} }, origins, name)]
  })
  const { lines } = file
  return { ...values, sections: Object.fromEntries(inSections), origins, lines } as unknown as Configuration
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

/** The settings of the workspace, if it has some. They are read without following a link: it could lead to any file. */
function settingsIn(outside: Outside, path: string): SettingsFile | undefined {
  const found = outside.readSettings(path, { atMost: longestFile, links: false })
  if (found === undefined) return undefined
  if (found.kind === 'file') {
    return { path, text: found.text, mayBeQuoted: found.isOwn && found.names === 1 }
  }
  const file = { path, mayBeQuoted: true }
  if (found.kind === 'link') {
    throw bad(file, 1, 'this is a symbolic link; settings are not read through one.', {
      hint: 'Put a copy of the file it leads to in its place.',
    })
  }
  // A pipe of this name would keep every command waiting.
  throw bad(file, 1, 'this is not a file.', { hint: 'Move it away, or write settings into a file of that name.' })
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

interface ReadFile {
  readonly values: Values
  readonly sections: Record<string, Values>
  /** The line of each value at the top. */
  readonly lines: Record<string, number>
}

async function readFile(file: SettingsFile, { settings, sections }: Schema, environment: Environment) {
  const read: ReadFile = { values: {}, sections: {}, lines: {} }
  const entries = await entriesOf(file)
  for (const entry of entries) {
    const fields = Object.hasOwn(sections, entry.key) ? sections[entry.key] : undefined
    if (fields === undefined) {
      const value = checkedEntry(entry, file, settings, { alsoKnown: Object.keys(sections) })
      // What opens the engine would quote it.
      const isNoEngine = entry.key === 'engine' && value !== 'files' && !isEtcd(value)
      if (isNoEngine && !file.mayBeQuoted) throw bad(file, entry.line, 'not an engine.', {})
      read.lines[entry.key] = entry.line
      if (value !== undefined) read.values[entry.key] = value
    } else if (entry.value.kind === 'section') {
      const values: Values = {}
      for (const inner of entry.value.entries) {
        const isKnown = Object.hasOwn(fields, inner.key)
        if (isKnown && isUsersOwn(inner.key, entry.key)) throw usersOwn(file, inner, entry.key, entries, environment)
        const value = checkedEntry(inner, file, fields, { section: entry.key })
        if (value !== undefined) values[inner.key] = value
      }
      read.sections[entry.key] = values
    } else if (entry.value.kind !== 'scalar' || entry.value.scalar !== null) {
      throw bad(file, entry.line, `\`${entry.key}\` is a section; found a value.`, {
        hint: `Write its keys on lines of their own below \`${entry.key}:\`, indented.`,
      })
    }
  }
  return read
}

/** What only the user can say; see docs/decisions/0028-settings-of-a-stranger.md. */
function usersOwn(
  file: SettingsFile,
  { key, line }: Entry,
  section: string,
  entries: readonly Entry[],
  environment: Environment,
) {
  const variable = variableOf(key, section)
  const engine = entries.find((entry) => entry.key === 'engine')?.value
  const isShown = file.mayBeQuoted && engine?.kind === 'scalar' && isEtcd(engine.scalar)
  const address = isShown ? engine.scalar : 'etcd://HOST:PORT/TENANT'
  const path = ownFilePath({ environment }) ?? 'the file that SIGNALBOX_CONFIG names'
  const hint =
    section === 'etcd'
      ? `Take it out here. Write it into ${path} below a line \`${address}:\`, indented: \`  ${key}: …\`. Or set ${variable} together with SIGNALBOX_ENGINE.`
      : `Take it out here. If you want it, set ${variable} in your own environment.`
  const what = `\`${section}.${key}\` is not for a workspace to say: who cloned it would hand over secrets unasked.`
  // All words of ours, so that they can be said whosever file it is.
  return bad({ ...file, mayBeQuoted: true }, line, what, { hint, details: { key: `${section}.${key}`, variable } })
}

const isEtcd = (value: unknown): value is string =>
  typeof value === 'string' && /^etcd:\/\/[\w.,:[\]-]+\/[\w.-]+$/.test(value)

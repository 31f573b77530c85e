/**
 * What this workspace is set to: flags beat environment variables beat `signalbox.yaml` beats defaults. What a stranger's
 * workspace must not decide is not read from its file at all: see `isUsersOwn`.
 */
import { invalidInput, SignalboxError } from '../../kernel/errors.ts'
import type { Field, Fields, InputOf } from '../../kernel/field.ts'
import type { Outside } from '../../kernel/outside.ts'
import { checkValue, valueFromText } from '../check-input.ts'
import type { Environment } from '../define.ts'
import {
  configurationFile,
  schema as fullSchema,
  longestFile,
  type Schema,
  type Sections,
  type settings,
  variableOf,
} from './settings.ts'
import type { FileValues } from './workspace-file.ts'

type Origin = 'flag' | 'environment' | 'file' | 'default'

export interface Configuration extends InputOf<typeof settings> {
  /** What is set in a section. What its keys are is loaded when it is asked for. */
  section<Name extends keyof Sections>(name: Name): Promise<InputOf<Sections[Name]>>
  /** Where each value comes from, for people who wonder: `durability`, `acmq.root`. Of sections only what is set. */
  readonly origins: Readonly<Record<string, Origin>>
  /** On which line of `signalbox.yaml` a key at the top stands. */
  readonly lines: Readonly<Record<string, number>>
}

interface ConfigurationSources {
  readonly root: string
  readonly flags: Readonly<Record<string, unknown>>
  readonly environment: Environment
  readonly outside: Outside
  readonly schema?: Schema
}

export async function readConfiguration(sources: ConfigurationSources): Promise<Configuration> {
  const schema = sources.schema ?? fullSchema
  const { outside, environment } = sources
  const path = outside.resolve(sources.root, configurationFile)
  // Without following a link: it could lead to any file.
  const found = outside.readSettings(path, { atMost: longestFile, links: false })
  const file = found
    ? await (await import('./workspace-file.ts')).readFile(found, path, schema, environment)
    : nothingSet

  const origins: Record<string, Origin> = {}
  const values = chooseValues(schema.settings, file.values, sources, origins)
  const sections: Record<string, Values> = {}
  const read = async (name: string) => {
    const { fields } = await schema.sections[name]!()
    sections[name] ??= chooseValues(fields, file.sections[name] ?? {}, { ...sources, flags: {} }, origins, name)
    return sections[name]
  }
  for (const name of Object.keys(schema.sections))
    if (file.sections[name] || isInEnvironment(name, sources.environment)) await read(name)
  return { ...values, section: read, origins, lines: file.lines } as unknown as Configuration
}

/** Whether a variable is set that may be a key of this section: a wrong value is an error, whatever command runs. */
function isInEnvironment(section: string, environment: Environment): boolean {
  const beginning = variableOf('', section)
  for (const name in environment) if (name.startsWith(beginning)) return true
  return false
}

const nothingSet: FileValues = { values: {}, sections: {}, lines: {} }

/** The value of each field from where it counts most. What is not set, and has no default, is left out. */
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

function fromVariable(variable: string, field: Field, written: string): unknown {
  try {
    return checkValue(variable, field, valueFromText(variable, field, written))
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    throw invalidInput('BAD_CONFIGURATION', `In the environment: ${error.message}`, {
      hint: error.hint,
      details: { variable, ...error.details },
      cause: error,
    })
  }
}

type Values = Record<string, unknown>

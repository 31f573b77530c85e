/**
 * Every key of `signalbox.yaml`, as data. Flags and environment variables of the same names are read off it,
 * and so is the file that `init` writes. Each protocol brings its own keys as a section.
 */
import { choice, type Fields, flag, text } from '../../kernel/field.ts'
import { type AnyProtocol, type ProtocolLine, protocols } from '../protocols.ts'

export const configurationFile = 'signalbox.yaml'

/** Longer files are not settings; reading stops there. */
export const longestFile = 64 * 1024

/** Names become parts of paths, so they are plain: see "Identifiers" in the decisions for all protocols. */
const agentName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const settings = {
  engine: text('Where the tree is kept: `files`, under the root, or `etcd://HOST:PORT[,HOST:PORT…]/TENANT`.', {
    default: 'files',
    placeholder: 'URL',
    longest: 1024,
    expected: '`files` or an address such as etcd://localhost:2379/team',
  }),
  agent: text('Who acts when nobody says otherwise.', {
    placeholder: 'AGENT',
    pattern: agentName,
    expected: 'a name of letters, digits, dots, dashes and underscores (at most 64), such as dev-1',
  }),
  durability: choice(
    'What a write survives: `process` a killed process, `batch` and `full` also a power cut.',
    ['process', 'batch', 'full'],
    { default: 'process', placeholder: 'LEVEL' },
  ),
  permissions: choice('Who may read and write the files.', ['owner', 'group'], { default: 'owner' }),
  strict: flag('Refuse to send to an agent that nobody has seen in any protocol.', { default: false }),
  compat: flag('Read the known deviations of other programs from their specifications.', { default: false }),
} as const satisfies Fields

/** A section of the settings. */
export interface SettingsSection {
  readonly fields: Fields
  /**
   * What `signalbox.yaml` may not say, because it may be a stranger's: credentials, keys, and directories outside the
   * workspace. It comes from the environment or from the user's own file.
   */
  readonly usersOwn: readonly string[]
}

/** A section is loaded when something in it is set, or when it is asked for. */
export interface Schema {
  readonly settings: Fields
  readonly sections: Readonly<Record<string, () => Promise<SettingsSection>>>
}

const usersSection = (name: 'etcd' | 'models') => async (): Promise<SettingsSection> => {
  const fields = (await import('./users-settings.ts'))[name]
  return { fields, usersOwn: Object.keys(fields) }
}

/** Sections of protocols, engines and models: `acmq: { root: … }`. */
export const schema: Schema = {
  settings,
  sections: {
    ...Object.fromEntries(
      (protocols as readonly ProtocolLine[]).map(({ name, load }) => [
        name,
        async (): Promise<SettingsSection> => {
          const { section, usersOwn = [] } = await load()
          return { fields: section, usersOwn }
        },
      ]),
    ),
    etcd: usersSection('etcd'),
    models: usersSection('models'),
  },
}

type Users = typeof import('./users-settings.ts')

/** The fields of each section, by name. */
export type Sections = { readonly [P in AnyProtocol as P['name']]: P['section'] } & Pick<Users, 'etcd' | 'models'>

/** Every section with its fields. */
export const allSections = ({ sections }: Schema): Promise<readonly (SettingsSection & { readonly name: string })[]> =>
  Promise.all(Object.entries(sections).map(async ([name, load]) => ({ name, ...(await load()) })))

/** `durability` is `SIGNALBOX_DURABILITY`, `archiveAfter` of `acmq` is `SIGNALBOX_ACMQ_ARCHIVE_AFTER`. */
export const variableOf = (key: string, section?: string): string =>
  ['SIGNALBOX', ...(section === undefined ? [] : [section]), key.replace(/[A-Z]/g, '_$&')].join('_').toUpperCase()

/** Every variable that sets something. */
export const variablesOf = async (schema: Schema): Promise<string[]> => [
  ...Object.keys(schema.settings).map((key) => variableOf(key)),
  ...(await allSections(schema)).flatMap(({ name, fields }) => Object.keys(fields).map((key) => variableOf(key, name))),
]

/** An address of plain signs only: it needs no quotes in a shell. */
export const isEtcd = (value: unknown): value is string =>
  typeof value === 'string' && /^etcd:\/\/[\w.,:[\]-]+\/[\w.-]+$/.test(value)

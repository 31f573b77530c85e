/**
 * Every key of `signalbox.yaml`, as data. Flags and environment variables of the same names are read off it,
 * and so is the file that `init` writes. Each protocol brings its own keys as a section.
 */

import { choice, type Fields, flag, type InputOf, text } from '../../kernel/field.ts'
import { fullPath } from '../../kernel/path-fields.ts'
import { type ProtocolLine, protocols } from '../protocols.ts'

export const configurationFile = 'signalbox.yaml'

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
    {
      default: 'process',
      placeholder: 'LEVEL',
    },
  ),
  permissions: choice('Who may read and write the files.', ['owner', 'group'], { default: 'owner' }),
  strict: flag('Refuse to send to an agent that nobody has seen in any protocol.', { default: false }),
  compat: flag('Read the known deviations of other programs from their specifications.', { default: false }),
} as const satisfies Fields

/**
 * How to reach a cluster, for `engine: etcd://…`. The user's own word, never a workspace's: the secrets would go to
 * whatever server it names. They are in files, where no process list shows them.
 */
export const etcd = {
  user: text('As whom to log in to etcd.', { longest: 256 }),
  passwordFile: fullPath('A file whose first line is the password of the etcd user.', 'file'),
  tls: flag('Speak TLS with etcd. Naming one of the three files below implies it.', { default: false }),
  ca: fullPath('Certificates to trust, when not those of the system.', 'file'),
  certificate: fullPath('The certificate to show to etcd.', 'file'),
  key: fullPath('The private key of that certificate.', 'file'),
  largeBodies: fullPath('A directory that all machines share, for bodies too large for etcd (over 1 MB).', 'folder'),
} as const satisfies Fields

/**
 * Which models may read messages. The user's own word, never a workspace's: texts would go wherever it says. Without any,
 * nothing leaves this machine.
 */
export const models = {
  embeddings: choice(
    'Who compares what texts mean: `local`, the sentence model that comes with Signalbox, or an endpoint.',
    ['local', 'openai', 'ollama'],
    { default: 'local' },
  ),
  embeddingsUrl: text('The address of the endpoint for embeddings, such as http://localhost:11434.', { longest: 1024 }),
  embeddingsModel: text('The model that makes embeddings there.', { longest: 256 }),
  url: text(
    'The address of an endpoint with a model, for summaries and for what is not understood, such as https://api.example.com/v1.',
    {
      longest: 1024,
    },
  ),
  model: text('The model to ask there.', { longest: 256 }),
  keyFile: fullPath('A file whose first line is the key for these endpoints; nobody else may read it.', 'file'),
} as const satisfies Fields

export type ModelSettings = InputOf<typeof models>

type ProtocolSections = {
  readonly [P in (typeof protocols)[number] as P['protocol']['name']]: P['protocol']['section']
}

/** Sections of protocols and engines: `acmq: { root: … }`. */
export const sections = {
  ...Object.fromEntries(protocols.map(({ protocol }) => [protocol.name, protocol.section])),
  etcd,
  models,
} as ProtocolSections & { readonly etcd: typeof etcd; readonly models: typeof models }

export interface Schema {
  readonly settings: Fields
  readonly sections: Readonly<Record<string, Fields>>
}

export const schema: Schema = { settings, sections }

/**
 * True for what `signalbox.yaml` may not say, because it may be a stranger's: credentials, keys, and directories outside
 * the workspace. It comes from the environment or from the user's own file.
 */
export const isUsersOwn = (key: string, section?: string): boolean =>
  section === 'etcd' ||
  section === 'models' ||
  (protocols as readonly ProtocolLine[]).some(
    ({ protocol }) => protocol.name === section && protocol.usersOwn?.includes(key),
  )

/** `durability` is `SIGNALBOX_DURABILITY`, `archiveAfter` of `acmq` is `SIGNALBOX_ACMQ_ARCHIVE_AFTER`. */
export const variableOf = (key: string, section?: string): string =>
  ['SIGNALBOX', ...(section === undefined ? [] : [section]), key.replace(/[A-Z]/g, '_$&')].join('_').toUpperCase()

/** Every variable that sets something. */
export const variablesOf = ({ settings, sections }: Schema): string[] => [
  ...Object.keys(settings).map((key) => variableOf(key)),
  ...Object.entries(sections).flatMap(([name, fields]) => Object.keys(fields).map((key) => variableOf(key, name))),
]

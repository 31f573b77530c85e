/**
 * Every key of `signalbox.yaml`, as data. Flags and environment variables of the same names are read off it,
 * and so is the file that `init` writes. A protocol adds its own keys as a section.
 */

import { choice, duration, type Fields, flag, integer, text } from '../../kernel/field.ts'
import { defaultSettings as acmqDefaults } from '../../protocols/ac-mq/settings.ts'
import { defaultSettings as mrDefaults } from '../../protocols/message-routing/settings.ts'

export const configurationFile = 'signalbox.yaml'

/** As in the guards of Message Routing, which are not loaded for the sake of three words. */
const signingModes = ['off', 'sign', 'require'] as const

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
  compat: flag('Read the known deviations of other programs from their specifications.', { default: false }),
} as const satisfies Fields

/** Plain names between slashes; none of them leads out, and none is our own folder. */
const folderInside = /^(?:\.\/)?(?!\.signalbox(?:\/|$))(?!\.\.?(?:\/|$))[\w.+@-]+(?:\/(?!\.\.?(?:\/|$))[\w.+@-]+)*\/?$/

const acmq = {
  root: text('The folder that holds the missions of AC-MQ.', {
    default: acmqDefaults.root,
    longest: 512,
    pattern: folderInside,
    expected: 'a folder below the root, such as llm/missions',
  }),
  timeoutSeconds: integer('How many seconds a claim lasts, for messages that do not say.', {
    default: acmqDefaults.timeoutSeconds,
    least: 1,
  }),
  largestBody: integer('Longer bodies, in bytes, are kept in `context/` and the message refers to them.', {
    default: acmqDefaults.largestBody,
    least: 1024,
  }),
  archiveAfter: duration('Supervision archives what was completed longer ago than this.', {
    default: acmqDefaults.archiveAfterMs,
    least: 0,
  }),
} as const satisfies Fields

const day = 24 * 60 * 60 * 1000

/** What is not relative to anything: which directory a command is started in must not decide whose file is read. */
const fullPath = <const C extends 'file' | 'folder'>(help: string, completes: C) =>
  text(help, {
    placeholder: completes === 'file' ? 'FILE' : 'DIR',
    longest: 4096,
    pattern: /^\//,
    expected: 'a full path, such as /home/ada/secret',
    completes,
  })

const mr = {
  root: text('The folder that holds the agents of Message Routing.', {
    default: mrDefaults.root,
    longest: 512,
    pattern: folderInside,
    expected: 'a folder below the root, such as state/agents',
  }),
  inboxLimit: integer('How many messages an inbox holds; the next one evicts the oldest.', {
    default: mrDefaults.inboxLimit,
    least: 1,
    most: 100_000,
  }),
  keepFor: duration('How long messages that were taken, evicted or rejected can still be recovered.', {
    default: mrDefaults.keepMs,
    least: 0,
  }),
  keepBytes: integer('How many bytes of them are kept in each of these folders; the oldest go first.', {
    default: mrDefaults.keepBytes,
    least: 0,
  }),
  signing: choice(
    '`sign`: sign, and refuse the unsigned of whoever has a key; `require`: of everybody.',
    signingModes,
    {
      default: 'off',
    },
  ),
  encryption: flag('Encrypt payloads to their recipient. What arrives encrypted is opened in any case.', {
    default: false,
  }),
  keys: fullPath(
    'A directory of your own for keys, instead of the one that each workspace has in your home.',
    'folder',
  ),
  messagesPerMinute: integer('How many messages each sender may send in a minute; 0 is no limit.', {
    default: 0,
    least: 0,
    most: 1_000_000,
  }),
  replayWindow: duration('With signing, how long copies are told one by one; older messages are refused.', {
    default: 7 * day,
    least: day,
  }),
  alertWriteMs: integer('An alert is raised when writing a message took longer than so many milliseconds.', {
    default: 100,
    least: 1,
  }),
  alertReadMs: integer('An alert is raised when reading an inbox took longer than so many milliseconds.', {
    default: 200,
    least: 1,
  }),
  alertDepth: integer('An alert is raised when an inbox holds more messages than this.', { default: 80, least: 1 }),
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

/** Sections of protocols and engines: `acmq: { root: … }`. One line each, beside its own fields. */
export const sections = { acmq, mr, etcd } as const satisfies Readonly<Record<string, Fields>>

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
  section === 'etcd' || (section === 'mr' && key === 'keys')

/** `durability` is `SIGNALBOX_DURABILITY`, `archiveAfter` of `acmq` is `SIGNALBOX_ACMQ_ARCHIVE_AFTER`. */
export const variableOf = (key: string, section?: string): string =>
  ['SIGNALBOX', ...(section === undefined ? [] : [section]), key.replace(/[A-Z]/g, '_$&')].join('_').toUpperCase()

/** Every variable that sets something. */
export const variablesOf = ({ settings, sections }: Schema): string[] => [
  ...Object.keys(settings).map((key) => variableOf(key)),
  ...Object.entries(sections).flatMap(([name, fields]) => Object.keys(fields).map((key) => variableOf(key, name))),
]

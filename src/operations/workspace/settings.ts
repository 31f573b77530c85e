/**
 * Every key of `signalbox.yaml`, as data. Flags and environment variables of the same names are read off it,
 * and so is the file that `init` writes. A protocol adds its own keys as a section.
 */
import { defaultSettings as acmqDefaults } from '../../protocols/ac-mq/settings.ts'
import { choice, duration, type Fields, flag, integer, text } from '../field.ts'

export const configurationFile = 'signalbox.yaml'

/** Names become parts of paths, so they are plain: see "Identifiers" in the decisions for all protocols. */
const agentName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const settings = {
  engine: text('Where the tree is kept: `files`, under the root, or `etcd://HOST:PORT/TENANT`.', {
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

/** Sections of protocols: `acmq: { root: … }`. One line each, beside its own fields. */
export const sections = { acmq } as const satisfies Readonly<Record<string, Fields>>

export interface Schema {
  readonly settings: Fields
  readonly sections: Readonly<Record<string, Fields>>
}

export const schema: Schema = { settings, sections }

/** `durability` is `SIGNALBOX_DURABILITY`, `archiveAfter` of `acmq` is `SIGNALBOX_ACMQ_ARCHIVE_AFTER`. */
export const variableOf = (key: string, section?: string): string =>
  ['SIGNALBOX', ...(section === undefined ? [] : [section]), key.replace(/[A-Z]/g, '_$&')].join('_').toUpperCase()

/** Every variable that sets something. */
export const variablesOf = ({ settings, sections }: Schema): string[] => [
  ...Object.keys(settings).map((key) => variableOf(key)),
  ...Object.entries(sections).flatMap(([name, fields]) => Object.keys(fields).map((key) => variableOf(key, name))),
]

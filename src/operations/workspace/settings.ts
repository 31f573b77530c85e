/**
 * Every key of `signalbox.yaml`, as data. Flags and environment variables of the same names are read off it,
 * and so is the file that `init` writes. A protocol adds its own keys as a section.
 */
import { choice, type Fields, flag, text } from '../field.ts'

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

/** Sections of protocols: `acmq: { root: … }`. One line each, beside its own fields. */
export const sections: Readonly<Record<string, Fields>> = {}

export interface Schema {
  readonly settings: Fields
  readonly sections: Readonly<Record<string, Fields>>
}

export const schema: Schema = { settings, sections }

/** `durability` is `SIGNALBOX_DURABILITY`. */
export const variableOf = (key: string): string => `SIGNALBOX_${key.toUpperCase()}`

/** What can be configured about AC-MQ, and the defaults. */
import {
  defaultsOf,
  duration,
  type Fields,
  flag,
  type InputOf,
  insideRoot,
  integer,
  rootFolder,
} from '../../kernel/field.ts'
import { largestMessageField } from '../../kernel/problem.ts'

const day = 24 * 60 * 60 * 1000

/** Its section of `signalbox.yaml`. */
export const section = {
  root: rootFolder('The folder that holds the missions of AC-MQ.', 'llm/missions'),
  timeoutSeconds: integer('How many seconds a claim lasts, for messages that do not say.', { default: 3600, least: 1 }),
  largestBody: integer('Longer bodies, in bytes, are kept in `context/` and the message refers to them.', {
    default: 256 * 1024,
    least: 1024,
  }),
  largestMessage: largestMessageField,
  archiveAfter: duration('Supervision archives what was completed longer ago than this.', {
    default: 7 * day,
    least: 0,
    needsUnit: true,
  }),
  busDocuments: flag('Supervision makes and renews bus documents.', { default: true }),
  snapshots: flag('Supervision takes snapshots of queues, and archives completed messages that they cover.', {
    default: true,
  }),
  organizeFrom: integer('Supervision organizes `context/` when so many files lie loose in it; 0 is never.', {
    default: 40,
    least: 0,
  }),
  clusterSize: integer('So many messages about similar things get a bus document.', { default: 4, least: 2 }),
  // An etcd cluster takes values of up to a million bytes.
  busDocumentBytes: integer('A longer bus document goes on in numbered parts.', {
    default: 900 * 1024,
    least: 16 * 1024,
  }),
} as const satisfies Fields

export interface AcmqSettings extends Omit<InputOf<typeof section>, 'archiveAfter'> {
  readonly archiveAfterMs: number
  /** A malformed file is set aside when it has not changed for this long: a program may still be writing it. */
  readonly quarantineAfterMs: number
  /** From so many waiting messages on, a queue has a cache on disk; a smaller queue is read as quickly without. */
  readonly rememberFrom: number
}

export const settingsFrom = ({ root, archiveAfter, ...same }: InputOf<typeof section>): AcmqSettings => ({
  ...same,
  root: insideRoot(root),
  archiveAfterMs: archiveAfter,
  quarantineAfterMs: 5000,
  rememberFrom: 1000,
})

export const defaultSettings: AcmqSettings = settingsFrom(defaultsOf(section))

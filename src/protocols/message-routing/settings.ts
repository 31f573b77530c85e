/** What can be configured about Message Routing, with the values used when nothing is said. */
import {
  choice,
  defaultsOf,
  duration,
  type Fields,
  flag,
  fullPath,
  type InputOf,
  insideRoot,
  integer,
  rootFolder,
} from '../../kernel/field.ts'

const day = 24 * 60 * 60 * 1000

/** Its section of `signalbox.yaml`. */
export const section = {
  root: rootFolder('The folder that holds the agents of Message Routing.', 'state/agents'),
  inboxLimit: integer('How many messages an inbox holds; the next one evicts the oldest.', {
    default: 100,
    least: 1,
    most: 100_000,
  }),
  keepFor: duration('How long messages that were taken, evicted or rejected can still be recovered.', {
    default: 7 * day,
    least: 0,
    needsUnit: true,
  }),
  keepBytes: integer('How many bytes of them are kept in each of these folders; the oldest go first.', {
    default: 4 * 1024 * 1024,
    least: 0,
  }),
  signing: choice(
    '`sign`: sign, and refuse the unsigned of whoever has a key; `require`: of everybody.',
    ['off', 'sign', 'require'],
    { default: 'off' },
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
    needsUnit: true,
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

type Section = InputOf<typeof section>

/** `section` says what each of them means. */
export interface MrSettings extends Pick<Section, 'root' | 'inboxLimit' | 'keepBytes'> {
  readonly keepMs: number
  /** A file that is not JSON must be this old before it is rejected: another program may still be writing it. */
  readonly settleMs: number
  readonly security: SecuritySettings
  readonly keys: string | undefined
  readonly thresholds: Thresholds
}

/** All of it is off unless configured. */
export interface SecuritySettings extends Pick<Section, 'signing' | 'encryption' | 'messagesPerMinute'> {
  readonly replayWindowMs: number
}

/** An alert is raised above these. Spec: "Alerting Thresholds". */
export interface Thresholds {
  readonly message_write_latency_ms: number
  readonly message_read_latency_ms: number
  readonly inbox_depth: number
}

export const settingsFrom = (set: Section): MrSettings => ({
  root: insideRoot(set.root),
  inboxLimit: set.inboxLimit,
  keepMs: set.keepFor,
  keepBytes: set.keepBytes,
  settleMs: 250,
  security: {
    signing: set.signing,
    encryption: set.encryption,
    messagesPerMinute: set.messagesPerMinute,
    replayWindowMs: set.replayWindow,
  },
  keys: set.keys,
  thresholds: {
    message_write_latency_ms: set.alertWriteMs,
    message_read_latency_ms: set.alertReadMs,
    inbox_depth: set.alertDepth,
  },
})

export const defaultSettings: MrSettings = settingsFrom(defaultsOf(section))

/** What can be configured about sessions, with the values used when nothing is said. */
import {
  choice,
  defaultsOf,
  duration,
  type Fields,
  flag,
  type InputOf,
  integer,
  list,
  rootFolder,
  text,
} from '../../kernel/field.ts'

export const encodings = ['o200k_base', 'cl100k_base', 'p50k_base', 'r50k_base'] as const

const second = 1000

const name = {
  pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  expected: 'a name of letters, digits, dots, dashes and underscores (at most 64)',
} as const

/** Its section of `signalbox.yaml`. */
export const section = {
  orchestrator: text('The agent that may force locks, and that speaks when nobody is named.', {
    default: 'Orchestrator',
    ...name,
    placeholder: 'AGENT',
  }),
  people: list(
    'People, besides `User`: like the orchestrator they speak in words unless they ask for commands. Agents speak in commands.',
    text('A person.', name),
  ),
  tokenizer: choice('How tokens are counted where they bind an answer or a value.', encodings, {
    default: 'o200k_base',
  }),
  window: integer('How many tokens the context of a session has; health is told by it.', {
    default: 100_000,
    least: 1000,
    most: 100_000_000,
  }),
  lockFor: duration('How long a lock lasts when nobody says.', {
    default: 300 * second,
    least: second,
    most: 86_400 * second,
  }),
  waitFor: duration('How long a wait lasts when nobody says.', {
    default: 300 * second,
    least: 0,
    most: 86_400 * second,
  }),
  contextFolder: rootFolder('The folder that automatic exports go to.', 'context'),
  literalCheckpoints: flag('Checkpoints are commits on your branch (`add -A`), as the specification writes.', {
    default: false,
  }),
  automaticCheckpoints: flag('Make a checkpoint before what is risky.', { default: true }),
  startRunners: flag('Start a process for each task of a role with a program; else `session work` does them.', {
    default: true,
  }),
  taskTime: duration('How long a program of a role may take.', {
    default: 600 * second,
    least: second,
    most: 86_400 * second,
  }),
  learnCorrections: flag('Keep what people correct (`no, I meant …`) as examples of this workspace.', {
    default: false,
  }),
  askModelFirst: flag('Ask the configured model about every sentence, and not only where one is unclear.', {
    default: false,
  }),
} as const satisfies Fields

type Set = InputOf<typeof section>

export interface SessionSettings extends Omit<Set, 'people' | 'lockFor' | 'waitFor' | 'taskTime'> {
  /** Who speaks in words by default, besides the orchestrator. */
  readonly people: readonly string[]
  readonly lockMs: number
  readonly waitMs: number
  readonly taskMs: number
  /** §6: "20 keys per session", "Values: ≤ 30 tokens"; §4: "Values limited to 50 tokens". */
  readonly mostKeys: number
  readonly valueTokens: number
  readonly variableTokens: number
  /** How long a reader may take to write out what it was given, before others get it. */
  readonly handingMs: number
}

export const settingsFrom = ({ people = [], lockFor, waitFor, taskTime, ...set }: Set): SessionSettings => ({
  ...set,
  // §2.5: "Users speak conversationally". The specification's examples call them so.
  people: ['User', ...people],
  lockMs: lockFor,
  waitMs: waitFor,
  taskMs: taskTime,
  contextFolder: set.contextFolder.replace(/^\.\//, '').replace(/\/$/, ''),
  mostKeys: 20,
  valueTokens: 30,
  variableTokens: 50,
  handingMs: 2 * second,
})

export const defaultSettings: SessionSettings = settingsFrom(defaultsOf(section))

/** The slots that forms of requests may have, and which parameter of a command each fills. Pure. */
import { checkpointTypes } from '../commands/table.ts'
import { agent, agents, role, someone } from './slots/agents.ts'
import { afterArticles, type Filling, type Hearing, type Reader } from './slots/filling.ts'
import {
  brief,
  category,
  checkpoint,
  command,
  detailed,
  matching,
  oneOf,
  path,
  priority,
  resource,
  timeout,
} from './slots/things.ts'
import { feature, key, knownKey, name, oneKey, oneName, task, taskId, term, words } from './slots/words.ts'
import { nouns, pronouns } from './words.ts'

export { type Filling, type Hearing, textOf } from './slots/filling.ts'

const readers: Readonly<Record<string, Reader>> = {
  agent,
  'agent|all': agent,
  someone,
  agents,
  role,
  key,
  knownKey,
  oneKey,
  value: words(false),
  msg: words(false),
  desc: words(false),
  text: words(false),
  result: words(false),
  reason: words(false),
  issue: words(false),
  task,
  taskId,
  topic: words(true),
  metric: words(true),
  name: words(true),
  oneName,
  term,
  condition: name,
  channel: name,
  feature,
  resource,
  filepath: path,
  directory: path,
  id: checkpoint,
  version: matching(/^v?\d{1,6}(?:\.\d{1,6}){0,2}$/i, (raw) => raw.replace(/^v/i, '')),
  code: matching(/^E\d{3}$/i, (raw) => raw.toUpperCase()),
  timeout,
  'P0-P3': priority,
  type: oneOf({
    ...Object.fromEntries(checkpointTypes.map((one) => [one, one])),
    automatic: 'auto',
    major: 'milestone',
  }),
  filter: oneOf({
    all: 'all',
    everything: 'all',
    critical: 'critical',
    persistent: 'critical',
    tasks: 'tasks',
    state: 'state',
    incremental: 'incremental',
  }),
  category,
  command,
  modifier: oneOf({ ...brief, ...detailed }),
}

/** Which parameter of the command a slot fills, where it has another name. */
export const parameterOf: Readonly<Record<string, string>> = {
  role: 'agent|all',
  someone: 'agent',
  knownKey: 'key',
  oneKey: 'key',
  taskId: 'task',
  oneName: 'name',
  command: 'category',
}

/** The slots that a form may have; others are those that the table gives a command that a workspace has added. */
export const isSlot = (slot: string): boolean => Object.hasOwn(readers, slot)

export function* fillings(slot: string, hearing: Hearing, from: number, mayBeHollow: boolean): Generator<Filling> {
  const reader = Object.hasOwn(readers, slot) ? readers[slot]! : oneName
  yield* reader(hearing, from)
  // Whoever begins a sentence is named, or is not meant.
  if (!mayBeHollow || slot === 'someone') return
  const at = afterArticles(hearing, from)
  const token = hearing.tokens[at]
  if (token && !token.isMark && !token.isQuoted && (pronouns.has(token.word) || nouns.has(token.word)))
    yield { to: at + 1, value: '', cost: 1, isHollow: true }
}

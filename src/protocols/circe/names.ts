/** Names of agents, tasks and files. They become parts of paths, so they are checked before anything is written. */
import { invalidInput } from '../../kernel/errors.ts'
import { printableLine } from '../../kernel/printable.ts'
import { isSegment, longestSegment } from '../../kernel/tree-path.ts'
import { type CirceDraft, everybody, rooster } from './schema.ts'

declare const brand: unique symbol
/** In lower case: agents compare without case. */
export type AgentId = string & { readonly [brand]: 'AgentId' }
/** As written: case counts, unlike in agents. Sending refuses a task that differs from a known one by case alone. */
export type TaskId = string & { readonly [brand]: 'TaskId' }
/** The name of a message's file, with `.md`. It is the message's id. */
export type FileName = string & { readonly [brand]: 'FileName' }

/** In bytes. Leaves room for what we append to a name, such as `.reason`. */
const longestFileName = longestSegment - 20

const plain = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const isName = (text: string): boolean => plain.test(text) && !text.endsWith('.')
export const isAgentId = (text: string): boolean => isName(text) && !isReserved(text)
export const isTaskId = (text: string): text is TaskId => isName(text)
export const isFileName = (text: string): text is FileName =>
  text.endsWith('.md') && !text.startsWith('.') && isSegment(text) && Buffer.byteLength(text) <= longestFileName

/** `all` and `ROOSTER` name no agent. */
export const isReserved = (text: string): boolean => isSameAgent(text, everybody) || isRooster(text)

/** The length tells most apart: asked for each of thousands of messages. */
export const isSameAgent = (a: string, b: string): boolean =>
  a === b || (a.length === b.length && a.toLowerCase() === b.toLowerCase())
export const isRooster = (name: string): boolean => isSameAgent(name, rooster)
export const isEverybody = (name: string): boolean => isSameAgent(name, everybody)

export function agentId(text: string): AgentId {
  if (isAgentId(text)) return text.toLowerCase() as AgentId
  throw invalidInput('INVALID_AGENT_ID', `Not an agent: ${shown(text)}: ${reasonAgainst(text)}.`, {
    hint: 'Use a name such as engineer or qa-2.',
    details: { agent: text.slice(0, 400) },
  })
}

/** A name for `from` or `to`: an agent, ROOSTER, and in `to` also `all`. */
export function participant(text: string, header: 'from' | 'to'): string {
  if (isRooster(text)) return rooster
  if (header === 'to' && isEverybody(text)) return everybody
  return agentId(text)
}

export function taskId(text: string): TaskId {
  if (isTaskId(text)) return text
  throw invalidInput('INVALID_TASK_ID', `Not a task: ${shown(text)}: ${reasonAgainst(text)}.`, {
    hint: 'Use an id such as FEAT-021.',
    details: { task: text.slice(0, 400) },
  })
}

export const withEnding = (name: string): string => (name.endsWith('.md') ? name : `${name}.md`)

/** A message as people name it: with or without its folder, with or without `.md`. */
export function fileName(text: string): FileName {
  const name = text.slice(text.lastIndexOf('/') + 1)
  const whole = withEnding(name)
  if (name !== '' && isFileName(whole)) return whole
  throw invalidInput('INVALID_FILE_NAME', `Not the file of a message: ${shown(text)}.`, {
    hint: 'Give the name that `circe inbox` shows, such as 20251106_140211_coordinator-engineer_test_FEAT-021.md',
    details: { file: text.slice(0, 400) },
  })
}

function reasonAgainst(text: string): string {
  if (text === '') return 'the name is empty'
  if (text.length > 64) return `it has ${text.length} characters; 64 is the most`
  if (isReserved(text)) return `\`${text.toLowerCase()}\` has a meaning of its own`
  if (text.startsWith('.')) return 'a name cannot begin with a dot'
  return 'a name has only letters, digits, `.`, `_` and `-`, begins with a letter or digit, and does not end with a dot'
}

const shown = (text: string): string => printableLine(JSON.stringify(text.slice(0, 80)))

const longestStem = longestFileName - 10

/**
 * `20251106_140211_coordinator-engineer_implement-feature_FEAT-021.md`. `nth` tells messages of one second apart. Names are never
 * parsed, so that very long ones may be cut. Spec: CIRCE, "Message Filename Convention".
 */
export function fileNameOf(
  { time, from, to, intent, task }: Pick<CirceDraft, 'time' | 'from' | 'to' | 'intent' | 'task'>,
  nth = 1,
): FileName {
  const at = new Date(time).toISOString()
  const stamp = `${at.slice(0, 10).replaceAll('-', '')}_${at.slice(11, 19).replaceAll(':', '')}`
  const end = [intent.toLowerCase().replaceAll('_', '-'), ...(task === undefined ? [] : [task])].join('_')
  const who = `${from}-${to}`.toLowerCase().slice(0, longestStem - stamp.length - end.length - 2)
  return `${stamp}_${who}_${end}${nth === 1 ? '' : `.${nth}`}.md` as FileName
}

/**
 * Where Dream.OS keeps things, below a root that is configured. Pure; nothing here looks at a disk. Spec: Dream.OS, Standard
 * File Formats & Usage.
 *
 *   runtime/{Agent}/inbox/*.json          waiting for the agent
 *   runtime/{Agent}/outbox/*.json         sent by the agent, and not yet carried on
 *   runtime/{Agent}/*.json                state of the agent
 *   runtime/task_list.json                all tasks
 *   runtime/supervisor_state.json
 *   temp/*.json                           state of the system
 *   temp/cursor_input.txt, temp/cursor_output.json
 *   templates/*.j2                        prompts
 *   analysis/*.md, logs/*.md              for people
 *   governance_memory.jsonl
 *   _agent_coordination/{Agent}/reflection/*.md
 *   _agent_coordination/shared_mailboxes/mailbox_{N}.json, completed_tasks.json
 *   and of our own:
 *   runtime/{Agent}/working/*.json        taken by the agent, and not finished
 *   runtime/{Agent}/archive/inbox/, …/outbox/, …/rejected/
 *   temp/archive/                         prompts and responses that are done with
 *   …/shared_mailboxes/archive/           processed messages, one line each
 *   .signalbox/state/delivery/dream/      leases, what was sent, plans, and the changes that are being made (`journal/`)
 */
import { childOf, type TreePath } from '../../kernel/tree-path.ts'
import { stateOf } from '../../tree/home.ts'
import type { AgentId } from './names.ts'

/** The folders of an agent that a file can lie in. */
export const folders = ['inbox', 'outbox', 'working', 'archive/inbox', 'archive/outbox', 'archive/rejected'] as const
export type Folder = (typeof folders)[number]

/** Where a file may be that was delivered, in the order in which it gets there. */
export const deliveredTo: readonly Folder[] = ['inbox', 'working', 'archive/inbox']

export interface Places {
  readonly root: TreePath
  readonly mailboxes: TreePath
  readonly taskList: TreePath
}

// All parts are checked already.
const below = (folder: TreePath, rest: string): TreePath => (folder === '' ? rest : `${folder}/${rest}`) as TreePath

export const runtimePath = ({ root }: Places): TreePath => below(root, 'runtime')
export const agentPath = (places: Places, agent: AgentId): TreePath => below(runtimePath(places), agent)
export const folderPath = (places: Places, agent: AgentId, folder: Folder): TreePath =>
  below(agentPath(places, agent), folder)
export const supervisorPath = (places: Places): TreePath => below(runtimePath(places), 'supervisor_state.json')

export const tempPath = ({ root }: Places): TreePath => below(root, 'temp')
export const tempArchivePath = (places: Places): TreePath => below(tempPath(places), 'archive')
export const promptPath = (places: Places): TreePath => below(tempPath(places), 'cursor_input.txt')
export const responsePath = (places: Places): TreePath => below(tempPath(places), 'cursor_output.json')
export const templatesPath = ({ root }: Places): TreePath => below(root, 'templates')
export const reportFolders = ['analysis', 'logs'] as const
export type ReportFolder = (typeof reportFolders)[number]
export const reportsPath = ({ root }: Places, folder: ReportFolder): TreePath => below(root, folder)
export const governancePath = ({ root }: Places): TreePath => below(root, 'governance_memory.jsonl')
/** Where some other programs keep the governance log. */
export const fieldGovernancePath = (places: Places): TreePath => below(runtimePath(places), 'governance_memory.jsonl')
export const coordinationPath = ({ root }: Places): TreePath => below(root, '_agent_coordination')
export const reflectionsPath = (places: Places, agent: AgentId): TreePath =>
  below(coordinationPath(places), `${agent}/reflection`)

export const mailboxPath = ({ mailboxes }: Places, number: number): TreePath =>
  below(mailboxes, `mailbox_${number}.json`)
export const lockPath = (places: Places, number: number): TreePath => `${mailboxPath(places, number)}.lock` as TreePath
export const completedPath = ({ mailboxes }: Places): TreePath => below(mailboxes, 'completed_tasks.json')
export const mailboxArchivePath = ({ mailboxes }: Places, number: number): TreePath =>
  below(mailboxes, `archive/mailbox_${number}.jsonl`)

/** The number in the name of a mailbox; `undefined` for any other name. */
export function mailboxFrom(name: string): number | undefined {
  const digits = /^mailbox_([1-9]\d{0,2})\.json$/.exec(name)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** State that cannot be rebuilt from the files of the protocol. */
export const statePath = childOf(stateOf('delivery'), 'dream')
export const presencePath = childOf(stateOf('presence'), 'dream')
export const mailboxStatePath = (number: number): TreePath => below(statePath, `mailbox_${number}.json`)
/** The processed ids, one line each. Kept outside of the mailbox, which other programs may overwrite. */
export const processedPath = (number: number): TreePath => below(statePath, `mailbox_${number}.processed.jsonl`)
/** The messages sent in one hour, one line each. */
export const sentPath = (number: number, hour: number): TreePath =>
  below(statePath, `mailbox_${number}.sent-${hour}.jsonl`)
export const sentHourFrom = (name: string, number: number): number | undefined => {
  const digits = new RegExp(`^mailbox_${number}\\.sent-(\\d{1,9})\\.jsonl$`).exec(name)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
/** The prompts that have no response yet. */
export const unansweredPath = childOf(statePath, 'prompts.json')
export const plansPath = childOf(statePath, 'plans')
export const dispatchPath = childOf(statePath, 'dispatch')
export const answersPath = childOf(statePath, 'answers')
/** How often each file of an inbox was taken. */
export const attemptsPath = childOf(statePath, 'inbox')
/** Changes of several steps that are being made. */
export const journalPath = childOf(statePath, 'journal')
/** Where earlier versions kept such changes. */
export const finishingPath = childOf(statePath, 'finishing')
export const tellingPath = childOf(statePath, 'telling')
/** Messages of such changes, on their way to an inbox. */
export const outgoingPath = childOf(statePath, 'outgoing')
/** The tasks that were ever sent, and those on their way. */
export const sentTasksPath = childOf(statePath, 'sent')
export const stagedTasksPath = childOf(statePath, 'staged')
/** A broken lock, kept until it has been reported. */
export const brokenLockPath = (number: number): TreePath => below(statePath, `mailbox_${number}.lock-broken`)

const extension = '.json'

/** True for what counts as a message in an inbox or outbox. Hidden files belong to the programs that write them. */
export const isMessageName = (name: string): boolean => name.endsWith(extension) && !name.startsWith('.')

export const stemOf = (name: string): string => (name.endsWith(extension) ? name.slice(0, -extension.length) : name)

/** Separates the name of a file from its sender. No agent's name contains it, so files of two senders never get one name. */
const senderMark = '@'

/** The name that a file of an outbox gets in the inbox of its target. */
export const routedName = (name: string, sender: AgentId, mark = ''): string =>
  `${stemOf(name)}${mark}${senderMark}${sender}${extension}`

/** The sender in the name of a routed file. */
export function senderFrom(name: string): string | undefined {
  const stem = stemOf(name).replace(/~\d+$/, '')
  const at = stem.lastIndexOf(senderMark)
  return at < 0 ? undefined : stem.slice(at + 1)
}

export const taskFileName = (id: string, attempt = 1): string => `task_${id}${attempt === 1 ? '' : `~${attempt}`}.json`
export const messageFileName = (id: string): string => `msg_${id}.json`

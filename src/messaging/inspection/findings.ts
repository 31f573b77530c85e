/** What `doctor` can find in any protocol, under one code each. A protocol adds findings only for what no other can have. */
import { call } from '../../kernel/call.ts'
import { printableLine } from '../../kernel/printable.ts'
import type { TreePath } from '../../kernel/tree-path.ts'
import { type Finding, finding, type Tree } from '../../tree/tree.ts'
import { isAboutOneMessage, type SendingOnce } from '../sending-once/sending-once.ts'

const count = (n: number): string => (n === 1 ? 'A message waits' : `${n} messages wait`)

/** Messages for an agent that has never been seen: often a mistyped name. `take`: how that agent would take them. */
export function unseenRecipient(path: string, agent: string, waiting: number, take: string): Finding {
  const name = printableLine(agent)
  const hint = `If the name is right, let ${name} take it: ${take}. If not, send it to somebody else.`
  return finding('warning', 'UNSEEN_RECIPIENT', path, `${count(waiting)} for ${name}, whom nobody has ever seen.`, hint)
}

/** Two names of agents, tasks or missions that some disks take for one. */
export const differsByCase = (path: string, name: string, other: string): Finding =>
  finding(
    'error',
    'SAME_BUT_FOR_CASE',
    path,
    `${printableLine(name)} and ${printableLine(other)} differ by case alone.`,
    'Rename one of them, or move what is in it to the other.',
  )

/** A file where a message belongs, which is none. `next`: what can be done besides correcting it. */
export const unreadableMessage = (path: string, reason: string, next = 'Correct the file, or move it away.'): Finding =>
  finding('warning', 'UNREADABLE_MESSAGE', path, reason, next)

/** A file that this user may not read. It may be a good message to its owner. */
export const closedMessage = (path: string, reason: string, hint = 'Let its owner see to it.'): Finding =>
  finding('error', 'CLOSED_MESSAGE', path, reason, hint)

/** An entry among messages that has the name of one and can be none. */
export const strangeFile = (path: string, name: string, kind: string): Finding => {
  const what = kind === 'leaf' ? 'has a name that cannot be used' : `is not an ordinary file (${kind})`
  const message = `${printableLine(JSON.stringify(name.slice(0, 120)))} ${what}; it is passed over.`
  return finding('warning', 'STRANGE_FILE', path, message, 'Move it out of that folder, or rename it.')
}

/** A folder with the inbox of an agent whose name no agent can have. */
export const notAnAgent = (path: string, name: string): Finding =>
  finding(
    'warning',
    'NOT_AN_AGENT',
    path,
    `No agent can be called ${printableLine(JSON.stringify(name.slice(0, 80)))}; what lies here is passed over.`,
    'Rename the folder, or move its files to the agent that is meant.',
  )

/** Messages or tasks that wait for each other for ever. `next`: how the circle is broken. */
export const dependencyCycle = (path: string, message: string, next: string): Finding =>
  finding('warning', 'DEPENDENCY_CYCLE', path, message, next)

/** A claim whose time has run out and that has not been settled. `next`: how that is done. */
export const stalledClaim = (path: string, message: string, next: string): Finding =>
  finding('warning', 'STALLED_CLAIM', path, message, next)

/** A note among our own that no process of ours wrote. */
export function strangeNote(path: string, isRemoved: boolean): Finding {
  const message = 'No process of Signalbox wrote this note; it is passed over.'
  const hint = isRemoved ? 'Nothing more is to be done.' : `Remove it, or run ${call('doctor', { fix: true })}.`
  return finding('warning', 'STRANGE_NOTE', path, message, hint, isRemoved)
}

/**
 * Messages that their senders noted as sent and have not moved to where they belong. `publish` does that; it is given when the
 * inspection repairs.
 */
export async function unfinishedSends(
  tree: Tree,
  once: SendingOnce,
  publish?: (staged: TreePath) => Promise<unknown>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const path of once.unmoved()) {
    try {
      await publish?.(path)
    } catch (error) {
      if (!isAboutOneMessage(error)) throw error
    }
    const repaired = publish !== undefined && (await tree.look(path)) === undefined
    const message = 'A sender was killed before its message, which it had noted as sent, was where it belongs.'
    const hint = repaired
      ? 'Nothing more is to be done.'
      : `Run ${call('doctor', { fix: true })}, which puts it there, or send it again under its key.`
    findings.push(finding('warning', 'UNFINISHED_SEND', path, message, hint, repaired))
  }
  return findings
}

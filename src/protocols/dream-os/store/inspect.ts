/**
 * What `doctor` should know of Dream.OS: files that are no messages, messages without a known recipient, mailboxes that cannot be
 * read, locks that stay, changes of killed processes. With `repair` the latter are finished; the rest waits for a person.
 */
import { holdsArray, readJsonLines } from '../../../formats/json-lines.ts'
import { call, inputs } from '../../../kernel/call.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import { childOf, isSegment, type TreePath } from '../../../kernel/tree-path.ts'
import { unfinishedChanges } from '../../../messaging/inspection/changes.ts'
import { findingsOf } from '../../../messaging/inspection/expected.ts'
import {
  dependencyCycle,
  differsByCase,
  notAnAgent,
  strangeFile,
  strangeNote,
  unfinishedSends,
  unreadableMessage,
  unseenRecipient,
} from '../../../messaging/inspection/findings.ts'
import { isUnread, readOrSayWhy } from '../../../messaging/leaves/readable.ts'
import { lookIfThere, readIfLeaf } from '../../../messaging/leaves/tolerant.ts'
import { type Finding, finding } from '../../../tree/tree.ts'
import type { InspectionOptions } from '../../contract.ts'
import { parseMessage } from '../format.ts'
import {
  agentPath,
  completedPath,
  finishingPath,
  folderPath,
  folders,
  governancePath,
  isMessageName,
  journalPath,
  lockPath,
  mailboxPath,
  responsePath,
  runtimePath,
  stagedTasksPath,
  statePath,
  supervisorPath,
  tellingPath,
  tempArchivePath,
  unansweredPath,
} from '../layout.ts'
import { type AgentId, broadcast, isAgentId } from '../names.ts'
import { problemText } from '../problem.ts'
import { circlesIn } from '../tasks.ts'
import { oddEntries } from './inspect-odd.ts'
import { raiseLimit } from './mailbox-files.ts'
import { judgeLock } from './mailbox-lock.ts'
import { noteNames, readNote } from './notes.ts'
import { isMessageEntry, messageNames, Part, unlessCorrupt } from './parts.ts'

const minute = 60_000
const fix = call('doctor', { fix: true })
const takeResponse = `Take it: ${call('dream prompt fetch')}`

export class Inspection extends Part {
  async inspect({ repair, isSeen }: InspectionOptions): Promise<Finding[]> {
    const { places } = this.parts
    const looks: [string, () => Promise<Finding[]>][] = [
      [runtimePath(places), () => oddEntries(this.parts, this.dream.agents)],
      [runtimePath(places), () => this.#names()],
      [places.mailboxes, () => this.#mailboxes()],
      [places.mailboxes, () => this.#unmarked(repair)],
      [places.mailboxes, () => this.#locks(repair)],
      [places.taskList, () => this.#taskList()],
      [completedPath(places), () => this.#lines(completedPath(places))],
      [governancePath(places), () => this.#lines(governancePath(places))],
      [supervisorPath(places), () => this.#supervisor()],
      [responsePath(places), () => this.#response()],
      [tempArchivePath(places), () => this.#untoldResponses()],
      [stagedTasksPath, () => this.#unsent(repair)],
      [journalPath, () => this.#unfinished(repair)],
      [statePath, () => this.#notes()],
    ]
    for (const agent of await this.dream.agents.withFolders()) {
      looks.push([agentPath(places, agent), () => this.#files(agent)])
      if (isSeen) looks.push([agentPath(places, agent), () => this.#unseen(agent, isSeen)])
    }
    const findings: Finding[] = []
    for (const [path, look] of looks) findings.push(...(await findingsOf(path, look)))
    return findings
  }

  /** Folders in `runtime/` that are no agents, and agents that differ by case alone. */
  async #names(): Promise<Finding[]> {
    const folder = runtimePath(this.parts.places)
    const byCase = new Map<string, string>()
    const findings: Finding[] = []
    for (const { name, kind } of await this.parts.tree.list(folder)) {
      if (kind !== 'folder') continue
      const path = isSegment(name) ? childOf(folder, name) : folder
      const other = byCase.get(name.toLowerCase())
      byCase.set(name.toLowerCase(), name)
      if (other !== undefined) findings.push(differsByCase(path, name, other))
      else if (!isAgentId(name) && (await this.#hasInbox(path))) findings.push(notAnAgent(path, name))
    }
    return findings
  }

  async #hasInbox(path: TreePath): Promise<boolean> {
    return (await this.parts.tree.look(childOf(path, 'inbox'))) !== undefined
  }

  /** Files named like messages that are none, in all folders of an agent, and messages of its outbox without a known recipient. */
  async #files(agent: AgentId): Promise<Finding[]> {
    const findings: Finding[] = []
    for (const folder of folders) {
      const path = folderPath(this.parts.places, agent, folder)
      for (const entry of await this.parts.tree.list(path)) {
        const { name, kind } = entry
        if (!isMessageName(name)) continue
        if (!isMessageEntry(entry)) findings.push(strangeFile(isSegment(name) ? childOf(path, name) : path, name, kind))
        else if (folder === 'inbox' || folder === 'outbox') findings.push(...(await this.#file(agent, folder, name)))
      }
    }
    return findings
  }

  async #file(agent: AgentId, folder: 'inbox' | 'outbox', name: string): Promise<Finding[]> {
    const found = await this.dream.inboxes.read(agent, folder, name)
    if (!found) return []
    if ('unreadable' in found) return [unreadableMessage(found.unreadable.path, found.unreadable.reason)]
    const { to, path } = found
    if (folder === 'inbox' || to === broadcast) return []
    if (isAgentId(to) && (await this.dream.agents.isKnown(to))) return []
    const message = `It is for ${to === 'unknown' ? 'nobody that it names' : `${to}, whom nobody has ever seen`}.`
    const hint = `Correct its target_id, or let that agent take something: ${call('dream task take', { as: 'AGENT' })}`
    return [finding('warning', 'UNROUTABLE_MESSAGE', path, message, hint)]
  }

  async #unseen(agent: AgentId, isSeen: NonNullable<InspectionOptions['isSeen']>): Promise<Finding[]> {
    const { length } = await messageNames(this.parts, agent, 'inbox')
    if (length === 0 || (await isSeen(agent))) return []
    const inbox = folderPath(this.parts.places, agent, 'inbox')
    return [unseenRecipient(inbox, agent, length, call('dream task take', { as: agent }))]
  }

  async #mailboxes(): Promise<Finding[]> {
    const lines = await this.dream.mailboxes.list({ odd: false })
    const hint = `Correct the file. With ${inputs({ compat: true })}, known deviations of other programs are read.`
    return lines.flatMap(({ path, problems, mailbox, unreadable }) =>
      problems.map((message) => {
        const isLarge = message.includes('mailbox compact')
        const advice = isLarge ? `Pack it: ${call('dream mailbox compact', { mailbox })}; or ${raiseLimit}.` : hint
        // Every message in a mailbox that cannot be read is stuck.
        return finding(unreadable ? 'error' : 'warning', 'BAD_MAILBOX', path, message, advice)
      }),
    )
  }

  /** Processed messages that their mailbox no longer marks as processed: other programs would work on them again. */
  async #unmarked(repair: boolean): Promise<Finding[]> {
    const { files, messages, parts } = this.dream
    const findings: Finding[] = []
    const look = async (number: number) => {
      const { length } = await files.unmarkedIn(number, await files.open(number))
      if (length === 0) return
      if (repair) await messages.resend(number, 'doctor')
      const message = `${length === 1 ? 'A message was' : `${length} messages were`} processed, and another program wrote an old copy back that does not say so.`
      const hint = `The next one to write it puts that right, and so does ${fix}.`
      findings.push(
        mended(finding('warning', 'UNMARKED_MESSAGE', mailboxPath(parts.places, number), message, hint), repair),
      )
    }
    for (const number of await files.numbers()) await unlessCorrupt(() => look(number))
    return findings
  }

  async #locks(repair: boolean): Promise<Finding[]> {
    const { parts, files } = this.dream
    const findings: Finding[] = []
    for (const number of await files.numbers()) {
      const path = lockPath(parts.places, number)
      const leaf = await readIfLeaf(parts.tree, path, { atMost: 4096 })
      if (!leaf) continue
      const age = (await parts.tree.now()) - leaf.modifiedAt
      if (age < parts.settings.lockAgeMs && !repair) continue
      const { outcome, holder } = judgeLock(leaf.bytes, age, parts.settings.lockAgeMs)
      const repaired = repair && outcome === 'left' && (await files.clearLock(number, 'doctor')) !== undefined
      if (!repaired && age < parts.settings.lockAgeMs) continue
      const message = `Mailbox ${number} is locked by ${holder} for ${Math.round(age / 1000)} s.`
      const hint =
        outcome === 'left'
          ? `The next one to write removes it, and so does ${fix}.`
          : 'If that program is dead, remove the file.'
      findings.push(mended(finding('warning', 'STALE_LOCK', path, message, hint), repaired))
    }
    return findings
  }

  async #taskList(): Promise<Finding[]> {
    const { parts } = this.dream
    let circles: readonly string[] = []
    const bad = await this.#told(parts.places.taskList, async () => {
      const { tasks, problems } = await this.dream.tasks.list()
      circles = circlesIn(tasks)
      return problems
    })
    const next = 'Take one of them out of the `depends_on` of another.'
    return [...bad, ...circles.map((text) => dependencyCycle(parts.places.taskList, text, next))]
  }

  async #supervisor(): Promise<Finding[]> {
    return this.#told(supervisorPath(this.parts.places), async () => {
      await this.dream.supervisor.show()
      return []
    })
  }

  /** The problems that `read` answers, or the reason why the file cannot be read at all. */
  async #told(path: TreePath, read: () => Promise<readonly string[]>): Promise<Finding[]> {
    try {
      return (await read()).map((message) => finding('warning', 'BAD_TASK', path, message, 'Correct the file.'))
    } catch (error) {
      if (!(error instanceof SignalboxError) || error.kind !== 'Corrupt') throw error
      return [finding('error', error.code, path, error.message, error.hint ?? '')]
    }
  }

  /** Lines that cannot be read, and a file that is no file of lines. */
  async #lines(path: TreePath): Promise<Finding[]> {
    const leaf = await readOrSayWhy(this.parts.tree, path, { most: 256 * 1024 * 1024 })
    if (!leaf) return []
    if (isUnread(leaf))
      return [finding('warning', leaf.problem.code, path, leaf.problem.message, 'Move it away; it is made again.')]
    if (holdsArray(leaf.bytes)) {
      const message = 'It holds a JSON list, and each line should be one object.'
      return [finding('error', 'NOT_LINES', path, message, 'Write each object on a line of its own.')]
    }
    const torn = [...readJsonLines(leaf.bytes)].filter(({ kind }) => kind !== 'record').length
    if (torn === 0) return []
    const message = `${torn} line${torn === 1 ? '' : 's'} cannot be read, after a crash or by another program's hand.`
    return [finding('note', 'TORN_LINE', path, message, 'They are passed over; nothing has to be done.')]
  }

  async #response(): Promise<Finding[]> {
    const { parts } = this.dream
    const path = responsePath(parts.places)
    const leaf = await readOrSayWhy(parts.tree, path, { most: parts.settings.largest })
    if (!leaf) return []
    const hint = `${takeResponse}. If it is half-written for good, remove it.`
    if (isUnread(leaf)) return [finding('warning', 'BAD_RESPONSE', path, leaf.problem.message, hint)]
    if ((await parts.tree.now()) - leaf.changedAt < parts.settings.settleMs) return []
    const parsed = parseMessage(leaf.bytes, { compat: parts.compat, most: parts.settings.largest })
    if (parsed.outcome === 'malformed')
      return [finding('warning', 'BAD_RESPONSE', path, problemText(parsed.problems), hint)]
    return []
  }

  /** Responses whose taker was killed before it showed them, or that came too late for the agent that asked. */
  async #untoldResponses(): Promise<Finding[]> {
    const { parts, prompts } = this.dream
    const now = await parts.tree.now()
    const findings: Finding[] = []
    for (const path of await prompts.untold()) {
      const entry = await parts.tree.look(path)
      if (!entry || now - entry.changedAt < parts.settings.settleMs) continue
      const message = 'A response of the bridge that nobody is known to have been shown.'
      findings.push(finding('warning', 'UNTOLD_RESPONSE', path, message, takeResponse))
    }
    return findings
  }

  /** Messages that killed senders staged and did not move. */
  #unsent(repair: boolean): Promise<Finding[]> {
    const { parts, sending } = this.dream
    return unfinishedSends(parts.tree, sending.once, repair ? (staged) => sending.publish(staged) : undefined)
  }

  /** Changes that killed processes left, also those of earlier versions. */
  async #unfinished(repair: boolean): Promise<Finding[]> {
    const { journal, parts, router } = this.dream
    const now = await parts.tree.now()
    const findings: Finding[] = []
    const before: TreePath[] = []
    for (const folder of [finishingPath, tellingPath])
      for (const name of await noteNames(parts.tree, folder)) before.push(childOf(folder, name))
    findings.push(...(await unfinishedChanges(parts.tree, journal, repair)))
    if (repair) await router.finishAll()
    for (const path of before) {
      const entry = await lookIfThere(parts.tree, path)
      if (entry && now - entry.changedAt < minute && (await readNote(parts.tree, path))) continue
      const isStrange = entry !== undefined && !(await readNote(parts.tree, path))
      findings.push(isStrange ? strangeNote(path, false) : unfinishedEarlier(path, entry === undefined))
    }
    return findings
  }

  /** Notes of our own that another program has written over. */
  async #notes(): Promise<Finding[]> {
    const { tree } = this.parts
    const findings: Finding[] = []
    for (const { name, kind } of await tree.list(statePath)) {
      if (kind !== 'leaf' || !isSegment(name)) continue
      const path = childOf(statePath, name)
      const isPrompts = path === unansweredPath
      if ((!isPrompts && !/^mailbox_\d+\.json$/.test(name)) || (await readNote(tree, path))) continue
      const unknown = isPrompts ? 'which prompts have no response yet' : 'who had which message in hand'
      const hint = isPrompts ? 'Remove it.' : 'Remove it; what was in hand is given again.'
      findings.push(finding('warning', 'BAD_NOTE', path, `It cannot be read, so nobody knows ${unknown}.`, hint))
    }
    return findings
  }
}

const unfinishedEarlier = (path: TreePath, isRepaired: boolean): Finding => {
  const message = 'A process of an earlier version was killed here.'
  const hint = `Run ${fix}, or ${call('dream route')}.`
  return mended(finding('warning', 'UNFINISHED_CHANGE', path, message, hint), isRepaired)
}

const mended = (found: Finding, repaired: boolean): Finding =>
  repaired ? { ...found, hint: 'Nothing more is to be done.', repaired } : found

/**
 * What `doctor` should know of the agents: files that are no messages, inboxes over their limit, counters that do not
 * count, and lines that a crash kept out of a log. Only those lines are put right here; everything else waits for the
 * next reader or for a person.
 */

import { SignalboxError } from '../../../kernel/errors.ts'
import { childOf, isSegment, nameOf } from '../../../kernel/tree-path.ts'
import { findingsOf, oddAmong, oddFinding } from '../../../messaging/inspection/expected.ts'
import { finding } from '../../../messaging/inspection/finding.ts'
import { closedLeaf } from '../../../messaging/leaves/readable.ts'
import type { Finding } from '../../../tree/tree.ts'
import type { InspectionOptions } from '../../contract.ts'
import {
  type AgentId,
  ackedPath,
  agentEntries,
  agentPath,
  awaitingPath,
  errorLogPath,
  evictionLogPath,
  type Folder,
  folderPath,
  folders,
  isAgentId,
  isMessageName,
  sequencesPath,
  stemOf,
} from '../layout.ts'
import type { Agents } from './agents.ts'
import { discarded, logAt, logError, logEviction } from './logs.ts'
import { numberIn } from './numbers.ts'
import { isMessageEntry, messageNames, pathIn, type RoutingParts, unlessOdd } from './parts.ts'
import { isClosed, leafAt, openFile } from './reading.ts'
import { invalidAs, type Scanner } from './scan.ts'

export class Inspection {
  readonly #parts: RoutingParts
  readonly #agents: Agents
  readonly #scanner: Scanner

  constructor(parts: RoutingParts, agents: Agents, scanner: Scanner) {
    this.#parts = parts
    this.#agents = agents
    this.#scanner = scanner
  }

  async inspect(repair: boolean, isSeen?: InspectionOptions['isSeen']): Promise<Finding[]> {
    const { names, notices } = await this.#agents.known()
    const findings: Finding[] = notices.map((message) =>
      finding('note', 'MANY_AGENTS', this.#parts.root, message, 'Remove the folders of agents that are gone.'),
    )
    findings.push(...(await this.#noAgents()))
    for (const agent of names) {
      findings.push(...(await this.#odd(agent)))
      const looks = [
        () => this.#overfull(agent),
        ...folders.map((folder) => () => this.#strange(agent, folder)),
        () => this.#invalid(agent),
        ...folders.map((folder) => () => this.#closed(agent, folder)),
        () => this.#counters(agent),
        () => this.#unlogged(agent, 'evicted', repair),
        () => this.#unlogged(agent, 'rejected', repair),
        async () => (isSeen ? this.#unseen(agent, isSeen) : []),
      ]
      // Whatever else stands in the way of looking has been told by `#odd`.
      for (const look of looks) {
        findings.push(...((await unlessOdd(() => findingsOf(agentPath(this.#parts.root, agent), look))) ?? []))
      }
    }
    return findings
  }

  /** Files where the folder of an agent would be. */
  async #noAgents(): Promise<Finding[]> {
    const { tree, root } = this.#parts
    return oddAmong(root, await tree.list(root), (name) => (isAgentId(name) ? 'folder' : undefined)).map(oddFinding)
  }

  /** Something else in place of one of an agent's own files or folders. */
  async #odd(agent: AgentId): Promise<Finding[]> {
    const { tree, root } = this.#parts
    const own = agentPath(root, agent)
    const findings = oddAmong(own, await tree.list(own), (name) => agentEntries[name]).map(oddFinding)
    for (const folder of [sequencesPath, awaitingPath, ackedPath].map((pathOf) => pathOf(root, agent))) {
      const entries = await unlessOdd(() => tree.list(folder))
      findings.push(...oddAmong(folder, entries ?? [], leafIfUsable).map(oddFinding))
    }
    return findings
  }

  async #overfull(agent: AgentId): Promise<Finding[]> {
    const { settings, root } = this.#parts
    const { length } = await messageNames(this.#parts, agent, 'inbox')
    if (length <= settings.inboxLimit) return []
    const message = `The inbox of ${agent} holds ${length} messages; ${settings.inboxLimit} is the most.`
    const hint = `Another program wrote them. The oldest are evicted when ${agent} receives: signalbox mr receive ${agent}`
    return [finding('warning', 'INBOX_OVERFULL', folderPath(root, agent, 'inbox'), message, hint)]
  }

  /** Messages for an agent that has never done anything here or elsewhere: often a name that was mistyped. */
  async #unseen(agent: AgentId, isSeen: NonNullable<InspectionOptions['isSeen']>): Promise<Finding[]> {
    const { length } = await messageNames(this.#parts, agent, 'inbox')
    if (length === 0 || (await isSeen(agent))) return []
    const message = `${length === 1 ? 'A message waits' : `${length} messages wait`} for ${agent}, whom nobody has ever seen.`
    const hint = `If the name is right, let ${agent} receive: signalbox mr receive ${agent}. If not, send it to somebody else.`
    return [finding('warning', 'UNSEEN_RECIPIENT', folderPath(this.#parts.root, agent, 'inbox'), message, hint)]
  }

  /** Named like messages, but nothing that can be read or moved. */
  async #strange(agent: AgentId, folder: Folder): Promise<Finding[]> {
    const path = folderPath(this.#parts.root, agent, folder)
    const entries = await this.#parts.tree.list(path)
    const strange = entries.filter((entry) => isMessageName(entry.name) && !isMessageEntry(entry))
    return strange.map(({ name, kind }) => {
      const what = kind === 'leaf' ? 'has a name that cannot be used' : `is not an ordinary file (${kind})`
      const shown = JSON.stringify(name.slice(0, 120))
      const message = `${shown} in the ${folder} folder of ${agent} ${what}; it is passed over.`
      const where = isSegment(name) ? childOf(path, name) : path
      return finding('warning', 'STRANGE_FILE', where, message, 'Move it out of that folder, or rename it.')
    })
  }

  async #invalid(agent: AgentId): Promise<Finding[]> {
    const { invalid } = await this.#scanner.look(agent)
    return invalid.map(({ name, rejection }) =>
      finding(
        'warning',
        'UNREADABLE_MESSAGE',
        pathIn(this.#parts, agent, 'inbox', name),
        rejection.issues.join(' '),
        `Correct the file, or let it be set aside: signalbox mr receive ${agent}`,
      ),
    )
  }

  /** Files of other users, which nobody here can hand out, judge or set aside. */
  async #closed(agent: AgentId, folder: Folder): Promise<Finding[]> {
    const findings: Finding[] = []
    for (const name of await messageNames(this.#parts, agent, folder)) {
      const found = await openFile(this.#parts, agent, folder, name)
      if (found && isClosed(found)) {
        findings.push(finding('error', closedLeaf, found.path, found.reason, found.hint))
      }
    }
    return findings
  }

  async #counters(agent: AgentId): Promise<Finding[]> {
    const folder = sequencesPath(this.#parts.root, agent)
    const findings: Finding[] = []
    for (const { name, kind } of await this.#parts.tree.list(folder)) {
      // Nobody else can be written to, and the lock files of other programs are their own business.
      if (kind !== 'leaf' || !isAgentId(name)) continue
      const path = childOf(folder, name)
      const leaf = await leafAt(this.#parts, path)
      try {
        if (leaf) numberIn(leaf.bytes, path, agent)
      } catch (error) {
        if (!(error instanceof SignalboxError)) throw error
        findings.push(finding('error', error.code, path, error.message, error.hint ?? ''))
      }
    }
    return findings
  }

  /** A process was killed between the move and the line about it. */
  async #unlogged(agent: AgentId, folder: 'evicted' | 'rejected', repair: boolean): Promise<Finding[]> {
    const { tree, root } = this.#parts
    const names = await messageNames(this.#parts, agent, folder)
    if (names.length === 0) return []
    const log = folder === 'evicted' ? evictionLogPath(root, agent) : errorLogPath(root, agent)
    const leaf = await logAt(tree, log)
    if (!leaf && (await tree.look(log))) return []
    const text = leaf ? Buffer.from(leaf.bytes).toString('utf8') : ''
    const unlogged = names.filter((name) => !text.includes(JSON.stringify(`${folder}/${name}`)))
    for (const name of repair ? unlogged : []) await this.#logNow(agent, folder, name)
    return unlogged.map((name) => {
      const message = `${folder}/${name} is not in ${nameOf(log)}: a process was killed before it could write the line.`
      const hint = repair ? 'Nothing more is to be done.' : 'Run `signalbox doctor --fix`, which adds it.'
      const path = pathIn(this.#parts, agent, folder, name)
      return { ...finding('warning', 'MISSING_LOG_LINE', path, message, hint), repaired: repair }
    })
  }

  async #logNow(agent: AgentId, folder: 'evicted' | 'rejected', name: string): Promise<void> {
    const [msgId, file] = [stemOf(name), `${folder}/${name}`]
    if (folder === 'evicted') {
      await logEviction(this.#parts, agent, { msgId, count: this.#parts.settings.inboxLimit, file })
      return
    }
    const leaf = await leafAt(this.#parts, pathIn(this.#parts, agent, folder, name))
    const judged = leaf && this.#scanner.judge(leaf.bytes, { agent, name, size: leaf.size, compat: false })
    const { code, issues } =
      judged?.outcome === 'malformed'
        ? invalidAs(name, judged).rejection
        : { code: 'REJECTED', issues: ['The reason was not written down'] }
    await logError(this.#parts, agent, { code, msgId, issues, action: discarded, file })
  }
}

const leafIfUsable = (name: string) => (isSegment(name) && !name.startsWith('.') ? 'leaf' : undefined)

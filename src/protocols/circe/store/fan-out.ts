/**
 * A message to all that is no work goes to every agent known at that moment but its sender, one copy each. The copies are
 * prepared first and then moved, one by one: a copy that has been moved is had, whatever its reader does with it, and one that
 * has not is still there for the next process. An agent with nothing but a shell may have moved the message into its own inbox
 * before that: the others get their copies from there. Spec: CIRCE, "Required Headers" (`to`), and the README.
 */
import { childOf } from '../../../kernel/tree-path.ts'
import { lookIfThere } from '../../../messaging/leaves/tolerant.ts'
import { isForFirstMover } from '../intents.ts'
import { copyPath, logsPath } from '../layout.ts'
import { type AgentId, isEverybody, isSameAgent } from '../names.ts'
import type { CirceMessage } from '../schema.ts'
import { knownAgents } from './agents.ts'
import { apart, type Journal, type Patience } from './journal.ts'
import { missingLine } from './log.ts'
import { copiesOf, copyForLog } from './moving.ts'
import { type CirceParts, subjectOf } from './parts.ts'
import { isFound, type Listed, readAt } from './places.ts'

export const isForEverybody = ({ to, intent }: Pick<CirceMessage, 'to' | 'intent'>): boolean =>
  isEverybody(to) && !isForFirstMover(intent)

export class FanOut {
  readonly #parts: CirceParts
  readonly #journal: Journal

  constructor(parts: CirceParts, journal: Journal) {
    this.#parts = parts
    this.#journal = journal
  }

  /** True when anything was brought to anybody. Not inside a turn. */
  async all(found: readonly Listed[]): Promise<boolean> {
    let did = false
    for (const one of found) {
      if (!isForEverybody(one.message) || !(await this.#isDue(one))) continue
      await apart(async () => {
        did = (await this.one(one, { isPatient: false })).length > 0 || did
      })
    }
    return did
  }

  /** One that waits is due once somebody can have it. One that an agent has is due if it is not in the log: the log gets the first copy. */
  async #isDue(one: Listed): Promise<boolean> {
    if (one.place === 'new') return (await this.#recipients(one)).length > 0
    const { tree, root } = this.#parts
    return (await lookIfThere(tree, childOf(logsPath(root), one.name))) === undefined
  }

  /** To whom it went: nobody, where nobody else is known yet; then it waits. Not inside a turn. */
  one(found: Listed, patience?: Patience): Promise<readonly AgentId[]> {
    return this.#journal.turn(subjectOf(found.name, found.message.task), () => this.#inTurn(found), patience)
  }

  async #inTurn(found: Listed): Promise<readonly AgentId[]> {
    const { tree } = this.#parts
    const now = await readAt(this.#parts, found, found.name)
    if (!isFound(now) || !isForEverybody(now.message) || now.message.task !== found.message.task) return []
    if (!(await this.#isDue(now))) return []
    const recipients = await this.#recipients(now)
    // Nothing was moved from here as long as no note says so: these are of a process that was killed before.
    for (const whose of await copiesOf(this.#parts, now.name)) await tree.remove(copyPath(now.name, whose))
    for (const whose of [copyForLog, ...recipients]) await tree.create(copyPath(now.name, whose), now.message.bytes)
    const { from, task } = now.message
    const at = this.#parts.clock.now()
    const detail = `to ${recipients.join(', ') || 'nobody else'}`
    await this.#journal.commit(
      subjectOf(now.name, task),
      [{ do: 'deliver', file: now.name }],
      [
        ...(await missingLine(this.#parts, now.name, now.message)),
        { at, event: 'delivered', agent: from, task, file: now.name, detail },
      ],
    )
    return recipients
  }

  async #recipients({ message, agent: taker }: Listed): Promise<AgentId[]> {
    const agents = await knownAgents(this.#parts)
    return agents.flatMap(({ agent }) => (isSameAgent(agent, message.from) || agent === taker ? [] : [agent]))
  }
}

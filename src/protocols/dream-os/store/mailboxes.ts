/** The shared mailboxes and their agents: made, claimed, kept fresh, released, listed. */
import type { SignalboxError } from '../../../kernel/errors.ts'
import { sameButForCase } from '../../../kernel/same-but-for-case.ts'
import { differsByCase } from '../../../messaging/agents/directory.ts'
import { mailboxPath } from '../layout.ts'
import { mailboxStatusAfter } from '../lifecycle.ts'
import { newMailbox, type ReadMailbox } from '../mailbox-format.ts'
import { type AgentId, agentId, mailboxNumber } from '../names.ts'
import type { DreamStep, StepOf } from '../steps.ts'
import { isoOf } from '../times.ts'
import type { Dream } from './dream.ts'
import type { MailboxChanged, MailboxClaimed, MailboxesMade, MailboxLine } from './outcomes.ts'
import { mailboxLine } from './overview.ts'
import { Part, unlessCorrupt } from './parts.ts'

export class Mailboxes extends Part {
  constructor(dream: Dream) {
    super(dream)
    dream.journal.performs({ assign: (step) => this.#assign(step) })
  }

  /** `odd`: also links and folders that are named like a mailbox. */
  async list({ odd = true } = {}): Promise<MailboxLine[]> {
    const lines: MailboxLine[] = []
    for (const number of await this.dream.files.numbers({ odd })) lines.push(await mailboxLine(this.dream, number))
    return lines
  }

  /** Makes mailboxes 1 to `count`. Those that are there stay as they are. */
  async init(count: number): Promise<MailboxesMade> {
    const made: number[] = []
    let durability: MailboxesMade['durability'] = 'process'
    const mailboxes = Array.from({ length: mailboxNumber(count) }, (_, i) => i + 1)
    for (const number of mailboxes) {
      const created = await this.parts.tree.create(mailboxPath(this.parts.places, number), newMailbox())
      if (created.outcome !== 'created') continue
      made.push(number)
      durability = created.durability
    }
    return { outcome: made.length > 0 ? 'created' : 'unchanged', mailboxes, made, durability }
  }

  /** The one this agent has; else the first that is free; else one whose agent has not been seen for too long. */
  async claim(name: string): Promise<MailboxClaimed> {
    const agent = await this.dream.agents.expectName(name)
    const numbers = await this.dream.files.numbers()
    const standings: { number: number; standing: Standing }[] = []
    let broken: SignalboxError | undefined
    for (const number of numbers) {
      const look = async () => {
        const { mailbox, now } = await this.dream.files.open(number)
        const twin = mailbox.agent === undefined ? undefined : sameButForCase(agent, [mailbox.agent])
        if (twin !== undefined) throw differsByCase(agent, twin)
        standings.push({ number, standing: this.#standingFor(agent, mailbox, now) })
      }
      const error = await unlessCorrupt(look)
      broken ??= error
    }
    for (const wanted of ['own', 'free', 'left'] as const) {
      for (const { number, standing } of standings) {
        if (standing !== wanted) continue
        const claimed = await this.#claimOne(number, agent)
        if (claimed) return claimed
      }
    }
    // A mailbox that cannot be read may be this agent's, or free.
    if (broken) throw broken
    return { outcome: 'nothing' }
  }

  async #claimOne(number: number, agent: AgentId): Promise<MailboxClaimed | undefined> {
    let steps: readonly DreamStep[] = []
    const claimed = await this.dream.files.change<ClaimAttempt>(number, { by: agent }, async ({ mailbox, now }) => {
      const standing = this.#standingFor(agent, mailbox, now)
      const from = standing === 'left' ? mailbox.agent : undefined
      const answer = { standing, from }
      if (standing === 'taken') return { answer }
      if (from !== undefined) {
        steps = this.#takingOver(number, from, agent, mailbox.lastSeenAt, now)
        return { answer, steps }
      }
      const status = standing === 'own' && mailbox.status === 'busy' ? 'busy' : mailboxStatusAfter.claim
      return { answer, edit: (editor) => editor.setLife({ status, agent, seenAt: now }) }
    })
    this.dream.journal.expectWhole(steps)
    if (claimed.standing === 'taken') return undefined
    // A program without the lock may have written an old copy back.
    const { mailbox } = await this.dream.files.open(number)
    if (mailbox.agent !== agent) return undefined
    await this.dream.agents.note(agent)
    const { standing, from, durability } = claimed
    const answer = { mailbox: number, agent, durability }
    if (from === undefined) return { outcome: standing === 'own' ? 'unchanged' : 'claimed', ...answer }
    return { outcome: 'taken-over', ...answer, from }
  }

  #takingOver(mailbox: number, from: string, to: AgentId, lastSeenAt: number | undefined, at: number): DreamStep[] {
    const seen = lastSeenAt === undefined ? null : isoOf(lastSeenAt)
    const line = this.dream.logs.line('MAILBOX_TAKEN_OVER', to, { mailbox, from, to, last_seen_utc: seen })
    const note = `${to} took mailbox ${mailbox} over from ${from}.`
    const news = { at: line.timestamp, note, agents: { [from]: 'offline', [to]: 'online' } }
    return [
      { do: 'assign', mailbox, agent: to, from, at },
      { do: 'log', line },
      { do: 'news', news },
    ]
  }

  /** An agent that loses its mailbox loses the messages it holds: only the assigned agent can finish them. */
  async #assign({ mailbox: number, agent, from, at }: StepOf<'assign'>): Promise<'lost' | undefined> {
    const edited = await this.dream.files.edit(number, async (editor, { mailbox }) => {
      if (mailbox.agent !== from && mailbox.agent !== agent) return 'lost'
      editor.setLife({ status: mailboxStatusAfter.claim, agent, seenAt: at })
    })
    if (edited === 'lost') return 'lost'
    await this.#endLeases(number, at)
  }

  #standingFor(agent: string, mailbox: ReadMailbox, now: number): Standing {
    if (mailbox.isBare) return 'taken'
    if (mailbox.agent === agent) return 'own'
    const isLeft = (mailbox.lastSeenAt ?? 0) <= now - this.parts.settings.takeOverMs
    if (mailbox.agent === undefined) return mailbox.status === 'offline' || isLeft ? 'free' : 'taken'
    return isLeft ? 'left' : 'taken'
  }

  /** Records that the agent is alive and still works on the messages it holds. */
  async heartbeat(number: number, name: string): Promise<MailboxChanged<'refreshed'>> {
    const agent = agentId(name)
    const { renewed, durability } = await this.dream.files.change(
      mailboxNumber(number),
      { by: agent },
      async ({ mailbox, now }) => {
        await this.dream.files.expectOwn(number, mailbox, agent)
        const given = await this.dream.files.memory.given(number)
        const until = now + this.parts.settings.leaseMs
        const running = [...given].filter(([, one]) => one.agent === agent && one.until > now)
        for (const [id, one] of running) given.set(id, { ...one, until })
        return {
          answer: { renewed: running.length },
          after: async () => {
            if (running.length > 0) await this.dream.files.memory.writeGiven(number, given)
          },
          edit: (editor) => {
            const status = mailbox.status === 'offline' ? { status: mailboxStatusAfter.claim } : {}
            editor.setLife({ ...status, seenAt: now })
          },
        }
      },
    )
    await this.dream.agents.note(agent)
    return { outcome: 'refreshed', mailbox: number, durability, count: renewed }
  }

  /** Gives the mailbox up; messages that were held go to its next agent. */
  async release(number: number, name: string): Promise<MailboxChanged<'released' | 'unchanged'>> {
    const agent = agentId(name)
    const { ended, isReleased, durability } = await this.dream.files.change(
      mailboxNumber(number),
      { by: agent },
      async ({ mailbox, now }) => {
        if (mailbox.agent === undefined) return { answer: { ended: 0, isReleased: false } }
        await this.dream.files.expectOwn(number, mailbox, agent)
        const answer = { ended: 0, isReleased: true }
        return {
          answer,
          edit: (editor) => editor.setLife({ status: mailboxStatusAfter.release, agent: null, seenAt: now }),
          after: async () => {
            answer.ended = await this.#endLeases(number, now)
          },
        }
      },
    )
    return { outcome: isReleased ? 'released' : 'unchanged', mailbox: number, durability, count: ended }
  }

  /** Marks the mailboxes of agents that have not been seen for too long. */
  async markDead(by: string): Promise<number[]> {
    const dead: number[] = []
    const mark = async (number: number) => {
      const { mailbox, now } = await this.dream.files.open(number)
      if (!this.#isDead(mailbox, now)) return
      const { isMarked } = await this.dream.files.change<{ isMarked: boolean }>(number, { by }, async (opened) => {
        if (!this.#isDead(opened.mailbox, opened.now)) return { answer: { isMarked: false } }
        return {
          answer: { isMarked: true },
          edit: (editor) => editor.setLife({ status: mailboxStatusAfter.release }),
        }
      })
      if (isMarked) dead.push(number)
    }
    // A broken mailbox is skipped; the router reports it.
    for (const number of await this.dream.files.numbers()) await unlessCorrupt(() => mark(number))
    return dead
  }

  #isDead({ isBare, agent, status, lastSeenAt = 0 }: ReadMailbox, now: number): boolean {
    return !isBare && agent !== undefined && status !== 'offline' && lastSeenAt <= now - this.parts.settings.takeOverMs
  }

  async #endLeases(number: number, now: number): Promise<number> {
    const given = await this.dream.files.memory.given(number)
    const running = [...given].filter(([, { until }]) => until > now)
    if (running.length === 0) return 0
    for (const [id, one] of running) given.set(id, { ...one, until: now })
    await this.dream.files.memory.writeGiven(number, given)
    return running.length
  }
}

type Standing = 'own' | 'free' | 'left' | 'taken'

interface ClaimAttempt {
  readonly standing: Standing
  readonly from: string | undefined
}

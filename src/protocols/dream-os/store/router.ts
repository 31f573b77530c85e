/**
 * Carries files from outboxes to their targets. One target: one move. Several: a copy for each, then the original goes to the
 * archive; a target that has its copy gets no second one. Safe to kill and to repeat. Spec: Dream.OS, Agent Runtime Communication
 * and Notes (Cleanup).
 */
import { SignalboxError } from '../../../kernel/errors.ts'
import { lookIfThere } from '../../../messaging/leaves/tolerant.ts'
import { eventSubject, isEvent } from '../event-format.ts'
import { parseMessage, statedFieldsOf } from '../format.ts'
import { folderPath, routedName } from '../layout.ts'
import { type AgentId, broadcast, isAgentId } from '../names.ts'
import { eventTypes, type PlannerEvent } from '../schema.ts'
import { isOver } from '../tasks.ts'
import { isoOf } from '../times.ts'
import type { Judged, Recipient } from './agents.ts'
import { moveFileSomewhere, setFileAside } from './moving.ts'
import { noteNameOf } from './notes.ts'
import type { DreamView, PlanAnswered, Routed } from './outcomes.ts'
import { messageNames, Part, pathIn, unlessCorrupt } from './parts.ts'

type Found = { -readonly [K in keyof Omit<Routed, 'outcome'>]: Routed[K][number][] }

export class Router extends Part {
  /** One pass: outboxes, lost messages of mailboxes, dead agents, and unfinished changes of killed processes. */
  async route(by: string, { recipient }: { readonly recipient?: Recipient } = {}): Promise<Routed> {
    const { agents, claiming, files, mailboxes, prompts, supervisor, tasks } = this.dream
    const found: Found = { moved: [], copied: [], unroutable: [], resent: [], plans: [], unreadable: [], notices: [] }
    found.notices.push(...(await this.finishAll()))
    await this.#unlessBroken(found, () => prompts.dispatchPending())
    for (const agent of await agents.withFolders()) {
      for (const name of await claiming.putBackEnded(agent))
        found.notices.push(`${name} waits for ${agent} again: its time was up.`)
      for (const name of await messageNames(this.dream.parts, agent, 'outbox'))
        await this.#routeOne(agent, name, found, recipient)
    }
    for (const number of await files.numbers()) {
      await this.#unlessBroken(found, () => this.#lookAfter(number, by, found))
    }
    await this.#unlessBroken(found, async () => {
      for (const number of await mailboxes.markDead(by)) found.notices.push(`The agent of mailbox ${number} is gone.`)
    })
    await this.#unlessBroken(found, () => tasks.refresh(by))
    // Routing does not need the state of the supervisor; `doctor` reports one that is broken.
    await this.#unlessBroken(found, () => unlessCorrupt(() => this.#letGo()))
    const did = found.moved.length + found.copied.length + found.resent.length + found.plans.length
    const at = isoOf(this.dream.parts.clock.now())
    if (did > 0)
      await this.#unlessBroken(found, () =>
        supervisor.tell({ at, note: summaryOf(found), agents: { [by]: { last_routed: at } } }),
      )
    return { outcome: did > 0 ? 'routed' : 'nothing', ...found }
  }

  /** The supervisor forgets completed tasks and goals. Failed ones stay until they are completed. */
  async #letGo(): Promise<void> {
    const { planning, supervisor } = this.dream
    const { tasks } = await this.dream.tasks.list()
    const status = new Map(tasks.map((task) => [task.task_id, task.status]))
    const isDone = (task: string) => status.get(task) === 'COMPLETED'
    await supervisor.letGo({
      isTaskOver: isDone,
      isGoalReached: async (goal) => {
        const parts = await planning.tasksOf(goal.split(': ', 1)[0]!)
        return parts.length > 0 && parts.every(isDone)
      },
    })
  }

  /** Finishes changes of killed processes. Answers notices, also about changes that could not be finished. */
  async finishAll(): Promise<string[]> {
    const { journal, parts, recovery, sending } = this.dream
    const now = await parts.tree.now()
    let count = 0
    // A note that was written just now belongs to a process that is still working.
    for (const { path, subject } of await journal.notes())
      if (subject && now - ((await lookIfThere(parts.tree, path))?.changedAt ?? now) >= parts.settings.settleMs) count++
    const stuck = await recovery.finishAll({ isThorough: true })
    await sending.finishAll({ isIdle: (await journal.notes()).length === 0 })
    const done = count - stuck.length
    return done > 0 ? [`Finished ${done} change${done === 1 ? '' : 's'} of killed processes.`, ...stuck] : stuck
  }

  /** A broken file or mailbox becomes a notice, so that the pass goes on. */
  async #unlessBroken(found: Pick<Found, 'notices'>, work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof SignalboxError) || error.kind === 'Unavailable') throw error
      found.notices.push(error.message)
    }
  }

  async #routeOne(sender: AgentId, name: string, found: Found, recipient: Recipient | undefined): Promise<void> {
    const { inboxes, planning } = this.dream
    const view = await inboxes.read(sender, 'outbox', name)
    if (!view) return
    if ('unreadable' in view) {
      found.unreadable.push(view.unreadable)
      return
    }
    const { message, path } = view
    if (isEvent(message) && message.type === eventTypes.completed) {
      const plan = eventSubject(message)
      const { results } = message.data
      if (plan !== undefined && (await planning.isAnswer(plan, results))) {
        const judged = isAgentId(view.to) ? await this.dream.agents.judge(view.to, recipient) : {}
        await this.#routeAnswer(sender, view, { event: message, plan }, judged, found)
        return
      }
    }
    if (isEvent(message)) await this.#settle(message)
    if (view.to === broadcast) {
      const others = (await this.dream.agents.known()).filter((one) => one !== sender)
      if (others.length === 0) found.unroutable.push({ path, target: broadcast, reason: 'There is nobody else yet.' })
      else await this.#copy(sender, view, others, found)
      return
    }
    const reason = await this.#against(view.to)
    if (reason !== undefined) {
      found.unroutable.push({ path, target: view.to, reason })
      return
    }
    const to = view.to as AgentId
    const step = { agent: sender, name, from: 'outbox', transition: 'route', to, as: routedName(name, sender) } as const
    // The sender may have replaced the file since it was read.
    const change = (bytes: Uint8Array) => (this.#targetIn(bytes) === to ? bytes : undefined)
    const { moved, path: target } = await moveFileSomewhere(this.dream.parts, step, { change })
    if (moved.outcome === 'moved') found.moved.push({ from: sender, to, path: target })
  }

  /** A planner's answer goes to the executor and to the agent that asked; an answer that does not count is set aside. */
  async #routeAnswer(
    sender: AgentId,
    view: DreamView,
    { event, plan }: { readonly event: PlannerEvent; readonly plan: string },
    { refused, notices = [] }: Judged,
    found: Found,
  ): Promise<void> {
    const { planning, parts, agents } = this.dream
    const answered = await planning.answer({ plan, planner: sender, results: event.data.results })
    // An answer that may not be handed on is found again in every pass, but reported only in the first.
    if (answered.outcome !== 'unchanged' || refused === undefined) found.plans.push(answered)
    if (answered.outcome === 'refused' || answered.outcome === 'late') {
      await setFileAside(parts, { agent: sender, name: view.file, from: 'outbox', transition: 'reject' })
      return
    }
    if (refused !== undefined) {
      found.unroutable.push({ path: view.path, target: view.to, reason: refused })
      return
    }
    found.notices.push(...notices)
    const wanted = new Set([parts.settings.executor, view.to, (await planning.initiatorOf(plan)) ?? event.target_id])
    const targets: AgentId[] = []
    // The agent that the planner names gets it even if it was never seen: there may be no other target.
    for (const one of wanted)
      if (one !== sender && isAgentId(one) && (one === view.to || (await agents.isKnown(one)))) targets.push(one)
    await this.#copy(sender, view, targets, found)
  }

  /** An agent of another program only sends the event, so the outcome is written into the list here. */
  async #settle(event: PlannerEvent): Promise<void> {
    const { parts } = this.dream
    const id = eventSubject(event)
    const isFailed = event.type === eventTypes.failed
    if (id === undefined || (!isFailed && event.type !== eventTypes.completed)) return
    const { tasks } = await this.dream.tasks.list()
    if (!tasks.some(({ task_id, status }) => task_id === id && !isOver(status))) return
    await this.dream.tasks.settle(id, {
      message_id: null,
      task_id: id,
      agent_id: event.source_id,
      status: isFailed ? 'FAILED' : 'COMPLETED',
      timestamp: isoOf(parts.clock.now()),
      output: isFailed ? null : (event.data.results ?? null),
      error_details: isFailed ? (event.data.error_details ?? null) : null,
    })
  }

  /** The name of a copy is derived from its original, so that a repeat makes no second copy. */
  async #copy(sender: AgentId, view: DreamView, targets: readonly AgentId[], found: Found): Promise<void> {
    const { parts, sending } = this.dream
    const path = pathIn(parts, sender, 'outbox', view.file)
    await parts.tree.exclusively(`dream ${folderPath(parts.places, sender, 'outbox')}`, async () => {
      const leaf = await parts.tree.read(path)
      if (!leaf) return
      const mark = `-${noteNameOf(leaf.revision, String(leaf.modifiedAt)).slice(0, 8)}`
      const name = routedName(view.file, sender, mark)
      for (const to of targets) await sending.deliverOnce({ to, name, text: leaf.bytes })
      const moved = await setFileAside(parts, { agent: sender, name: view.file, from: 'outbox', transition: 'keep' })
      if (moved.outcome === 'moved') found.copied.push({ from: sender, to: targets, path: moved.path })
    })
  }

  async #against(target: string): Promise<string | undefined> {
    if (target === 'unknown') return 'It does not say whom it is for.'
    if (!isAgentId(target)) return 'That is no name of an agent.'
    return (await this.dream.agents.isKnown(target)) ? undefined : 'Nobody has ever seen this agent.'
  }

  #targetIn(bytes: Uint8Array): string | undefined {
    const { compat, settings } = this.dream.parts
    const parsed = parseMessage(bytes, { compat, most: settings.largest })
    return parsed.outcome === 'message' ? statedFieldsOf(parsed.message).to : undefined
  }

  /** Sends again what was overwritten, and reads the answers of planners that came by mailbox. */
  async #lookAfter(number: number, by: string, found: Found): Promise<void> {
    const { messages, planning, files } = this.dream
    const left = await files.clearLock(number, by)
    if (left !== undefined) found.notices.push(`The lock of mailbox ${number} was left behind by ${left}; it is gone.`)
    for (const id of await messages.resend(number, by)) found.resent.push({ mailbox: number, id })
    const { mailbox } = await files.open(number)
    for (const { message } of mailbox.messages) {
      if (message?.command !== eventTypes.completed) continue
      const { correlation_id, task_id, results } = message.params
      const plan = [correlation_id, task_id, message.task_id].find((one): one is string => typeof one === 'string')
      if (plan === undefined || !(await planning.isAnswer(plan, results))) continue
      const answered: PlanAnswered = await planning.answer({ plan, planner: message.sender_agent_id, results })
      if (answered.outcome === 'joined') found.plans.push(answered)
    }
  }
}

function summaryOf({ moved, copied, resent, plans }: Found): string {
  const counts = [
    [moved.length, 'moved'],
    [copied.length, 'copied'],
    [resent.length, 'sent again'],
    [plans.length, 'answers of planners'],
  ] as const
  return `route: ${counts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : [])).join(', ')}.`
}

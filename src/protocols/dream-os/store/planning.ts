/**
 * From a goal to tasks: `GENERATE_TASK_SEQUENCE` goes to a planner, and the first valid answer is joined into the list, once.
 * A note for each plan decides which answer counts. Spec: Dream.OS, GENERATE_TASK_SEQUENCE.
 */
import { invalidInput } from '../../../kernel/errors.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import { printEvent } from '../event-format.ts'
import { plansPath, taskFileName } from '../layout.ts'
import { type AgentId, broadcast, isAgentId, taskId } from '../names.ts'
import { eventTypes, type PlannerEvent, type Task } from '../schema.ts'
import { planJoin, readTask } from '../tasks.ts'
import { isoOf } from '../times.ts'
import { type Deliveries, type Outgoing, outgoingEvent } from './deliveries.ts'
import type { Logs } from './governance.ts'
import { type Note, noteIn, noteNameOf, readNote, writeNote } from './notes.ts'
import type { PlanAnswered, PlanSent } from './outcomes.ts'
import { type DreamParts, pathIn } from './parts.ts'
import { expectExpandable, type TaskLists, taskSubject } from './task-lists.ts'
import type { Tale, Tellings } from './tellings.ts'
import { viewOf } from './view.ts'

export interface PlanInput {
  readonly from: string
  /** A planner, or `broadcast` for everybody. */
  readonly to: string
  readonly goal: string
  /** The task to expand. */
  readonly under?: string
}

export interface Answer {
  readonly plan: string
  readonly planner: string
  /** What should be a list of tasks. */
  readonly results: unknown
}

/** So many refused answers of one plan are remembered as told. */
const mostRefused = 50

export class Planning {
  readonly #parts: DreamParts
  readonly #logs: Logs
  readonly #deliveries: Deliveries
  readonly #lists: TaskLists
  readonly #tellings: Tellings

  constructor(parts: DreamParts, logs: Logs, deliveries: Deliveries, lists: TaskLists, tellings: Tellings) {
    this.#parts = parts
    this.#logs = logs
    this.#deliveries = deliveries
    this.#lists = lists
    this.#tellings = tellings
    lists.finishPlan = (plan, digest) => this.#finishTold(plan, digest)
  }

  async plan({ from, to, goal, under }: PlanInput): Promise<PlanSent> {
    const { agents } = this.#deliveries
    const source = await agents.expectName(from)
    if (goal.trim() === '') {
      throw invalidInput('EMPTY_GOAL', 'A plan needs a goal.', { hint: 'Say in a sentence what should be reached.' })
    }
    if (under !== undefined) expectExpandable(await this.#lists.find(taskId(under)))
    const isForAll = to === broadcast
    const targets: AgentId[] = isForAll
      ? (await agents.known()).filter((one) => one !== source)
      : [await agents.expectName(to)]
    const plan = `plan-${crypto.randomUUID().slice(0, 8)}`
    const notices = isForAll ? [] : await agents.noticesAbout(to)
    if (isForAll && targets.length === 0) notices.push('There is nobody else yet; nobody was asked.')
    const about = { plan, goal, by: source, ...(under === undefined ? {} : { under }) }
    const noted = await writeNote(this.#parts.tree, noteIn(plansPath, plan), about)
    const event: PlannerEvent = {
      type: eventTypes.plan,
      source_id: source,
      target_id: to,
      data: {
        task_id: plan,
        params: { goal, ...(under === undefined ? {} : { under }) },
        timestamp: isoOf(this.#parts.clock.now()),
      },
    }
    await agents.note(source)
    const line = this.#logs.line('PLAN_SENT', source, { plan_id: plan, target: to, goal, under: under ?? null })
    const name = taskFileName(plan)
    const tale = {
      lines: [line],
      news: { at: line.timestamp, goal: `${plan}: ${goal}`, note: `${source} asked ${to} to plan ${plan}.` },
      messages: targets.map((target) => ({ to: target, name, text: printEvent(event) })),
    }
    // With the note of it the plan is sent: whoever is killed from here on, others carry it to everybody.
    await this.#inTurnOf(plan, () => this.#tellings.around(plan, tale, async () => {}))
    const modifiedAt = this.#parts.clock.now()
    const sent = targets.map((agent) =>
      viewOf(event, { agent, state: 'inbox', path: pathIn(this.#parts, agent, 'inbox', name), modifiedAt }),
    )
    return { outcome: 'sent', plan, sent, durability: noted, notices }
  }

  /** Carries a plan whose sender was killed. */
  recoverSent(plan: string): Promise<void> {
    return this.#inTurnOf(plan, () => this.#tellings.recover(plan, async () => false))
  }

  #inTurnOf<T>(plan: string, work: () => Promise<T>): Promise<T> {
    return this.#parts.tree.exclusively(`dream ${noteIn(plansPath, plan)}`, work)
  }

  /** Who asked for a plan, as far as we know. */
  async initiatorOf(plan: string): Promise<string | undefined> {
    const note = await readNote(this.#parts.tree, noteIn(plansPath, plan))
    return typeof note?.by === 'string' ? note.by : undefined
  }

  /** The tasks that a plan has become; none as long as no answer counts. */
  async tasksOf(plan: string): Promise<readonly string[]> {
    const note = await readNote(this.#parts.tree, noteIn(plansPath, plan))
    return note?.joined === undefined ? [] : textsIn(note.tasks)
  }

  /** Whether these results could be a plan's: it is known, or they look like tasks. */
  async isAnswer(plan: string, results: unknown): Promise<boolean> {
    if (await readNote(this.#parts.tree, noteIn(plansPath, plan))) return true
    return Array.isArray(results) && results.length > 0 && results.every((one) => readTask(one).task !== undefined)
  }

  /** Joins an answer, or says why not. Repeating it changes nothing. */
  async answer({ plan, planner, results }: Answer): Promise<PlanAnswered> {
    const digest = noteNameOf(JSON.stringify(results) ?? '')
    const path = noteIn(plansPath, plan)
    return this.#lists.inTurn(() => this.#judge(path, { plan, planner, results }, digest))
  }

  #taleOf(answered: PlanAnswered, digest: string, joinedFrom: unknown): Tale {
    const { outcome, plan, planner, tasks, reasons } = answered
    const line = (type: 'PLAN_JOINED' | 'PLAN_REFUSED' | 'PLAN_LATE', details: object) =>
      this.#logs.line(type, planner, { plan_id: plan, planner, ...details })
    const when = { plan, told: digest }
    if (outcome === 'late') return { lines: [line('PLAN_LATE', { joined_from: joinedFrom ?? null })], when }
    if (outcome === 'refused') {
      const messages = isAgentId(planner) ? [refusalOf(plan, planner, reasons, digest)] : []
      return { lines: [line('PLAN_REFUSED', { reasons })], messages, when }
    }
    const joined = line('PLAN_JOINED', { tasks })
    const note = `The plan ${plan} of ${planner} was joined: ${tasks.join(', ')}.`
    return { lines: [joined], news: { at: joined.timestamp, note }, when }
  }

  /** Only in the turn of the list. */
  async #judge(path: TreePath, { plan, planner, results }: Answer, digest: string): Promise<PlanAnswered> {
    const { tree } = this.#parts
    const note: Note = (await readNote(tree, path)) ?? { plan }
    // Somebody died while joining: what was judged valid then is joined now.
    const begun = await this.#finishJoin(path, note)
    const isNews = !toldIn(begun).includes(digest)
    const base = { plan, planner, tasks: [] as readonly string[], reasons: [] as readonly string[] }
    // An answer is told of once, with the note that remembers it.
    const remember = async (answered: PlanAnswered, join: () => Promise<Note> = async () => begun) => {
      if (isNews)
        await this.#tellings.around(taskSubject, this.#taleOf(answered, digest, begun.planner), async () =>
          this.#writeTold(path, await join(), digest),
        )
      return answered
    }
    if (begun.joined === digest)
      return remember({ ...base, outcome: isNews ? 'joined' : 'unchanged', tasks: textsIn(begun.tasks) })
    if (begun.joined !== undefined)
      return remember({ ...base, outcome: 'late', reasons: [`The answer of ${String(begun.planner)} came first.`] })
    const judged = planJoin((await this.#lists.list()).tasks, results, underIn(begun))
    if (judged.outcome === 'refused') return remember({ ...base, outcome: 'refused', reasons: judged.reasons })
    const tasks = results as readonly Task[]
    const joined: PlanAnswered = { ...base, outcome: 'joined', tasks: tasks.map(({ task_id }) => task_id) }
    return remember(joined, () => this.#finishJoin(path, { ...begun, joining: { digest, planner, tasks } }))
  }

  #writeTold(path: TreePath, note: Note, digest: string): Promise<unknown> {
    return writeNote(this.#parts.tree, path, { ...note, told: [...toldIn(note), digest].slice(-mostRefused) })
  }

  /** What a process that was killed while joining had begun. False: it had not begun, and the answer is judged when it comes again. */
  async #finishTold(plan: string, digest: unknown): Promise<boolean> {
    const path = noteIn(plansPath, plan)
    const note = await readNote(this.#parts.tree, path)
    if (!note || typeof digest !== 'string') return false
    if (toldIn(note).includes(digest)) return true
    const joined = await this.#finishJoin(path, note)
    if (joined.joined !== digest) return false
    await this.#writeTold(path, joined, digest)
    return true
  }

  /** The note comes first, then the list, then the note that it is done. Each step can be repeated. */
  async #finishJoin(path: TreePath, note: Note): Promise<Note> {
    const { joining, ...rest } = note
    if (joining === undefined || note.joined !== undefined) return note
    const { digest, planner, tasks } = joining as { digest?: unknown; planner?: unknown; tasks?: unknown }
    const list = (await this.#lists.list()).tasks
    const judged = planJoin(list, tasks, underIn(note))
    // A stranger's note, or a list that somebody changed since: as if nothing had been begun.
    if (judged.outcome === 'refused' || typeof digest !== 'string' || typeof planner !== 'string') return rest
    await writeNote(this.#parts.tree, path, note)
    const all = (tasks as readonly Task[]).flatMap((one) => readTask(one).task ?? [])
    const under = underIn(note)
    await this.#lists.add(all, list.some(({ task_id }) => task_id === under) ? under : undefined)
    const joined = { ...rest, joined: digest, planner, tasks: all.map(({ task_id }) => task_id) }
    await writeNote(this.#parts.tree, path, joined)
    return joined
  }
}

function refusalOf(plan: string, planner: AgentId, reasons: readonly string[], digest: string): Outgoing {
  const event: PlannerEvent = {
    type: eventTypes.failed,
    source_id: 'System',
    target_id: planner,
    data: {
      correlation_id: plan,
      task_id: plan,
      error_details: { code: 'PLAN_REFUSED', message: reasons.join(' '), reasons },
    },
  }
  return outgoingEvent(planner, 'System', event, `${plan}-refused-${digest.slice(0, 8)}`)
}

const toldIn = ({ told }: Note): readonly unknown[] => (Array.isArray(told) ? told : [])

/** The task that the plan expands. */
const underIn = ({ under }: Note): string | undefined => (typeof under === 'string' ? under : undefined)

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

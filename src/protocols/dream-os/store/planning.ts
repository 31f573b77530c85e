/**
 * From a goal to tasks: `GENERATE_TASK_SEQUENCE` goes to a planner, and the first valid answer is joined into the list, once.
 * A note for each plan says which answer counts. Spec: Dream.OS, GENERATE_TASK_SEQUENCE.
 */
import { invalidInput } from '../../../kernel/errors.ts'
import { printEvent } from '../event-format.ts'
import { plansPath, taskFileName } from '../layout.ts'
import { type AgentId, broadcast, isAgentId, taskId } from '../names.ts'
import { eventTypes, type PlannerEvent, type SignificantEvent, type Task, taskStatuses } from '../schema.ts'
import { type DreamStep, planSubject, type StepOf } from '../steps.ts'
import { planJoin, readTask } from '../tasks.ts'
import { isoOf } from '../times.ts'
import type { Dream } from './dream.ts'
import { type Note, noteIn, noteNameOf, readNote, writeNote } from './notes.ts'
import type { PlanAnswered, PlanSent } from './outcomes.ts'
import { Part, pathIn } from './parts.ts'
import { type Outgoing, outgoingEvent } from './sending.ts'
import { expectExpandable } from './task-list.ts'
import { viewOf } from './view.ts'

interface PlanInput {
  readonly from: string
  /** A planner, or `broadcast` for all agents. */
  readonly to: string
  readonly goal: string
  /** The task to expand. */
  readonly under?: string
}

interface PlannerAnswer {
  readonly plan: string
  readonly planner: string
  /** What should be a list of tasks. */
  readonly results: unknown
}

/** How many answers to one plan are remembered as reported. */
const mostTold = 50

export class Planning extends Part {
  constructor(dream: Dream) {
    super(dream)
    dream.journal.performs({ plan: (step) => this.#remember(step) })
  }

  async plan({ from, to, goal, under }: PlanInput): Promise<PlanSent> {
    const agents = this.dream.agents
    const source = await agents.expectName(from)
    if (goal.trim() === '') {
      throw invalidInput('EMPTY_GOAL', 'A plan needs a goal.', { hint: 'Say in a sentence what should be reached.' })
    }
    if (under !== undefined) expectExpandable(await this.dream.tasks.find(taskId(under)))
    const isForAll = to === broadcast
    const targets: AgentId[] = isForAll
      ? (await agents.known()).filter((one) => one !== source)
      : [await agents.expectName(to)]
    const plan = `plan-${crypto.randomUUID().slice(0, 8)}`
    const notices = targets.length === 0 ? ['There is nobody else yet; nobody was asked.'] : []
    const event: PlannerEvent = {
      type: eventTypes.plan,
      source_id: source,
      target_id: to,
      data: {
        task_id: plan,
        params: { goal, ...(under === undefined ? {} : { under }) },
        timestamp: isoOf(this.parts.clock.now()),
      },
    }
    await agents.note(source)
    const line = this.dream.logs.line('PLAN_SENT', source, { plan_id: plan, target: to, goal, under: under ?? null })
    const name = taskFileName(plan)
    const note = { plan, goal, by: source, ...(under === undefined ? {} : { under }) }
    const news = { at: line.timestamp, goal: `${plan}: ${goal}`, note: `${source} asked ${to} to plan ${plan}.` }
    const messages = targets.map((target) => ({ to: target, name, text: printEvent(event) }))
    const steps: DreamStep[] = [
      { do: 'plan', plan, note },
      ...(await this.dream.sending.stage(messages)),
      { do: 'log', line },
      { do: 'news', news },
    ]
    const durability = await this.dream.journal.make(planSubject(plan), steps)
    const modifiedAt = this.parts.clock.now()
    const sent = targets.map((agent) =>
      viewOf(event, { agent, state: 'inbox', path: pathIn(this.parts, agent, 'inbox', name), modifiedAt }),
    )
    return { outcome: 'sent', plan, sent, durability, notices }
  }

  /** A repeated step of sending must not replace the note of a plan that has been answered since. */
  async #remember({ plan, note }: StepOf<'plan'>): Promise<void> {
    const path = noteIn(plansPath, plan)
    if (note.told === undefined && (await readNote(this.parts.tree, path))) return
    await writeNote(this.parts.tree, path, note)
  }

  /** The agent that asked for a plan; `undefined` where no note says it. */
  async initiatorOf(plan: string): Promise<string | undefined> {
    const note = await readNote(this.parts.tree, noteIn(plansPath, plan))
    return typeof note?.by === 'string' ? note.by : undefined
  }

  /** The tasks that a plan has become; none as long as no answer counts. */
  async tasksOf(plan: string): Promise<readonly string[]> {
    const note = await readNote(this.parts.tree, noteIn(plansPath, plan))
    return note?.joined === undefined ? [] : textsIn(note.tasks)
  }

  /** Whether these results may answer a plan: the plan is known, or they are tasks. */
  async isAnswer(plan: string, results: unknown): Promise<boolean> {
    if (await readNote(this.parts.tree, noteIn(plansPath, plan))) return true
    return Array.isArray(results) && results.length > 0 && results.every((one) => readTask(one).task !== undefined)
  }

  /** Joins an answer, or says why not. Repeating it changes nothing. */
  answer({ plan, planner, results }: PlannerAnswer): Promise<PlanAnswered> {
    const digest = noteNameOf(JSON.stringify(results) ?? '')
    return this.dream.journal.turn('tasks', async () => {
      const note: Note = (await readNote(this.parts.tree, noteIn(plansPath, plan))) ?? { plan }
      const answered = await this.#judge(note, { plan, planner, results }, digest)
      // An answer is logged once, in the change that also notes it.
      const isTold = answered.outcome === 'unchanged' || toldIn(note).includes(digest)
      if (isTold && answered.outcome !== 'joined') return answered
      const steps = await this.#stepsFor(answered, results, note, digest)
      await this.dream.journal.commit('tasks', steps)
      this.dream.journal.expectWhole(steps)
      return answered
    })
  }

  /** Only while holding the lock of the list. */
  async #judge(note: Note, { plan, planner, results }: PlannerAnswer, digest: string): Promise<PlanAnswered> {
    const base = { plan, planner, tasks: [] as readonly string[], reasons: [] as readonly string[] }
    if (note.joined === digest) return { ...base, outcome: 'unchanged', tasks: textsIn(note.tasks) }
    if (note.joined !== undefined)
      return { ...base, outcome: 'late', reasons: [`The answer of ${String(note.planner)} came first.`] }
    const judged = planJoin((await this.dream.tasks.list()).tasks, results, underIn(note))
    if (judged.outcome === 'refused') return { ...base, outcome: 'refused', reasons: judged.reasons }
    return { ...base, outcome: 'joined', tasks: (results as readonly Task[]).map(({ task_id }) => task_id) }
  }

  async #stepsFor(answered: PlanAnswered, results: unknown, note: Note, digest: string): Promise<DreamStep[]> {
    const { outcome, plan, planner, tasks, reasons } = answered
    const told = [...toldIn(note), digest].slice(-mostTold)
    const line = (type: SignificantEvent, details: object) =>
      this.dream.logs.line(type, planner, { plan_id: plan, planner, ...details })
    if (outcome === 'joined') {
      const joined = line('PLAN_JOINED', { tasks })
      const under = underIn(note)
      const set = { subtasks: tasks, status: 'IN_PROGRESS' }
      const updates = under === undefined ? [] : [{ task: under, while: taskStatuses, set }]
      const add = (results as readonly unknown[]).flatMap((one) => readTask(one).task ?? [])
      const news = { at: joined.timestamp, note: `The plan ${plan} of ${planner} was joined: ${tasks.join(', ')}.` }
      return [
        { do: 'tasks', by: planner, updates, add },
        { do: 'plan', plan, note: { ...note, joined: digest, planner, tasks, told } },
        { do: 'log', line: joined },
        { do: 'news', news },
      ]
    }
    const isRefused = outcome === 'refused'
    const refusals = isRefused && isAgentId(planner) ? [refusalOf(plan, planner, reasons, digest)] : []
    return [
      { do: 'plan', plan, note: { ...note, told } },
      ...(await this.dream.sending.stage(refusals)),
      {
        do: 'log',
        line: isRefused ? line('PLAN_REFUSED', { reasons }) : line('PLAN_LATE', { joined_from: note.planner ?? null }),
      },
    ]
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

/**
 * Recording what came of a message or a task: the line in `completed_tasks.json`, the list of tasks, events for the executor and for
 * the agent that asked, and the message itself put away. All of it is one change of the journal, so that an outcome is
 * recorded once. See docs/decisions/0036-an-outcome-is-recorded-once.md.
 */
import { call } from '../../../kernel/call.ts'
import { conflict } from '../../../kernel/errors.ts'
import { eventSubject, isEvent } from '../event-format.ts'
import { type PlainMessage, statedFieldsOf } from '../format.ts'
import { type AgentId, agentId, hashedName, isAgentId } from '../names.ts'
import { type CompletedTask, eventTypes, isObject, type PlannerEvent } from '../schema.ts'
import { type DreamStep, fileSubject, type StepOf } from '../steps.ts'
import { isoOf } from '../times.ts'
import { holdNote, lostFile } from './claiming.ts'
import type { Dream } from './dream.ts'
import { moveFileSomewhere } from './moving.ts'
import type { OutcomeInput, OutcomeRecorded } from './outcomes.ts'
import { Part, pathIn, wrongWith } from './parts.ts'
import { type Outgoing, outgoingEvent } from './sending.ts'
import { settlingStep } from './task-list.ts'

export interface Outcome {
  readonly line: CompletedTask
  /** Names this outcome in the log and in the events. */
  readonly key: string
  /** The agent that asked for it, as far as that is known. */
  readonly initiator: string | undefined
  /** The plan that it answers. */
  readonly plan: string | undefined
}

export class Settling extends Part {
  constructor(dream: Dream) {
    super(dream)
    dream.journal.performs({ finish: (step) => this.#finish(step) })
  }

  /** Records the outcome of a file of an inbox, and puts it into the archive. */
  async done(
    name: string,
    given: string,
    input: OutcomeInput = {},
  ): Promise<OutcomeRecorded & { readonly file: string }> {
    const agent = agentId(name)
    await this.dream.recovery.finishAll()
    await this.dream.logs.expectLines()
    const { file, id, state, from, message } = await this.dream.inboxes.find(agent, given)
    if (state === 'archive/inbox') return { ...(await this.repeated(agent, id, input)), file }
    const hold = await this.dream.claiming.expectHeld(agent, file, input.attempt)
    if (state === 'inbox' && hold.attempt > 0) throw lostFile(agent, file, 'it waits again')
    const attempt = input.attempt ?? hold.attempt
    const plan = isEvent(message) && message.type === eventTypes.plan ? eventSubject(message) : undefined
    const task = plan ?? (isNews(message) ? undefined : statedFieldsOf(message).taskId)
    const outcome: Outcome = {
      line: this.lineOf(id, task, agent, input),
      key: hashedName(`inbox ${agent}`, file, String(attempt)),
      initiator: from === 'unknown' ? undefined : from,
      plan,
    }
    const notices = await this.answerPlan(outcome)
    const subject = fileSubject(agent, file)
    const recorded = await this.dream.journal.turn(subject, async () => {
      const folder = await this.openIn(agent, file)
      if (!folder) return this.repeated(agent, id, input)
      const now = await this.dream.claiming.expectHeld(agent, file, undefined)
      if (now.attempt !== attempt) throw lostFile(agent, file, 'it was taken again')
      if (folder === 'inbox' && attempt > 0) throw lostFile(agent, file, 'it waits again')
      const steps = await this.stepsFor(outcome, { do: 'finish', agent, file })
      const committed = await this.dream.journal.commit(subject, steps)
      return this.recorded(outcome, steps, committed.outcome === 'done' ? committed.durability : 'process', notices)
    })
    await this.dream.claiming.release(agent, file, hold)
    await this.dream.agents.note(agent)
    return { ...recorded, file }
  }

  /** The answer to an outcome of a message that has one already. An outcome that differs from the recorded one is a conflict. */
  async repeated(agent: string, id: string, { error }: OutcomeInput): Promise<OutcomeRecorded> {
    const status = error === undefined ? 'COMPLETED' : 'FAILED'
    const recorded = await this.dream.logs.outcomesOf(agent, id)
    if (recorded.length === 0 || recorded.includes(status))
      return { outcome: 'unchanged', durability: 'process', notices: [] }
    throw conflict('OUTCOME_RECORDED', `${id} is recorded as ${recorded.at(-1)}, not ${status}. Nothing was changed.`, {
      hint: `Look at what was recorded: ${call('dream completed', { agent })}`,
      details: { id, agent, recorded: recorded.at(-1), given: status },
    })
  }

  lineOf(id: string, task: string | undefined, agent: string, { output, error }: OutcomeInput): CompletedTask {
    return {
      message_id: id,
      task_id: task ?? null,
      agent_id: agent,
      status: error === undefined ? 'COMPLETED' : 'FAILED',
      timestamp: isoOf(this.parts.clock.now()),
      output: error === undefined ? (output ?? null) : null,
      error_details: error ?? null,
    }
  }

  /**
   * Judges the answer to a plan, before its outcome is recorded: the answer counts whether or not that succeeds, and repeating
   * it changes nothing. Answers notices.
   */
  async answerPlan({ line, plan }: Outcome): Promise<string[]> {
    if (plan === undefined || line.status === 'FAILED') return []
    const answered = await this.dream.planning.answer({ plan, planner: line.agent_id, results: resultsIn(line) })
    if (answered.outcome === 'refused') return [`The plan was refused: ${answered.reasons.join(' ')}`]
    if (answered.outcome === 'late') return ['Another answer to this plan came first; this one does not count.']
    return []
  }

  /** The steps of recording an outcome. `putAway`: the step for the message itself. */
  async stepsFor(outcome: Outcome, putAway: DreamStep): Promise<DreamStep[]> {
    const { line, key, plan } = outcome
    const { status, task_id, message_id, error_details, agent_id } = line
    const steps: DreamStep[] = [{ do: 'complete', line }]
    if (status === 'FAILED') {
      const details = { task_id, message_id, error_details, outcome: key }
      steps.push({ do: 'log', line: this.dream.logs.line('TASK_FAILED', agent_id, details) })
    }
    steps.push(putAway)
    if (task_id !== null && (plan === undefined || status === 'FAILED')) steps.push(settlingStep(task_id, line))
    const targets = task_id === null ? [] : await this.#targetsOf(outcome)
    return [...steps, ...(await this.dream.sending.stage(targets.map((to) => eventFor(to, outcome))))]
  }

  recorded(
    { line }: Outcome,
    steps: readonly DreamStep[],
    durability: OutcomeRecorded['durability'],
    notices: readonly string[],
  ): OutcomeRecorded {
    // The outcome is recorded; a person has to correct a broken list.
    const leftOut = this.dream.journal
      .leftOut(steps)
      .map((error) => `The list of tasks was not changed: ${wrongWith(error)}`)
    return { outcome: 'recorded', line, durability, notices: [...notices, ...leftOut] }
  }

  /** The executor and the agent that asked. */
  async #targetsOf({ line, initiator }: Outcome): Promise<AgentId[]> {
    const { executor } = this.parts.settings
    const targets: AgentId[] = []
    for (const target of new Set([executor, ...(initiator === undefined ? [] : [initiator])])) {
      // A failure goes to the executor even if it was never seen: there it waits for a person.
      const isTold = (line.status === 'FAILED' && target === executor) || (await this.dream.agents.isKnown(target))
      if (isTold && target !== line.agent_id && isAgentId(target)) targets.push(target)
    }
    return targets
  }

  /** The folder of a file that waits or is held by an agent; `undefined` for one that is finished. */
  async openIn(agent: AgentId, file: string): Promise<'working' | 'inbox' | undefined> {
    for (const folder of ['working', 'inbox'] as const)
      if (await this.parts.tree.look(pathIn(this.parts, agent, folder, file))) return folder
    return undefined
  }

  /** Moves a file into the archive, from `working/` or straight from the inbox. */
  async #finish({ agent, file }: StepOf<'finish'>): Promise<void> {
    const { tree } = this.parts
    const step = { agent, name: file, transition: 'finish' } as const
    const { moved } = await moveFileSomewhere(this.parts, { ...step, from: 'working' })
    if (moved.outcome === 'gone' && !(await tree.look(pathIn(this.parts, agent, 'archive/inbox', file))))
      await moveFileSomewhere(this.parts, { ...step, from: 'inbox' })
    await tree.remove(holdNote(agent, file))
  }
}

/** An event that reports the end of a task: finishing this event is no outcome of that task, and is reported to no agent. */
const isNews = (message: PlainMessage): boolean =>
  isEvent(message) && (message.type === eventTypes.completed || message.type === eventTypes.failed)

const resultsIn = ({ output }: CompletedTask): unknown => (isObject(output) ? output.results : output)

/** The event that reports an outcome to the executor, or to the agent that asked. */
export function eventFor(to: AgentId, { line, key, plan }: Outcome): Outgoing {
  const isFailed = line.status === 'FAILED'
  const results = plan === undefined ? line.output : resultsIn(line)
  const event: PlannerEvent = {
    type: isFailed ? eventTypes.failed : eventTypes.completed,
    source_id: line.agent_id,
    target_id: to,
    data: {
      correlation_id: line.task_id,
      task_id: line.task_id,
      ...(isFailed ? { error_details: line.error_details } : { results }),
      timestamp: line.timestamp,
    },
  }
  return outgoingEvent(to, line.agent_id, event, key)
}

/**
 * Turns notes that killed processes of earlier versions left into changes of the journal. Outcomes lie in `finishing/`, log lines and
 * messages of a step in `telling/`, answers of people in `answers/`, and messages that were being packed beside their mailbox.
 */
import { readJsonLines } from '../../../formats/json-lines.ts'
import { childOf, nameOf, type TreePath } from '../../../kernel/tree-path.ts'
import { readIfLeaf } from '../../../messaging/leaves/tolerant.ts'
import {
  answersPath,
  dispatchPath,
  finishingPath,
  governancePath,
  mailboxArchivePath,
  outgoingPath,
  plansPath,
  statePath,
  stemOf,
  taskFileName,
  tellingPath,
} from '../layout.ts'
import { type AgentId, isAgentId, mostMailboxes } from '../names.ts'
import { type CompletedTask, type GovernanceEvent, isObject, type Task, taskStatuses } from '../schema.ts'
import {
  answerSubject,
  type DreamStep,
  fileSubject,
  mailboxOf,
  mailboxSubject,
  type News,
  parseSteps,
  planSubject,
  type Subject,
} from '../steps.ts'
import { isoOf } from '../times.ts'
import type { Dream } from './dream.ts'
import { answerEvents, isFailure, putAwaySteps, taskOf } from './escalations.ts'
import { largestPacked } from './mailbox-files.ts'
import { attemptIn, type Note, noteIn, noteNameOf, noteNames, readNote } from './notes.ts'
import type { DreamView } from './outcomes.ts'
import { type DreamParts, unlessCorrupt } from './parts.ts'
import type { Outgoing } from './sending.ts'
import { eventFor } from './settling.ts'
import { retryStep } from './task-list.ts'

interface Change {
  readonly subject: Subject
  readonly steps: readonly DreamStep[]
}

/** A note that is removed, and the change that finishes it. */
interface EarlierNote {
  readonly path?: TreePath
  readonly change?: Change
}

export async function* earlierNotes(all: Dream): AsyncGenerator<EarlierNote> {
  const { tree } = all.parts
  for (const [folder, changeIn] of [
    [finishingPath, outcomeChange],
    [tellingPath, toldChange],
    [statePath, packingChange],
  ] as const) {
    for (const name of await noteNames(tree, folder)) {
      const path = childOf(folder, name)
      const note = await readNote(tree, path)
      // A note that no version of Signalbox wrote is passed over; `inspect` reports it.
      const found = note ? await whatIn(() => changeIn(all, path, note)) : 'strange'
      if (found === 'strange' || (found && !parseSteps(found.steps, found.subject))) continue
      yield { path, ...(found ? { change: found } : {}) }
    }
  }
  for await (const view of all.inboxes.everywhere(['inbox', 'outbox'])) {
    const note = isFailure(view.message) ? await readNote(tree, noteIn(answersPath, view.id)) : undefined
    const found = note && (await whatIn(() => answerChange(all, view, note)))
    if (found && found !== 'strange' && parseSteps(found.steps, found.subject)) yield { change: found }
  }
}

/** A note that cannot be judged because of a broken file stays until that file is corrected. */
async function whatIn(
  changeIn: () => Promise<Change | 'strange' | undefined>,
): Promise<Change | 'strange' | undefined> {
  let found: Change | 'strange' | undefined = 'strange'
  await unlessCorrupt(async () => {
    found = await changeIn()
  })
  return found
}

async function outcomeChange(all: Dream, path: TreePath, note: Note): Promise<Change | 'strange' | undefined> {
  const { parts, files, claiming, settling } = all
  const { line, agent, initiator, plan, attempt, mailbox, message, file, logged, staged } = note
  if (!isObject(line) || typeof agent !== 'string' || !isAgentId(agent)) return 'strange'
  const key = stemOf(nameOf(path))
  const outcome = { line: line as CompletedTask, key, initiator: textIn(initiator), plan: textIn(plan) }
  const isMailbox = typeof mailbox === 'number' && mailbox >= 1 && mailbox <= mostMailboxes
  let subject: Subject
  let putAway: DreamStep
  if (isMailbox && typeof message === 'string') {
    const { processed, now } = await files.open(mailbox, largestPacked)
    const lease = (await files.memory.given(mailbox)).get(message)
    const isHeld = lease?.agent === agent && lease.attempt === attempt
    if (logged !== true && (processed.has(message) || !isHeld)) return undefined
    subject = mailboxSubject(mailbox)
    putAway = { do: 'process', mailbox, message, agent, at: now }
  } else if (typeof file === 'string') {
    putAway = { do: 'finish', agent, file }
    subject = fileSubject(agent, file)
    if (!parseSteps([putAway], subject)) return 'strange'
    const isHeld = (await claiming.expectHeld(agent, file, undefined)).attempt === attempt
    if (logged !== true && !(isHeld && (await settling.openIn(agent, file)))) return undefined
  } else return 'strange'
  await settling.answerPlan(outcome)
  const log = await readIfLeaf(parts.tree, governancePath(parts.places))
  const isTold = Buffer.from(log?.bytes ?? []).includes(`"outcome":${JSON.stringify(key)}`)
  const steps = (await settling.stepsFor(outcome, putAway)).filter(
    (step) => !(step.do === 'log' && isTold) && !(step.do === 'carry' && staged === true),
  )
  const targets = staged === true && Array.isArray(note.targets) ? note.targets.map(String).filter(isAgentId) : []
  const messages = targets.map((to) => eventFor(to, outcome))
  return { subject, steps: [...steps, ...(await carrying(parts, note, messages))] }
}

/** Stages each message if the killed process had not done so; the steps move them from there. */
async function carrying({ tree }: DreamParts, note: Note, messages: readonly Outgoing[]): Promise<DreamStep[]> {
  const steps: DreamStep[] = []
  for (const { to, name, text } of messages) {
    const staged = noteNameOf(to, name)
    if (note.staged !== true) await tree.create(childOf(outgoingPath, staged), text)
    steps.push({ do: 'carry', staged, to, name })
  }
  return steps
}

/** The log lines and messages of a step, if the step was made or can be made now. */
async function toldChange(all: Dream, path: TreePath, note: Note): Promise<Change | 'strange' | undefined> {
  const { lines, news, messages = [], when } = note
  if (!Array.isArray(lines) || !Array.isArray(messages)) return 'strange'
  const name = stemOf(nameOf(path))
  const subject = name === 'tasks' ? 'tasks' : mailboxOf(name) === undefined ? planSubject(name) : (name as Subject)
  const made = isObject(when) ? await stepsMade(all, subject, when) : []
  if (!made) return undefined
  const carried = await carrying(all.parts, note, messages.filter(isOutgoing))
  const told = lines.map((line): DreamStep => ({ do: 'log', line }))
  return {
    subject,
    steps: [
      ...made,
      ...carried,
      ...told,
      ...(isObject(news) ? [{ do: 'news', news: news as unknown as News } as const] : []),
    ],
  }
}

const isOutgoing = (value: unknown): value is Outgoing =>
  isObject(value) &&
  typeof value.text === 'string' &&
  parseSteps([{ ...value, do: 'carry', staged: 'x.json' }], 'tasks') !== undefined

/** The steps that are still to be made; `undefined` if the noted step was not made and cannot be made now. */
async function stepsMade(all: Dream, subject: Subject, when: Note): Promise<DreamStep[] | undefined> {
  const { files, tasks } = all
  const { agent, messages, dispatched, blocked, plan, told } = when
  const mailbox = mailboxOf(subject)
  if (mailbox !== undefined) {
    // The broken lock was moved aside; the process that finds it there reports it.
    if (when.isLockBroken === true) return undefined
    const open = (await files.open(mailbox, largestPacked)).mailbox
    const isMade = typeof agent === 'string' ? open.agent === agent : textsIn(messages).every((id) => open.ids.has(id))
    return isMade ? [] : undefined
  }
  const list = (await tasks.list()).tasks
  if (Array.isArray(dispatched)) return handingOut(all, list, textsIn(dispatched))
  if (typeof plan === 'string' && typeof told === 'string') return joining(all, plan, told)
  const isBlocked = (id: string) => list.some(({ task_id, status }) => task_id === id && status === 'BLOCKED')
  return textsIn(blocked).every(isBlocked) ? [] : undefined
}

async function handingOut({ parts }: Dream, list: readonly Task[], ids: readonly string[]): Promise<DreamStep[]> {
  const steps: DreamStep[] = []
  for (const task of list.filter(({ task_id, status }) => ids.includes(task_id) && status === 'PENDING')) {
    const { task_id, target_agent } = task
    const note = (await readNote(parts.tree, noteIn(dispatchPath, task_id))) ?? {}
    const attempt = note.open === true ? Math.max(1, attemptIn(note)) : attemptIn(note) + 1
    const text = `${JSON.stringify({ ...task, status: 'IN_PROGRESS' }, null, 2)}\n`
    const message = { to: target_agent as AgentId, name: taskFileName(task_id, attempt), text }
    const set = { status: 'IN_PROGRESS', dispatched_at: isoOf(parts.clock.now()) }
    steps.push({ do: 'attempt', task: task_id, attempt }, ...(await carrying(parts, note, [message])), {
      do: 'tasks',
      by: 'System',
      updates: [{ task: task_id, while: ['PENDING'], set }],
    })
  }
  return steps
}

/** The answer to a plan that was being joined. */
async function joining({ parts }: Dream, plan: string, digest: string): Promise<DreamStep[] | undefined> {
  const { joining, ...note } = (await readNote(parts.tree, noteIn(plansPath, plan))) ?? {}
  const told = textsIn(note.told)
  if (told.includes(digest)) return []
  const begun = isObject(joining) ? joining : {}
  const { planner, tasks } = note.joined === digest ? note : begun
  if (typeof planner !== 'string' || (note.joined ?? begun.digest) !== digest || !Array.isArray(tasks)) return undefined
  const add = note.joined === digest ? [] : (tasks as readonly Task[])
  const ids = note.joined === digest ? textsIn(tasks) : add.map(({ task_id }) => task_id)
  const set = { subtasks: ids, status: 'IN_PROGRESS' }
  const updates = typeof note.under === 'string' ? [{ task: note.under, while: taskStatuses, set }] : []
  const joined = { ...note, joined: digest, planner, tasks: ids, told: [...told, digest] }
  return [
    { do: 'tasks', by: planner, updates, add },
    { do: 'plan', plan, note: joined },
  ]
}

/** Finishes a person's answer. This version has the note too, so it stays; only earlier versions kept the log line in it. */
async function answerChange({ parts }: Dream, view: DreamView, note: Note): Promise<Change | 'strange'> {
  const { line, text, by, verdict, failedAt, told } = note
  if (!isObject(line) || typeof text !== 'string' || typeof by !== 'string') return 'strange'
  const given = { text, by, verdict: verdict === 'approve' || verdict === 'deny' ? verdict : 'answer' } as const
  const isRetried = verdict === 'approve' && typeof failedAt === 'string'
  const carried = told === true ? [] : await carrying(parts, note, answerEvents(view, given))
  const steps: DreamStep[] = [
    ...(isRetried ? [retryStep(taskOf(view), failedAt, by)] : []),
    ...carried,
    { do: 'log', line: line as GovernanceEvent },
    ...putAwaySteps(view),
  ]
  return { subject: answerSubject(view.id), steps }
}

/** Messages that were being packed and are in the archive already only have to leave the mailbox. */
async function packingChange({ parts, files }: Dream, path: TreePath): Promise<Change | 'strange' | undefined> {
  const number = Number(/^mailbox_([1-9]\d{0,2})\.packing$/.exec(stemOf(nameOf(path)))?.[1])
  if (!number) return 'strange'
  const archive = await readIfLeaf(parts.tree, mailboxArchivePath(parts.places, number))
  const { mailbox, processed, now } = await files.open(number, largestPacked)
  const ids = [...readJsonLines(archive?.bytes ?? new Uint8Array())].flatMap((line) => {
    const id = line.kind === 'record' && isObject(line.value) ? textIn(line.value.message_id) : undefined
    return id !== undefined && mailbox.ids.has(id) && processed.has(id) ? [id] : []
  })
  if (ids.length === 0) return undefined
  return { subject: mailboxSubject(number), steps: [{ do: 'pack', mailbox: number, ids, at: now }] }
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

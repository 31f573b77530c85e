/**
 * The intents of both lists of the specification as one table: what each is for, who usually sends it to whom, and what it
 * means for a task. Spec: CIRCE, "Standard Intents" and "Appendix: Intent Registry".
 */
import { invalidInput } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { printableLine } from '../../kernel/printable.ts'

export interface Intent {
  readonly group: 'task management' | 'coordination' | 'communication' | 'quality'
  readonly purpose: string
  readonly from: string
  readonly to: string
  /** Needs a `task_id`. */
  readonly needsTask?: true
  /** Can be the request that a task begins with. */
  readonly asksForWork?: true
  /** The agent that claims it owns its task. */
  readonly takesTask?: true
}

const table = {
  implement_feature: row('task management', 'build something new', 'coordinator', 'engineer', 'work', 'owner'),
  fix_bug: row('task management', 'put a mistake right', 'anyone', 'engineer', 'work', 'owner'),
  refactor: row('task management', 'make code better, not different', 'anyone', 'engineer', 'work', 'owner'),
  review_code: row('task management', 'have a peer look at code', 'engineer', 'engineer or SCRIBE', 'work'),
  test: row('task management', 'have something tested', 'engineer', 'QA', 'work'),
  status_update: row('coordination', 'tell how a task stands', 'anyone', 'coordinator'),
  request_help: row('coordination', 'ask for a hand', 'anyone', 'anyone'),
  claim_task: row('coordination', 'say that a task is yours', 'anyone', 'coordinator', 'task'),
  release_task: row('coordination', 'give a task back', 'its owner', 'coordinator', 'task'),
  coordinate: row('coordination', 'keep work in step', 'anyone', 'anyone'),
  question: row('communication', 'ask something', 'anyone', 'anyone'),
  answer: row('communication', 'answer it', 'whoever was asked', 'whoever asked'),
  escalate: row('communication', 'ask a person to decide', 'anyone', 'coordinator or ROOSTER'),
  inform: row('communication', 'let others know', 'anyone', 'anyone'),
  test_results: row('quality', 'tell how tests went', 'QA', 'engineer or coordinator', 'task'),
  audit_report: row('quality', 'tell what an audit found', 'EAGLE', 'SCRIBE or coordinator', 'task'),
  approval_request: row('quality', 'ask for a yes', 'anyone', 'whoever decides', 'task'),
  audit: row('quality', 'ask for an audit', 'SCRIBE', 'EAGLE', 'asks'),
  document: row('quality', 'ask for documentation', 'anyone', 'SCRIBE', 'asks'),
} as const satisfies Readonly<Record<string, Intent>>

type Mark = 'work' | 'owner' | 'task' | 'asks'

/** `work`: a request that needs a task. `owner`: its claimer owns the task. `task`: needs a task. `asks`: a request. */
function row(group: Intent['group'], purpose: string, from: string, to: string, ...marks: Mark[]): Intent {
  return {
    group,
    purpose,
    from,
    to,
    ...(marks.includes('work') || marks.includes('task') ? { needsTask: true } : {}),
    ...(marks.includes('work') || marks.includes('asks') ? { asksForWork: true } : {}),
    ...(marks.includes('owner') ? { takesTask: true } : {}),
  }
}

export const intents: ReadonlyMap<string, Intent> = new Map(Object.entries(table))

/** The intents about code: unless configured, their tasks need passed tests before they can be completed. */
export const aboutCode: readonly string[] = ['implement_feature', 'fix_bug', 'refactor']

export const isKnownIntent = (intent: string, further: readonly string[]): boolean =>
  intents.has(intent) || further.includes(intent)

/** Throws for an unknown intent and names the nearest known one. `where`: the setting that names it. */
export function expectKnownIntent(intent: string, further: readonly string[], where = ''): void {
  if (isKnownIntent(intent, further)) return
  const known = [...intents.keys(), ...further]
  const meant = nearest(intent.replaceAll('-', '_'), known)
  throw invalidInput(
    'UNKNOWN_INTENT',
    `${where === '' ? 'Not' : `${where}not`} an intent: ${JSON.stringify(printableLine(intent.slice(0, 80)))}.`,
    {
      hint: meant
        ? `Did you mean ${meant}?`
        : `Use one of ${known.join(', ')}, or name it in signalbox.yaml: circe: { intents: [${printableLine(intent.slice(0, 40))}] }`,
      details: { intent: intent.slice(0, 400), known },
    },
  )
}

export const needsTask = (intent: string): boolean => intents.get(intent)?.needsTask === true
export const asksForWork = (intent: string): boolean => intents.get(intent)?.asksForWork === true
export const takesTask = (intent: string): boolean => intents.get(intent)?.takesTask === true

/** A message to all with such an intent goes to its first claimer; every other one goes to every agent. */
export const isForFirstMover = (intent: string): boolean => intents.get(intent)?.group === 'task management'

/** For people: each intent with what it is for, who usually sends it to whom, and what it means for a task. */
export const intentRows = (): (readonly [intent: string, meaning: string])[] =>
  [...intents].map(([name, { purpose, from, to, needsTask }]) => {
    const marks = [needsTask ? 'needs a task' : '', aboutCode.includes(name) ? 'about code' : ''].filter(Boolean)
    return [name, `${purpose}: ${from} to ${to}${marks.length === 0 ? '' : ` (${marks.join(', ')})`}`]
  })

/** The states of tasks and sessions, and the steps between them. A step that is not in the table is refused. */

const taskTransitions = {
  pending: { start: 'in_progress', complete: 'completed', fail: 'failed' },
  in_progress: { complete: 'completed', fail: 'failed', retry: 'pending' },
  completed: {},
  failed: { retry: 'pending' },
} as const

/** How far a task has come, in neutral words. */
export const taskStages = {
  pending: 'written',
  in_progress: 'claimed',
  completed: 'finished',
  failed: 'failed',
} as const

/** The same for a question to a person. */
export const escalationStages = { asked: 'written', answered: 'finished' } as const

export type TaskState = keyof typeof taskTransitions
export type TaskStep = 'start' | 'complete' | 'fail' | 'retry'

/** `undefined`: there is no such step from there. */
export const nextTaskState = (state: TaskState, step: TaskStep): TaskState | undefined =>
  (taskTransitions[state] as Partial<Record<TaskStep, TaskState>>)[step]

export const sessionTransitions = {
  running: { end: 'ended' },
  ended: { start: 'running' },
} as const

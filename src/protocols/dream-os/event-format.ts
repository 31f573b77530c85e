/** Events of planners: `type`, `source_id`, `target_id`, `data`. Spec: Dream.OS, Supported Message Types. */
import type { Parsed, Problem } from '../../kernel/problem.ts'
import { type JsonOptions, readJsonText } from './json-text.ts'
import { malformed, missingOrWrong } from './problem.ts'
import { isObject, type PlannerEvent } from './schema.ts'

export function parseEvent(bytes: Uint8Array, options: JsonOptions): Parsed<PlannerEvent> {
  const read = readJsonText(bytes, options)
  if (read.outcome === 'malformed') return read
  if (!isObject(read.value)) return malformed('NOT_AN_EVENT', 'It is no object.')
  const [first, ...rest] = eventProblems(read.value)
  if (first) return { outcome: 'malformed', problems: [first, ...rest] }
  return { outcome: 'message', message: read.value as PlannerEvent, problems: [] }
}

function eventProblems(value: Readonly<Record<string, unknown>>): Problem[] {
  const problems: Problem[] = []
  for (const field of ['type', 'source_id', 'target_id']) {
    const found = value[field]
    if (typeof found !== 'string' || found === '') problems.push(missingOrWrong(field, 'a text', found))
  }
  if (!isObject(value.data)) problems.push(missingOrWrong('data', 'an object', value.data))
  return problems
}

export const isEvent = (value: unknown): value is PlannerEvent => isObject(value) && eventProblems(value).length === 0

/** Two blanks a level, the fields in the order of the specification's examples, unknown ones behind them. */
export function printEvent({ type, source_id, target_id, data, ...rest }: PlannerEvent): string {
  return `${JSON.stringify({ type, source_id, target_id, data, ...rest }, null, 2)}\n`
}

const textIn = (data: Readonly<Record<string, unknown>>, field: string): string | undefined => {
  const found = data[field]
  return typeof found === 'string' && found !== '' ? found : undefined
}

/** What an event is about: the plan or task it answers or asks for. */
export const eventSubject = ({ data }: PlannerEvent): string | undefined =>
  textIn(data, 'correlation_id') ?? textIn(data, 'task_id')

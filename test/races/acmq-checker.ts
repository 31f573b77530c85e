/**
 * What a drained mission must look like, read off the files with nothing of the library: not its parser, not its
 * names, not its list of queues.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Drained {
  /** Ids that should be in `completed/` and are not. */
  readonly lost: readonly string[]
  /** Ids of which there are two files, in whatever queue. */
  readonly twice: readonly string[]
  /** Files whose status is not that of their queue. */
  readonly disagreeing: readonly string[]
  readonly leftInProcessing: readonly string[]
  /** Messages that a worker was given before all they depend on lay in `completed/`. */
  readonly early: readonly string[]
  /** Messages of which two workers were told that they completed them. */
  readonly acknowledgedTwice: readonly string[]
  readonly acknowledged: number
  /** Times that a worker was told it had lost its claim. */
  readonly lostClaims: number
}

export function checkDrained(mission: string, journals: string, sent: readonly string[]): Drained {
  const files = ['pending', 'processing', 'completed', 'failed'].flatMap((queue) =>
    readdirSync(join(mission, 'queue', queue)).map((name) => {
      const text = readFileSync(join(mission, 'queue', queue, name), 'utf8')
      const field = (key: string) => new RegExp(`^${key}: "?([^"\\n]+?)"? *$`, 'm').exec(text)?.[1]
      return { queue, name, id: field('id'), status: field('status') }
    }),
  )
  const completed = new Set(files.flatMap(({ queue, id }) => (queue === 'completed' ? [id] : [])))
  const notes = readdirSync(journals).flatMap((name) => readFileSync(join(journals, name), 'utf8').split('\n'))
  const noted = (word: string) =>
    notes.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []))
  const acknowledged = noted('completed')
  return {
    lost: sent.filter((id) => !completed.has(id)),
    twice: repeated(files.map(({ id }) => id ?? 'unreadable')),
    disagreeing: files.flatMap(({ queue, name, status }) => (status === queue ? [] : [`${queue}/${name}: ${status}`])),
    leftInProcessing: files.flatMap(({ queue, name }) => (queue === 'processing' ? [name] : [])),
    early: noted('early'),
    acknowledgedTwice: repeated(acknowledged),
    acknowledged: acknowledged.length,
    lostClaims: noted('lost').length,
  }
}

function repeated(items: readonly string[]): string[] {
  const seen = new Set<string>()
  return items.filter((item) => seen.size === seen.add(item).size)
}

/** What is recorded about something: results, state and definitions. Answers come from here and never from invention. Pure. */
import type { Item } from './commands/limits.ts'
import type { Session, Task } from './record.ts'

/** `name`: a key, a term or a task. */
type Known = Required<Item> & { readonly at: number }

/** Words compare without case, and `_`, `-` and a blank are one. */
const flat = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim()

export const names = (text: string, topic: string): boolean => flat(text).includes(flat(topic))

/** Results, state and definitions that name the topic, newest first. */
export function about(session: Session, topic: string): Known[] {
  const known: Known[] = [
    ...session.state.map(({ key, value, at }) => ({ name: key, text: value, at })),
    ...session.definitions.map(({ term, text, at }) => ({ name: term, text, at })),
    ...session.tasks.flatMap(({ task, result, changedAt }) =>
      result === undefined ? [] : [{ name: task, text: result, at: changedAt }],
    ),
  ]
  return known.filter(({ name, text }) => names(name, topic) || names(text, topic)).sort((a, b) => b.at - a.at)
}

/** Words that ask how tasks are, whatever they are about. */
const general = /^(?:status|progress|results?|tasks?|all|state)$/i

/** The tasks of an agent (`all`: of all agents) that a report about a topic tells of, newest first. */
export function reported(session: Session, agent: string, topic: string): Task[] {
  const isAbout = ({ task, result, progress }: Task) => {
    if (/^results?$/i.test(topic)) return result !== undefined
    return general.test(topic) || [task, result ?? '', progress ?? ''].some((text) => names(text, topic))
  }
  return session.tasks
    .filter((task) => (agent === 'all' || task.agent === agent) && isAbout(task))
    .sort((a, b) => b.changedAt - a.changedAt)
}

/** The items of a report: `auth: 80%`, or each line of a result that has several. */
export function itemsOf({ task, summary, state, progress, result }: Task): Item[] {
  const text = result ?? progress ?? state
  const lines = text
    .split(/\r?\n/)
    .map((one) => one.replace(/^\s*[•*-]\s+/, '').trim())
    .filter((one) => one !== '')
  return lines.length > 1
    ? lines.map((one) => ({ text: one }))
    : [{ name: firstLine(summary ?? task), text: lines[0] ?? state }]
}

/** One line of several that names a metric; all of it when there is one line. */
export const lineNaming = (text: string, metric: string): string =>
  text.split(/\r?\n/).findLast((one) => names(one, metric)) ?? firstLine(text)

export const firstLine = (text: string): string => text.split(/\r?\n/, 1)[0]!

/** What is recorded about something: results, state and definitions. Answers are taken from these records and never made up. Pure. */
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

export const mentions = (text: string, topic: string): boolean => flat(text).includes(flat(topic))

/** Results, state and definitions that mention the topic, newest first. */
export function knownAbout(session: Session, topic: string): Known[] {
  const known: Known[] = [
    ...session.state.map(({ key, value, at }) => ({ name: key, text: value, at })),
    ...session.definitions.map(({ term, text, at }) => ({ name: term, text, at })),
    ...session.tasks.flatMap(({ task, result, changedAt }) =>
      result === undefined ? [] : [{ name: task, text: result, at: changedAt }],
    ),
  ]
  return known.filter(({ name, text }) => mentions(name, topic) || mentions(text, topic)).sort((a, b) => b.at - a.at)
}

/** Topics that ask about all tasks. */
const general = /^(?:status|progress|results?|tasks?|all|state)$/i

/** The tasks of an agent (`all`: of all agents) for a report about a topic, newest first. */
export function reported(session: Session, agent: string, topic: string): Task[] {
  const isAbout = ({ task, result, progress }: Task) => {
    if (/^results?$/i.test(topic)) return result !== undefined
    return general.test(topic) || [task, result ?? '', progress ?? ''].some((text) => mentions(text, topic))
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

/** The last line that mentions a metric, else the first line. */
export const lineNaming = (text: string, metric: string): string =>
  text.split(/\r?\n/).findLast((one) => mentions(one, metric)) ?? firstLine(text)

export const firstLine = (text: string): string => text.split(/\r?\n/, 1)[0]!

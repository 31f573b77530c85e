/** The protocol's answer as a sentence, for those who speak in words. Shared Agent Protocol §2.5. Pure. */
import type { Command } from '../schema.ts'

/** What a command answered. */
export interface AnsweredCommand {
  readonly lines: readonly string[]
  readonly exit: 0 | 1 | 2
  readonly code?: string
  readonly reason?: string
}

type Given = Readonly<Record<string, string>>
type Teller = (given: Given, lines: readonly string[], first: string) => string

/** Behind the colon of `saved:branch`. */
const behind = (line: string): string => line.slice(line.indexOf(':') + 1)
const spoken = (name: string): string => name.replaceAll('_', ' ')
const items = (lines: readonly string[]): string =>
  lines.map((line) => line.replace(/^•\s*/, '').replace(/^\+(\d+) more$/, 'and $1 more')).join('; ')
const counted = (text: string, one: string, many = `${one}s`): string => `${text} ${text === '1' ? one : many}`
const lineWith = (lines: readonly string[], start: string): string | undefined =>
  lines.find((line) => line.startsWith(start))?.slice(start.length)
const span = (seconds: string | undefined): string =>
  seconds === undefined ? '' : ` for ${counted(seconds, 'second')}`

const capital = (text: string): string => (text[0] ?? '').toUpperCase() + text.slice(1)

/** `run_unit_tests: passing with 95% coverage` as a person would say it; `undefined` for what is no state of something. */
function statement(line: string): string | undefined {
  const [, name, text = ''] = /^•?\s*([\w .-]+): (.+)$/.exec(line) ?? []
  if (name === undefined) return undefined
  const isState =
    /^(?:not )?(?:passing|failing|running|pending|waiting|blocked|done|finished|completed?|merged|in progress|ready|broken|fixed|deployed|green|red)\b/i
  if (!isState.test(text) && !/^\d+(?:\.\d+)? ?%/.test(text)) return undefined
  // "implement auth" is done when auth is.
  const thing = spoken(name).replace(
    /^(?:run|fix|implement|write|review|check|build|update|refactor|deploy|add|make)(?: the)? (?=\S)/i,
    'the ',
  )
  const verb = /[^s]s$/.test(thing) ? 'are' : 'is'
  // Waiting or being worked on is said of the task itself, by its name.
  if (/^(?:not |running|pending|waiting|blocked|in progress)/i.test(text))
    return `"${capital(spoken(name))}" is ${text}.`
  return `${capital(thing)} ${verb} ${isState.test(text) ? '' : 'at '}${text}.`
}

const isCount = /^\+\d+ more$/
/** `login: two of three pass` as a sentence. */
function sentenceOf(line: string): string {
  const [, name, text] = /^•?\s*([\w.-]+): (.+)$/s.exec(line) ?? []
  const told = name === undefined ? items([line]) : `${spoken(name)}: ${text}`
  return `${capital(told)}.`
}

/** The number in `Files restored: 2`. */
const numberIn = (lines: readonly string[], pattern: RegExp): string | undefined =>
  lines.map((line) => pattern.exec(line)?.[1]).find((one) => one !== undefined)

const handedOver = (lines: readonly string[]): string => {
  const unassigned = lineWith(lines, 'unassigned:')
  const checkpoint = lineWith(lines, 'ack:checkpoint:')
  const inbox = unassigned === undefined ? '' : ` ${unassigned} has no role here, so the task waits in its inbox.`
  return inbox + (checkpoint === undefined ? '' : ` Before that I made checkpoint ${checkpoint}.`)
}

const tellers: Readonly<Record<string, Teller>> = {
  'STATE:save': ({ key, value, persistent }) =>
    `I saved "${value}" as ${key}${persistent === undefined ? '' : ', also for later sessions'}.`,
  'STATE:load': ({ key }, lines) => `${key} is ${lines.join(' ')}.`,
  'STATE:list': (_, lines) => `These keys are saved: ${items(lines)}.`,
  'STATE:clear': () => 'I cleared the state of the session.',
  ERROR: ({ code, desc }) => `I recorded the error ${code}: ${desc}.`,
  VERSION: (_, __, first) => `This is version ${first.replace(/^v/, '')} of the protocol.`,
  'VERSION:check': ({ version }, _, first) => `Version ${version} is ${first}.`,
  'VERSION:features': (_, lines) => `These features are there: ${items(lines)}.`,
  SUPPORTS: ({ feature }, _, first) =>
    first === 'true' ? `Yes, ${spoken(feature ?? '')} is supported.` : `No, ${spoken(feature ?? '')} is not supported.`,
  LOCK: ({ resource, timeout }) => `I locked ${resource}${span(timeout)}.`,
  UNLOCK({ resource, force }, _, first) {
    if (first !== 'not_owner') return `I unlocked ${resource}${force === undefined ? '' : ' by force'}.`
    return force === undefined ? `You do not hold the lock on ${resource}.` : `Nobody holds a lock on ${resource}.`
  },
  WAIT: ({ condition = '' }) =>
    condition.startsWith('lock=')
      ? `You have the lock on ${behind(condition.replace('=', ':'))} now.`
      : `${condition} is there.`,
  SIGNAL({ condition, value }, _, first) {
    if (value === 'false') return `I took back the signal ${condition}.`
    const waited = behind(first) === '0' ? 'nobody was' : counted(behind(first), 'was', 'were')
    return `I signalled ${condition}; ${waited} waiting for it.`
  },
  BROADCAST: ({ channel, msg }, _, first) =>
    `I sent "${msg}" on ${channel}, to ${counted(behind(first), 'subscriber')}.`,
  SUBSCRIBE: ({ channel }) => `You now listen to ${channel}.`,
  UNSUBSCRIBE: ({ channel }) => `You no longer listen to ${channel}.`,
  DIRECT: ({ agent, msg }) => `I told ${agent}: "${msg}".`,
  DEPENDS: ({ agent, task }) => `Your tasks now wait until ${agent} is done with "${spoken(task ?? '')}".`,
  DELEGATE: ({ agent, task, 'P0-P3': priority }, lines, first) =>
    `I gave "${spoken(task ?? '')}" to ${agent} as ${behind(first)}${priority === undefined ? '' : ` with priority ${priority}`}.${handedOver(lines)}`,
  RETRY: ({ agent, task }, _, first) => `${agent} will try "${spoken(task ?? '')}" again (${behind(first)}).`,
  REPORT: ({ 'agent|all': agent, topic }, lines) => {
    const told = lines.map((line) => statement(line) ?? sentenceOf(line)).join(' ')
    if (lines.every((line) => statement(line) !== undefined || isCount.test(line))) return told
    return `${agent === 'all' ? `About ${spoken(topic ?? '')}` : `${agent} reports`}: ${told}`
  },
  NEXT(_, __, first) {
    const [, id, priority, agent, task = ''] = /^(\S+) (P\d) (\S+) (.*)$/s.exec(first) ?? []
    return id === undefined ? `Next is ${first}.` : `Next is ${id} for ${agent} (${priority}): ${spoken(task)}.`
  },
  PROGRESS: ({ text }, _, first) => `I noted "${text}" for ${behind(first)}.`,
  DONE: (_, __, first) => `${behind(first)} is done.`,
  FAIL: (_, __, first) => `I recorded that ${behind(first)} failed.`,
  EVALUATE({ metric = '' }, lines) {
    const isFigure = /^[\d.,]+\s?\S{0,4}$/.test(lines.join(' '))
    return `${isFigure ? `${capital(spoken(metric))} is` : `About ${spoken(metric)}:`} ${lines.join(' ')}.`
  },
  ESCALATE: (_, __, first) => `I put it before a person (${behind(first)}).`,
  COORDINATE: ({ agents }, _, first) => `${(agents ?? '').split(',').join(' and ')} work together on ${behind(first)}.`,
  ASK: ({ topic }, lines) => `About ${spoken(topic ?? '')}: ${items(lines)}.`,
  DEFINE: ({ term, text }, lines) =>
    text === undefined ? `${term} means: ${lines.join(' ')}.` : `I noted what ${term} means: ${text}.`,
  SUMMARY({ topic }, _, first) {
    const tasks = topic === undefined ? 'Of the tasks' : `Of the tasks about ${spoken(topic)}`
    const counts = [...first.matchAll(/([a-z]+) (\d+)/g)].map(([, state, count]) =>
      count === '0' ? `none is ${state}` : `${count} ${count === '1' ? 'is' : 'are'} ${state}`,
    )
    if (counts.length < 2) return `${tasks}: ${first}.`
    return `${tasks}, ${counts.slice(0, -1).join(', ')} and ${counts.at(-1)}.`
  },
  'CHECKPOINT:create': ({ name }, _, first) => `I made checkpoint ${behind(first)} (${name}).`,
  'CHECKPOINT:list': (_, lines) => `These checkpoints are there: ${items(lines)}.`,
  'CHECKPOINT:diff': ({ id }, lines) => `Since ${id}: ${items(lines)}.`,
  ROLLBACK(_, lines) {
    const [last = ''] = lines.slice(-1)
    const [files, keys] = [numberIn(lines, /^Files restored: (\d+)/), numberIn(lines, /^State restored: (\d+)/)]
    const known = /^(?:Rolling back|Files restored|State restored|Stashing)/
    const rest = lines.slice(0, -1).filter((line) => !known.test(line))
    return [
      `I rolled back to ${behind(last)}: ${counted(files ?? '0', 'file')} and ${counted(keys ?? '0', 'key')} restored.`,
      ...(lines.some((line) => line.startsWith('Stashing')) ? ['What was there is kept as a checkpoint.'] : []),
      ...rest.map((line) => `${leftAlone(line)}.`),
    ].join(' ')
  },
  'ROLLBACK:status': (_, __, first) =>
    first === 'none' ? 'Nothing has been rolled back.' : `The last rollback went to ${behind(first)}.`,
  'ROLLBACK:dry-run'({ id }, lines) {
    const count = numberIn(lines, /^Files to restore: (\d+)/) ?? '0'
    const rest = lines.filter((line) => !/^(?:dry_run:|Files to)/.test(line))
    const told = rest.length === 0 ? '' : `: ${items(rest.map(leftAlone))}`
    return `Going back to ${id} would restore ${counted(count, 'file')}${told}.`
  },
  'CONTEXT:export': ({ filepath }, _, first) => `I exported ${behind(first)} to ${filepath}.`,
  'CONTEXT:import'({ filepath }, lines) {
    const merged = numberIn(lines, /^merged:(\d+)/)
    if (merged !== undefined)
      return `I merged ${filepath}: ${counted(merged, 'new item')}, ${numberIn(lines, /^updated:(\d+)/) ?? 0} updated.`
    const [, active, pending] = /^tasks:(\d+) active, (\d+) pending/m.exec(lines.join('\n')) ?? []
    const tasks =
      active === undefined ? '' : `; ${counted(active, 'task is', 'tasks are')} active and ${pending} pending`
    return `I took ${counted(numberIn(lines, /^imported:(\d+)/) ?? '0', 'item')} from ${filepath}${tasks}.`
  },
  'CONTEXT:list': (_, lines) => `These context files are there: ${items(lines)}.`,
  'CONTEXT:validate'({ filepath }, lines) {
    const [count, version] = [numberIn(lines, /^items:(\d+)/), numberIn(lines, /^valid:(?:protocol )?(\S+)/)]
    if (count === undefined || version === undefined) return `${filepath}: ${items(lines)}.`
    return `${filepath} is valid: ${counted(count, 'item')}, protocol ${version}.`
  },
  HEALTH: (_, lines) => healthIn(lines),
  'HEALTH:session': (_, lines) => healthIn(lines),
  'HEALTH:context': (_, lines) => `The context has used ${items(lines)}.`,
  HELP: ({ category }, lines) =>
    [...(category === undefined ? examples : ['Say it in your own words, or as a command:']), ...lines].join('\n'),
}

const examples = [
  'Say it in your own words, such as:',
  '• remember that the port is 8080',
  '• lock src/auth.js for 10 minutes',
  '• ask DevAgent to fix the login',
  '• how are the tests?',
  '• make a checkpoint called before_release',
  'or as a command:',
]

/** `left_alone:app.log (…)` as words. */
const leftAlone = (line: string): string => line.replace(/^left_alone:/, 'Left alone: ')

const isStatus = /^•?\s*Status: /
/** "The session is healthy: …". */
function healthIn(lines: readonly string[]): string {
  const status = lines.find((line) => isStatus.test(line))?.replace(isStatus, '')
  const rest = items(lines.filter((line) => !isStatus.test(line)))
  if (status === undefined) return `This is how the session is: ${rest}.`
  const [, why] = /^start new session \((.*)\)$/.exec(status) ?? []
  return why === undefined ? `The session is ${status}: ${rest}.` : `It is time for a new session (${why}): ${rest}.`
}

/** What is said when nothing was found. */
const absent: Readonly<Record<string, Teller>> = {
  'STATE:load': ({ key }) => `Nothing is saved as ${key}.`,
  'STATE:list': () => 'Nothing is saved.',
  NEXT: () => 'There is nothing to do.',
  WAIT: ({ condition }, _, first) => (first === 'timeout' ? `${condition} did not come in time.` : ''),
  SUMMARY: () => 'There are no such tasks.',
  REPORT: ({ 'agent|all': agent, topic }) =>
    `Nothing is recorded about ${agent === 'all' ? '' : `${agent} and `}${spoken(topic ?? '')}.`,
  ASK: ({ topic }) => `Nothing is recorded about ${spoken(topic ?? '')}.`,
  EVALUATE: ({ metric }) => `Nothing is recorded about ${spoken(metric ?? '')}.`,
  DEFINE: ({ term }) => `Nobody has said what ${term} means.`,
  'CHECKPOINT:list': () => 'There are no checkpoints.',
  'CONTEXT:list': () => 'There are no context files.',
}

/** One sentence, or a few; help keeps its lines. */
export function sentenceFor({ spec, given }: Pick<Command, 'spec' | 'given'>, answer: AnsweredCommand): string {
  const deprecated = lineWith(answer.lines, '[DEPRECATED] Use ')
  const lines = answer.lines.filter((line) => !line.startsWith('[DEPRECATED]'))
  const told = sentence(spec.name, given, { ...answer, lines })
  return deprecated === undefined ? told : `${told} (#${spec.name} is old: ${deprecated} is its new form.)`
}

function sentence(name: string, given: Given, { lines, exit, code, reason }: AnsweredCommand): string {
  const [first = ''] = lines
  if (exit === 2) {
    const [, itsCode = code, description = ''] = /^#ERROR:([^:]+):(.*)$/s.exec(first) ?? []
    return `I could not do that: ${reason ?? `${spoken(description)}.`}${itsCode === undefined ? '' : ` (${itsCode})`}`
  }
  if (first.startsWith('busy:')) {
    const circle = lines[1] === undefined ? '' : ` Waiting would close a circle: ${lines[1]}.`
    return `${given.resource ?? behind((given.condition ?? '').replace('=', ':'))} is held by ${behind(first)}.${circle}`
  }
  if (exit === 1) {
    const told = Object.hasOwn(absent, name) ? absent[name]!(given, lines, first) : ''
    return told || `There is no such thing (${first}).`
  }
  const told = Object.hasOwn(tellers, name) ? tellers[name]!(given, lines, first) : lines.join('\n')
  return told.replace(/([.!?…])\.(?=\s|$)/g, '$1')
}

/** What is shown above a sentence: the command, and with `explain` what it does. §2.5, "Protocol Transparency". */
export function shownCommand(line: string, { spec }: Command, shows: 'plain' | 'show' | 'explain'): readonly string[] {
  if (shows === 'plain') return []
  return [line, ...(shows === 'explain' ? [`  ${spec.help}. It answers ${spec.answer}.`] : [])]
}

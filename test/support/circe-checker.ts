/**
 * The promises of CIRCE, read off the files alone. Shares no code with the library: it knows the folders, the headers of
 * messages, the fields of task files and the lines of `events.log` from their documentation.
 */
import fs from 'node:fs'
import { join } from 'node:path'

export interface SeenFile {
  readonly path: string
  readonly text: string
}

export interface Expectations {
  /** Files of messages that somebody was told were sent: none may be missing. */
  readonly sent?: readonly string[]
  /** Nobody is at work, and the next command has been run: nothing may be left half-done. */
  readonly isAtRest?: boolean
  /** All agents have dealt with everything: nothing may lie anywhere but in the log. */
  readonly isOver?: boolean
}

const top = 'AI_MANAGER'
const state = '.signalbox/state/delivery/circe'
/** To all, these go to the first mover. */
const forFirst = ['implement_feature', 'fix_bug', 'refactor', 'review_code', 'test']
const takingTask = ['implement_feature', 'fix_bug', 'refactor']

interface Seen {
  readonly name: string
  readonly place: 'new' | 'inbox' | 'workspace' | 'logged'
  readonly agent: string
  readonly path: string
  readonly header: Readonly<Record<string, string>>
  readonly text: string
}

interface Line {
  readonly at: string
  readonly event: string
  readonly agent: string
  readonly task: string
  readonly file: string
  readonly detail: string
  readonly whole: string
}

/** Every file of a directory, except the engine's own. */
export function filesIn(root: string, folder = ''): SeenFile[] {
  return fs.readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (path === '.signalbox/engine') return []
    if (entry.isDirectory()) return filesIn(root, path)
    return entry.isFile() ? [{ path, text: fs.readFileSync(join(root, path), 'utf8') }] : []
  })
}

/** One sentence for each promise that is broken. */
export function brokenIn(files: readonly SeenFile[], expected: Expectations = {}): string[] {
  const broken: string[] = []
  const messages = files.flatMap(seenFrom)
  const lines = linesIn(files)
  broken.push(...places(messages, lines, expected))
  broken.push(...told(lines, messages))
  for (const task of tasksIn(files, messages)) broken.push(...inStep(task, files, messages, lines))
  if (expected.isAtRest) broken.push(...atRest(files, messages))
  for (const { path } of files) if (path.includes('/.own-')) broken.push(`a private name is left: ${path}`)
  return [...new Set(broken)]
}

const placeOf: Readonly<Record<string, Seen['place']>> = {
  NEW_MESSAGES: 'new',
  LOGS: 'logged',
  INBOX: 'inbox',
  WORKSPACE: 'workspace',
}

function seenFrom({ path, text }: SeenFile): Seen[] {
  const at = new RegExp(`^${top}/(?:(NEW_MESSAGES|LOGS)|AGENTS/([^/]+)/(INBOX|WORKSPACE))/([^/]+\\.md)$`).exec(path)
  if (!at || !/^(\uFEFF)?# MESSAGE/.test(text)) return []
  const [, common, agent = '', own, name] = at
  const place = placeOf[(common ?? own)!]!
  const header: Record<string, string> = {}
  for (const line of text.split(/\r?\n/).slice(1)) {
    if (line.trim() === '') break
    const colon = line.indexOf(':')
    header[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim()
  }
  if (place === 'workspace' && header.from === agent.toLowerCase()) return [] // A draft.
  return [{ name: name!, place, agent: agent.toLowerCase(), path, header, text }]
}

const isForAll = ({ header }: Seen) => header.to === 'all' && !forFirst.includes(header.intent ?? '')

/** Each message is somewhere, in one place, and with an agent once. */
function places(messages: readonly Seen[], lines: readonly Line[], { sent = [], isOver }: Expectations): string[] {
  const broken: string[] = []
  for (const name of sent) if (!messages.some((one) => one.name === name)) broken.push(`${name} is lost`)
  for (const name of new Set(messages.map((one) => one.name))) {
    const mine = messages.filter((one) => one.name === name)
    const lying = mine.filter(({ place }) => place !== 'logged')
    const where = mine.map(({ path }) => path).join(' and ')
    if (mine.some(isForAll)) {
      const agents = lying.map(({ agent }) => agent)
      if (new Set(agents).size < agents.length) broken.push(`an agent has ${name} twice: ${where}`)
      const delivered = lines.some((line) => line.event === 'delivered' && line.file === name)
      if (delivered && lying.some(({ place }) => place === 'new'))
        broken.push(`${name} was delivered and waits: ${where}`)
      for (const { agent } of lying) {
        const isHandled = lines.some((line) => line.event === 'handled' && line.file === name && line.agent === agent)
        if (isHandled) broken.push(`${agent} has handled ${name} and has it again`)
      }
    } else if (lying.length > 1) broken.push(`${name} is in ${where}`)
    if (isOver && lying.length > 0 && mine[0]!.header.to !== 'ROOSTER') broken.push(`${name} is not over: ${where}`)
    if (isOver && mine.length - lying.length !== 1)
      broken.push(`${name} is ${mine.length - lying.length} times in the log`)
    if (new Set(mine.filter(({ place }) => place !== 'workspace').map(({ text }) => text)).size > 1)
      broken.push(`${name} says two things: ${where}`)
  }
  for (const { name, place } of messages)
    if (place === 'logged' && /~\d+\.md$/.test(name)) broken.push(`the log has a second copy: ${name}`)
  return broken
}

function linesIn(files: readonly SeenFile[]): Line[] {
  const text = files.find(({ path }) => path === `${top}/LOGS/events.log`)?.text ?? ''
  return text.split('\n').flatMap((whole) => {
    const [at = '', event = '', agent = '', task = '', file = '', detail, ...more] = whole.split('\t')
    // A full disk may leave the beginning of a line.
    if (detail === undefined || more.length > 0 || !/^\d{4}-.*Z$/.test(at)) return []
    return [{ at, event, agent, task, file, detail, whole }]
  })
}

/** What happens once is told once; what can happen again after a release, once in between. */
function told(lines: readonly Line[], messages: readonly Seen[]): string[] {
  const broken: string[] = []
  const seen = new Set<string>()
  for (const { whole } of lines) {
    if (seen.has(whole)) broken.push(`a line is there twice: ${whole}`)
    seen.add(whole)
  }
  const since = new Map<string, Set<string>>()
  for (const { event, agent, task, file, detail } of lines) {
    if (event === 'released') since.delete(task)
    const told = since.get(task) ?? new Set()
    if (event === 'returned') for (const key of told) if (key.endsWith(` ${file}`)) told.delete(key)
    // Owning a task, and being handed its message, are two things where another program did the first.
    const once = { claimed: `${agent} ${detail}`, started: agent, acknowledged: agent, handled: agent, delivered: '' }[
      event
    ]
    const key = `${event} ${once} ${file}`
    if (once !== undefined && told.has(key)) broken.push(`${agent} ${event} ${file} twice`)
    since.set(task, told.add(key))
  }
  const counted = lines.filter(({ event }) => ['message', 'asked', 'refused'].includes(event)).map(({ file }) => file)
  for (const file of counted)
    if (counted.indexOf(file) !== counted.lastIndexOf(file)) broken.push(`${file} counted twice`)
  const answered = lines.filter(({ event }) => event === 'answered').map(({ file }) => file)
  for (const file of answered)
    if (answered.indexOf(file) !== answered.lastIndexOf(file)) broken.push(`${file} was answered twice`)
  for (const file of new Set(messages.flatMap(({ header }) => header.in_reply_to ?? []))) {
    const answers = new Set(messages.filter(({ header }) => header.in_reply_to === file).map(({ name }) => name))
    if (answers.size > 1) broken.push(`${file} has ${answers.size} answers`)
  }
  return broken
}

const tasksIn = (files: readonly SeenFile[], messages: readonly Seen[]): Set<string> =>
  new Set([
    ...files.flatMap(({ path }) => /^AI_MANAGER\/TASKS\/(.+)\.(?:status|owner|checks)$/.exec(path)?.[1] ?? []),
    ...messages.flatMap(({ header }) => header.task_id ?? []),
  ])

const field = (text: string | undefined, key: string): string | undefined =>
  new RegExp(`^${key}:[ \\t]*["']?([^"'\\r\\n]*?)["']?[ \\t]*$`, 'm').exec(text ?? '')?.[1]?.replace(/^null$/, '')

/** How the task should stand, by the lines of the log and by what its messages say. */
function standOf(lines: readonly Line[], messages: readonly Seen[]) {
  let stand = { status: '', owner: '', tests: false }
  for (const { event, agent, file, detail } of lines) {
    const header = messages.find(({ name }) => name === file)?.header ?? {}
    const isOwner = agent !== '' && agent === stand.owner
    if (event === 'claimed' && detail === `owner ${agent}`) stand = { status: 'claimed', owner: agent, tests: false }
    if (event === 'started' && isOwner) stand.status = 'in_progress'
    if (event === 'status') stand.status = detail
    if (event === 'completed') stand.status = 'completed'
    if (event === 'released') stand = { ...stand, status: 'new', owner: '' }
    if (event === 'checks') stand.tests = /tests_passed=(true|false)/.exec(detail)?.[1] === 'true' || stand.tests
    if (event !== 'message' && event !== 'asked') continue
    const isClosed = stand.status === 'completed' || stand.status === 'failed'
    if (isClosed && takingTask.includes(header.intent ?? '') && detail.endsWith('opened again'))
      stand = { status: 'new', owner: '', tests: false }
    else if (isClosed) continue
    else if (isOwner && header.status === 'blocked') stand.status = 'blocked'
    else if (header.intent === 'answer' && header.to === stand.owner && stand.status === 'blocked')
      stand.status = 'in_progress'
    else if (header.intent === 'status_update' && isOwner && ['in_progress', 'failed'].includes(header.status ?? ''))
      stand.status = header.status!
    else if (
      header.intent === 'test_results' &&
      !isOwner &&
      ['completed', 'failed', 'blocked'].includes(header.status ?? '')
    )
      stand.tests = header.status === 'completed'
  }
  return stand
}

function inStep(task: string, files: readonly SeenFile[], all: readonly Seen[], lines: readonly Line[]): string[] {
  const broken: string[] = []
  const fileOf = (kind: string) => files.find(({ path }) => path === `${top}/TASKS/${task}.${kind}`)?.text
  const [status, owner, checks] = ['status', 'owner', 'checks'].map(fileOf)
  const messages = all.filter(({ header }) => header.task_id === task)
  const stand = standOf(
    lines.filter((line) => line.task === task),
    messages,
  )
  const said = { status: field(status, 'status') ?? '', owner: field(owner, 'owner') ?? '' }
  const isClosed = said.status === 'completed' || said.status === 'failed'
  if (stand.status !== '' && said.status !== stand.status)
    broken.push(`${task} is ${said.status || 'without files'}, and by its messages ${stand.status}`)
  if (stand.status === '' && (status !== undefined || owner !== undefined))
    broken.push(`${task} has files, and nobody was told that it was claimed`)
  if (!isClosed && said.status !== 'new' && said.owner !== stand.owner)
    broken.push(`${task} is owned by ${said.owner || 'nobody'}, and by its messages by ${stand.owner || 'nobody'}`)
  if (status !== undefined && said.status !== 'new' && field(status, 'owner') !== said.owner)
    broken.push(`${task}.status names ${field(status, 'owner')}, and ${task}.owner ${said.owner || 'nobody'}`)
  if (said.status === 'new' && owner !== undefined && field(status, 'owner') === '')
    broken.push(`${task} is new, and ${said.owner} owns it`)
  if (checks !== undefined && (field(checks, 'tests_passed') === 'true') !== stand.tests)
    broken.push(`${task}: tests_passed is ${field(checks, 'tests_passed')}, and by its messages ${stand.tests}`)
  for (const { header, place, agent, name } of messages) {
    const isWork = takingTask.includes(header.intent ?? '') && (place === 'inbox' || place === 'workspace')
    if (isWork && !isClosed && said.owner !== agent)
      broken.push(`${agent} has ${name}, and ${said.owner || 'nobody'} owns it`)
    const isCounted = lines.some((line) => line.file === name && line.event === 'message')
    const completedAt = lines.findLast((line) => line.task === task && line.event === 'completed')?.at ?? ''
    const isOld = lines.some((line) => line.file === name && line.event === 'message' && line.at <= completedAt)
    if (said.status === 'completed' && place !== 'logged' && isCounted && isOld)
      broken.push(`${task} is completed, and ${name} is still ${place}`)
  }
  const about = lines.filter((line) => line.task === task)
  for (const [n, { file, detail }] of about.entries()) {
    const isOpen = !about.slice(n).some(({ event }) => event === 'claimed' || event === 'completed')
    const isLying = messages.some(({ name, place }) => name === file && place !== 'logged')
    if (detail.endsWith('opened again') && isOpen && !isLying)
      broken.push(`${file} opened ${task} again, and nobody can claim it`)
  }
  return broken
}

function atRest(files: readonly SeenFile[], messages: readonly Seen[]): string[] {
  const broken: string[] = []
  for (const { path } of files) {
    if (path.startsWith(`${state}/unfinished/`)) broken.push(`a change is unfinished: ${path}`)
    const copy = new RegExp(`^${state}/copies/([^/]+)/`).exec(path)?.[1]
    const isWaiting = messages.some(({ name, place }) => name === `${copy}.md` && place === 'new')
    if (copy !== undefined && !isWaiting) broken.push(`a copy was not brought: ${path}`)
    const [, agent, file] = new RegExp(`^${state}/handed/([^/]+)/([^/]+)$`).exec(path) ?? []
    const isThere = messages.some((one) => one.agent === agent && one.name === file)
    if (file !== undefined && !isThere) broken.push(`a mark is left: ${path}`)
  }
  return broken
}

/**
 * `#CONTEXT`: what a session knows, as a file that another session can take up. Shared Agent Protocol §16. Files lie inside
 * the workspace and outside of what protocols keep; what is not as it should be is refused before anything changes.
 */
import { PlainYamlProblem } from '../../../formats/plain-yaml.ts'
import { isoTime } from '../../../kernel/clock.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import { isWithin } from '../../../kernel/tokenizer.ts'
import { childOf, isWithin as isBelow, type TreePath, treePath, treeRoot } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { home } from '../../../tree/home.ts'
import type { Entry, Tree } from '../../../tree/tree.ts'
import { ageOf } from '../checkpoints/answers.ts'
import { protocolVersion } from '../commands/table.ts'
import { type Context, countItems, parseContext, printContext } from '../context-file.ts'
import type { SessionId } from '../layout.ts'
import type { Session, Task } from '../record.ts'
import { quotedWord, Refusal } from '../refusal.ts'
import type { SessionSettings } from '../settings.ts'
import type { ExportedKind } from '../shape.ts'
import { taskIdOf } from '../tasks.ts'
import { knowsReference, referenceOf } from './kept.ts'
import type { SessionParts } from './parts.ts'
import { type Answer, type Handlers, notFound, type Speech, told } from './speech.ts'

const largestFile = 512 * 1024
const mostListed = 10
const contextEnding = '.ctx'
const mostTasks = 1000

export type Filter = 'all' | 'critical' | 'tasks' | 'state' | 'incremental'

export const contextHandlers: Handlers = {
  async 'CONTEXT:export'(speech) {
    const { given } = speech
    return (await exportContext(speech, given.filepath ?? '', given.filter as Filter | undefined)) ?? notFound
  },

  async 'CONTEXT:import'(speech) {
    const { parts, given } = speech
    const context = await readContext(parts, given.filepath ?? '')
    if (!context) return notFound
    await expectWithinLimits(parts, context)
    return given.mode === 'merge' ? merge(speech, context) : replaceAll(speech, context)
  },

  async 'CONTEXT:validate'({ parts, given }) {
    const context = await readContext(parts, given.filepath ?? '')
    if (!context) return notFound
    await expectWithinLimits(parts, context)
    const [major, minor] = context.version.split('.')
    const isKnown = await knowsCheckpoint(parts, context)
    return told(
      `valid:protocol v${major}.${minor}`,
      `git_checkpoint:${isKnown ? 'found' : 'unknown'}`,
      `items:${countItems(context)} compatible`,
    )
  },

  async 'CONTEXT:list'({ parts, given }) {
    const folder = await folderAt(parts, given.directory ?? parts.settings.contextFolder)
    const found = folder === treeRoot ? undefined : await parts.tree.look(folder)
    if (found && found.kind !== 'folder')
      throw new Refusal('E002', 'not_a_directory', `${folder} is no directory. #CONTEXT:validate looks at a file.`)
    const files = (await parts.tree.list(folder, { times: true })).filter(isContextFile)
    if (files.length === 0) return notFound
    const now = await parts.tree.now()
    const newest = files.sort((a, b) => b.modifiedAt - a.modifiedAt || (a.name < b.name ? -1 : 1))
    const left = files.length - mostListed
    return told(
      ...newest
        .slice(0, mostListed)
        .map(({ name, size, modifiedAt }) => `• ${name} (${ageOf(now - modifiedAt)}, ${sizeOf(size)})`),
      ...(left > 0 ? [`+${left} more`] : []),
    )
  },
}

const isContextFile = ({ name, kind }: Entry): boolean =>
  kind === 'leaf' && name.endsWith(contextEnding) && !name.startsWith('.')

/** What `#CONTEXT:list` finds. */
export async function contextFiles(tree: Tree, { contextFolder }: SessionSettings): Promise<TreePath[]> {
  const folder = treePath(contextFolder)
  return (await tree.list(folder)).filter(isContextFile).map(({ name }) => childOf(folder, name))
}

/** Above 90 %: named by date and time. What another session exported in the same minute stays as it is. */
export async function exportAutomatically(
  speech: Pick<Speech, 'parts' | 'id' | 'agent'>,
): Promise<{ readonly path: string; readonly answer: Answer }> {
  const now = await speech.parts.tree.now()
  for (let n = 1; ; n++) {
    const path = `./${automaticFile(speech.parts, now, n)}`
    const answer = await exportContext(speech, path, 'critical', { notOver: (other) => other !== speech.id })
    if (answer) return { path, answer }
  }
}

/** `undefined`: there is a context of a session that `notOver` names. */
async function exportContext(
  { parts, id, agent }: Pick<Speech, 'parts' | 'id' | 'agent'>,
  written: string,
  filter: Filter | undefined,
  { notOver }: { readonly notOver?: (session: string) => boolean } = {},
): Promise<Answer | undefined> {
  const path = await placeOf(parts, written)
  const session = await parts.documents.read(id)
  if (!session) return notFound
  const ref = await referenceOf(parts, id)
  const kinds = contained[filter ?? 'default']
  const isWanted = filter === 'incremental' ? await changesOf(parts, id, session) : () => true
  const context = contextOf(
    session,
    await parts.tree.now(),
    ref,
    (kind, name) => kinds.includes(kind) && isWanted(kind, name),
  )
  const text = printContext(context)
  let isOthers = false
  await changeLeaf(parts.tree, path, async (before) => {
    const other = before && (await contextIn(before.bytes))
    if (before && !other && !path.endsWith(contextEnding))
      throw new Refusal('E005', 'no_context_file', `${path} is there, and is no context file. It stays as it is.`)
    isOthers = other !== undefined && (notOver?.(other.session) ?? false)
    return isOthers ? undefined : Buffer.from(text)
  })
  if (isOthers) return undefined
  const upTo = Object.fromEntries(kinds.map((kind) => [kind, session.changes]))
  await parts.documents.change(id, { by: agent }, (now) => ({
    session: { ...now, exported: { ...exportsOf(now), ...upTo } },
    line: { did: 'CONTEXT:export', about: path, text: filter ?? 'default' },
    answer: undefined,
  }))
  const count = countItems(context)
  const first =
    filter === 'critical'
      ? `exported:${count} critical items`
      : `exported:${count} items (${sizeOf(Buffer.byteLength(text))})`
  return told(first, `git_ref:${ref ?? 'none'}`, `file:${written}`)
}

/** `undefined` for what is no context file. */
async function contextIn(bytes: Uint8Array): Promise<Context | undefined> {
  // Taking apart a few megabytes of YAML takes hundreds of them in memory.
  if (bytes.length > largestFile) return undefined
  try {
    return await parseContext(Buffer.from(bytes).toString())
  } catch (error) {
    if (error instanceof PlainYamlProblem) return undefined
    throw error
  }
}

/** §16, "Export Filters". Without one: everything but what is temporary. */
const contained: Readonly<Record<Filter | 'default', readonly ExportedKind[]>> = {
  default: ['persistent', 'tasks', 'configuration'],
  all: ['persistent', 'temporary', 'tasks', 'configuration'],
  critical: ['persistent', 'configuration'],
  tasks: ['tasks'],
  state: ['persistent', 'temporary'],
  incremental: ['persistent', 'temporary', 'tasks', 'configuration'],
}

type IsWanted = (kind: ExportedKind, name: string) => boolean

const exportsOf = ({ exported }: Session) =>
  typeof exported === 'object' ? exported : { persistent: 0, temporary: 0, tasks: 0, configuration: 0 }

/** What has changed since the last export that had things of its kind. */
async function changesOf({ documents }: SessionParts, id: SessionId, session: Session): Promise<IsWanted> {
  const upTo = exportsOf(session)
  const lines = await documents.log(id, Math.min(...Object.values(upTo)))
  const last = new Map<string, number>()
  let all = 0
  for (const { n, did, about } of lines) {
    // These change many things and name none.
    if (did === 'CONTEXT:import' || did === 'restore') all = n
    if (about !== undefined) last.set(about, n)
  }
  return (kind, name) => Math.max(all, last.get(name) ?? 0) > upTo[kind]
}

function contextOf(session: Session, now: number, ref: string | undefined, isWanted: IsWanted): Context {
  const state = (kind: 'persistent' | 'temporary') =>
    session.state
      .filter(({ key, persistent }) => persistent === (kind === 'persistent') && isWanted(kind, key))
      .map(({ key, value }) => [key, value] as const)
  const tasks = namedTasks(session.tasks).filter(({ id }) => isWanted('tasks', id))
  const inState = (...states: readonly Task['state'][]) => tasks.filter((task) => states.includes(task.state))
  return {
    version: protocolVersion,
    exported: isoTime(now),
    session: session.id,
    ...(ref === undefined ? {} : { gitCheckpoint: ref }),
    persistent: state('persistent'),
    temporary: state('temporary'),
    completed: inState('completed').map(({ name }) => name),
    inProgress: inState('in_progress').map(({ name, progress }) => [name, progress ?? '0%']),
    pending: inState('pending', 'failed').map(({ name }) => name),
    configuration: session.variables.filter(([name]) => isWanted('configuration', name)),
  }
}

/** `DevAgent:implement_auth`, so that whoever imports it knows whose it is; with its id where two are called the same. */
function namedTasks(tasks: readonly Task[]): (Task & { readonly name: string })[] {
  const seen = new Set<string>()
  return tasks.map((task) => {
    const plain = `${task.agent}:${task.task.split(/\r?\n/, 1)[0]!.slice(0, 400)}`
    const name = seen.has(plain) ? `${plain} (${task.id})` : plain
    seen.add(plain)
    return { ...task, name }
  })
}

async function readContext(parts: SessionParts, written: string): Promise<Context | undefined> {
  const path = await placeOf(parts, written)
  const leaf = await parts.tree.read(path, { atMost: largestFile })
  if (!leaf) return undefined
  if (leaf.size > largestFile)
    throw new Refusal('E002', 'file_too_large', `The file has ${leaf.size} bytes; ${largestFile} is the most.`)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(leaf.bytes)
  } catch {
    // A TypeError: the bytes are no UTF-8.
    throw new Refusal('E002', 'not_utf8', 'The file is not UTF-8.')
  }
  try {
    return await parseContext(text)
  } catch (error) {
    if (!(error instanceof PlainYamlProblem)) throw error
    throw new Refusal(
      'E002',
      `line_${error.line}_${quotedWord(error.message.replace(/[`"]/g, ''))}`,
      `Line ${error.line}: ${error.message}.`,
    )
  }
}

async function expectWithinLimits({ settings, tokenizer }: SessionParts, context: Context): Promise<void> {
  const { persistent, temporary, configuration } = context
  const keys = [...persistent, ...temporary]
  const twice = keys.find(([key], n) => keys.findIndex(([other]) => other === key) !== n)
  if (twice)
    throw new Refusal('E002', `key_twice_${twice[0]}`, `${twice[0]} is both persistent and temporary, with two values.`)
  if (keys.length > settings.mostKeys)
    throw new Refusal('E003', `max_keys_${settings.mostKeys}`, `The file has ${keys.length} keys.`)
  for (const [key, value] of keys) {
    if (!(await isWithin(value, settings.valueTokens, tokenizer)))
      throw new Refusal('E004', `max_value_${settings.valueTokens}_tokens`, `The value of ${key} is too long.`)
  }
  for (const [name, value] of configuration) {
    if (!(await isWithin(value, settings.variableTokens, tokenizer)))
      throw new Refusal('E004', `max_variable_${settings.variableTokens}_tokens`, `The value of ${name} is too long.`)
  }
  if (context.completed.length + context.inProgress.length + context.pending.length > mostTasks)
    throw new Refusal('E003', `max_tasks_${mostTasks}`, 'The file has too many tasks.')
}

const knowsCheckpoint = async (parts: SessionParts, { gitCheckpoint }: Context): Promise<boolean> =>
  gitCheckpoint !== undefined && (await knowsReference(parts, gitCheckpoint))

/** Replaces state, tasks and configuration by those of the file. */
async function replaceAll({ parts, id, agent, given }: Speech, context: Context): Promise<Answer> {
  const isKnown = await knowsCheckpoint(parts, context)
  return parts.documents.change(id, { by: agent }, (session, at) => {
    const { tasks, lastTask } = tasksOf(context, session.lastTask, agent, at)
    const state = stateOf(context, agent, at)
    return {
      session: { ...session, state, tasks, lastTask, variables: context.configuration, depends: [] },
      line: { did: 'CONTEXT:import', about: given.filepath ?? '' },
      answer: told(
        isKnown ? `validated:git_ref:${context.gitCheckpoint}` : 'git_ref:unknown',
        `imported:${countItems(context)} items`,
        `tasks:${context.inProgress.length} active, ${context.pending.length} pending`,
        'ready to resume',
      ),
    }
  })
}

async function merge({ parts, id, agent, given }: Speech, context: Context): Promise<Answer> {
  return parts.documents.change(id, { by: agent }, (session, at) => {
    const state = merged(
      session.state,
      stateOf(context, agent, at),
      ({ key }) => key,
      ({ value, persistent }) => `${persistent} ${value}`,
    )
    if (state.all.length > parts.settings.mostKeys)
      throw new Refusal('E003', `max_keys_${parts.settings.mostKeys}`, `Together these are ${state.all.length} keys.`)
    const made = tasksOf(context, session.lastTask, agent, at)
    const own = ({ agent: whose, task }: Task) => `${whose}:${task}`
    const tasks = mergedTasks(session.tasks, made.tasks, own)
    const variables = merged(
      session.variables,
      context.configuration,
      ([name]) => name,
      ([, value]) => value,
    )
    const [isNew, isUpdated] = (['added', 'updated'] as const).map(
      (what) => state[what] + tasks[what] + variables[what],
    )
    return {
      session: { ...session, state: state.all, tasks: tasks.all, lastTask: made.lastTask, variables: variables.all },
      line: { did: 'CONTEXT:import', about: given.filepath ?? '', text: 'merge' },
      answer: told(`merged:${isNew} new items`, `updated:${isUpdated} existing items`),
    }
  })
}

interface Merged<T> {
  readonly all: readonly T[]
  readonly added: number
  readonly updated: number
}

function merged<T>(
  before: readonly T[],
  come: readonly T[],
  nameOf: (one: T) => string,
  saysOf: (one: T) => string,
): Merged<T> {
  const byName = new Map(before.map((one) => [nameOf(one), one]))
  let [added, updated] = [0, 0]
  for (const one of come) {
    const old = byName.get(nameOf(one))
    if (old === undefined) added++
    else if (saysOf(old) !== saysOf(one)) updated++
    else continue
    byName.set(nameOf(one), one)
  }
  return { all: [...byName.values()], added, updated }
}

/** A task that is here already keeps its id and its history. */
function mergedTasks(before: readonly Task[], come: readonly Task[], nameOf: (task: Task) => string): Merged<Task> {
  const kept = come.map((task) => {
    const old = before.find((one) => nameOf(one) === nameOf(task))
    if (!old) return task
    const { state, progress, changedAt } = task
    return old.state === state && (old.progress ?? '0%') === (progress ?? '0%')
      ? old
      : { ...old, state, changedAt, ...(progress === undefined ? {} : { progress }) }
  })
  return merged(
    before,
    kept,
    ({ id }) => id,
    ({ state, progress }) => `${state} ${progress}`,
  )
}

const stateOf = ({ persistent, temporary }: Context, by: string, at: number): Session['state'] => [
  ...persistent.map(([key, value]) => ({ key, value, persistent: true, at, by })),
  ...temporary.map(([key, value]) => ({ key, value, persistent: false, at, by })),
]

function tasksOf(context: Context, last: number, by: string, at: number) {
  let lastTask = last
  const make = (name: string, state: Task['state'], progress?: string): Task => {
    const [, agent = by, task = name] = /^([A-Za-z0-9][A-Za-z0-9._-]{0,63}):(.+)$/.exec(name) ?? []
    return {
      id: taskIdOf(++lastTask),
      agent,
      task,
      priority: 2,
      state,
      by,
      at,
      changedAt: at,
      attempts: 0,
      ...(progress === undefined ? {} : { progress }),
    }
  }
  const tasks = [
    ...context.completed.map((name) => make(name, 'completed')),
    ...context.inProgress.map(([name, progress]) => make(name, 'in_progress', progress)),
    ...context.pending.map((name) => make(name, 'pending')),
  ]
  return { tasks, lastTask }
}

/** A path as people write one, inside the workspace and outside of what protocols and git keep. */
async function placeOf(parts: SessionParts, written: string): Promise<TreePath> {
  const path = inside(written)
  const kept = [home, treePath('.git'), ...((await parts.ports.messagePlaces?.()) ?? [])]
  const where = kept.find((folder) => isBelow(path, folder))
  if (where !== undefined)
    throw new Refusal('E005', `kept_folder_${quotedWord(where)}`, `${where} is not for context files.`)
  return path
}

async function folderAt(parts: SessionParts, written: string): Promise<TreePath> {
  const plain = written.replace(/^\.\/?/, '').replace(/\/+$/, '')
  return plain === '' ? treeRoot : placeOf(parts, plain)
}

function inside(written: string): TreePath {
  try {
    const path = treePath(written.replace(/^(?:\.\/)+/, ''))
    if (path !== treeRoot) return path
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
  }
  throw new Refusal('E002', 'bad_path', 'A path lies inside the workspace, such as ./context/final.ctx.')
}

const sizeOf = (bytes: number): string => `${(bytes / 1000).toFixed(1)}k`

/** Where an automatic export goes: `context/auto_20240115_1430.ctx`. */
function automaticFile({ settings }: SessionParts, now: number, n: number): TreePath {
  const [day = '', time = ''] = isoTime(now).split('T')
  const stem = `auto_${day.replaceAll('-', '')}_${time.slice(0, 5).replace(':', '')}`
  return childOf(treePath(settings.contextFolder), `${stem}${n > 1 ? `_${n}` : ''}${contextEnding}`)
}

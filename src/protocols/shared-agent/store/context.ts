/** `#CONTEXT`: what a session knows, as a file that another session can take up. Shared Agent Protocol §16. */
import { PlainYamlProblem } from '../../../formats/plain-yaml.ts'
import { isoTime } from '../../../kernel/clock.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import { isWithin } from '../../../kernel/tokenizer.ts'
import { childOf, isWithin as isBelow, type TreePath, treePath, treeRoot } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { home } from '../../../tree/home.ts'
import type { Entry, Tree } from '../../../tree/tree.ts'
import { ageOf } from '../checkpoints/answers.ts'
import { withRest } from '../commands/limits.ts'
import { protocolVersion } from '../commands/table.ts'
import { type Context, countItems, parseContext, printContext } from '../context-file.ts'
import type { SessionId } from '../layout.ts'
import type { Session, Task } from '../record.ts'
import { quotedWord, Refusal } from '../refusal.ts'
import type { SessionSettings } from '../settings.ts'
import type { ExportedKind } from '../shape.ts'
import { newTask, withNewTask } from '../tasks.ts'
import { knowsReference, referenceOf } from './kept.ts'
import type { SessionParts } from './parts.ts'
import { type CommandAnswer, type Handlers, notFound, type Speech, told } from './speech.ts'

const largestFile = 512 * 1024
const mostListed = 10
const contextEnding = '.ctx'
const mostTasks = 1000

export const contextHandlers: Handlers = {
  async 'CONTEXT:export'(speech) {
    const { given } = speech
    return (await exportContext(speech, given.filepath ?? '', given.filter as Filter)) ?? notFound
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
    const isKnown = await knowsReference(parts, context.gitCheckpoint)
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
    const shown = newest
      .slice(0, mostListed)
      .map(({ name, size, modifiedAt }) => `• ${name} (${ageOf(now - modifiedAt)}, ${sizeOf(size)})`)
    return told(...withRest(shown, files.length))
  },
}

const isContextFile = ({ name, kind }: Entry): boolean =>
  kind === 'leaf' && name.endsWith(contextEnding) && !name.startsWith('.')

/** What `#CONTEXT:list` finds. */
export async function contextFiles(tree: Tree, { contextFolder }: SessionSettings): Promise<TreePath[]> {
  const folder = treePath(contextFolder)
  return (await tree.list(folder)).filter(isContextFile).map(({ name }) => childOf(folder, name))
}

/** For a context of which more than 90 % is used. Named by date and time; never overwrites the file of another session. */
export async function exportAutomatically(
  speech: Pick<Speech, 'parts' | 'id' | 'agent'>,
): Promise<{ readonly path: string; readonly answer: CommandAnswer }> {
  const now = await speech.parts.tree.now()
  for (let n = 1; ; n++) {
    const path = `./${automaticFile(speech.parts, now, n)}`
    const answer = await exportContext(speech, path, 'critical', (other) => other !== speech.id)
    if (answer) return { path, answer }
  }
}

/** `undefined`: the file is the context of a session that `notOver` protects. */
async function exportContext(
  { parts, id, agent }: Pick<Speech, 'parts' | 'id' | 'agent'>,
  written: string,
  filter: Filter = 'default',
  notOver: (session: string) => boolean = () => false,
): Promise<CommandAnswer | undefined> {
  const path = await placeOf(parts, written)
  const session = await parts.documents.read(id)
  if (!session) return notFound
  const ref = await referenceOf(parts, id)
  const kinds: readonly ExportedKind[] = contained[filter]
  const isWanted = filter === 'incremental' ? await changesOf(parts, id, session) : () => true
  const isExported: IsWanted = (kind, name) => kinds.includes(kind) && isWanted(kind, name)
  const context = contextOf(session, await parts.tree.now(), ref, isExported)
  const text = printContext(context)
  let isOthers = false
  await changeLeaf(parts.tree, path, async (before) => {
    const other = before && (await contextIn(before.bytes))
    if (before && !other && !path.endsWith(contextEnding))
      throw new Refusal('E005', 'no_context_file', `${path} is there, and is no context file. It stays as it is.`)
    isOthers = other !== undefined && notOver(other.session)
    return isOthers ? undefined : Buffer.from(text)
  })
  if (isOthers) return undefined
  const upTo = Object.fromEntries(kinds.map((kind) => [kind, session.changes]))
  await parts.documents.change(id, { by: agent }, (now) => ({
    session: { ...now, exported: { ...exportsOf(now), ...upTo } },
    line: { did: 'CONTEXT:export', about: path, text: filter },
    answer: undefined,
  }))
  const count = countItems(context)
  const what = filter === 'critical' ? 'critical items' : `items (${sizeOf(Buffer.byteLength(text))})`
  return told(`exported:${count} ${what}`, `git_ref:${ref ?? 'none'}`, `file:${written}`)
}

/** `undefined` for bytes that are no context. */
async function contextIn(bytes: Uint8Array): Promise<Context | undefined> {
  // Parsing a few megabytes of YAML takes hundreds of megabytes of memory.
  if (bytes.length > largestFile) return undefined
  try {
    return await parseContext(Buffer.from(bytes).toString())
  } catch (error) {
    if (error instanceof PlainYamlProblem) return undefined
    throw error
  }
}

/** §16, "Export Filters". Without one: everything but what is temporary. */
const contained = {
  default: ['persistent', 'tasks', 'configuration'],
  all: ['persistent', 'temporary', 'tasks', 'configuration'],
  critical: ['persistent', 'configuration'],
  tasks: ['tasks'],
  state: ['persistent', 'temporary'],
  incremental: ['persistent', 'temporary', 'tasks', 'configuration'],
} as const satisfies Readonly<Record<string, readonly ExportedKind[]>>
type Filter = keyof typeof contained

type IsWanted = (kind: ExportedKind, name: string) => boolean

const exportsOf = ({ exported }: Session) =>
  typeof exported === 'object' ? exported : { persistent: 0, temporary: 0, tasks: 0, configuration: 0 }

/** What has changed since the last export of its kind. */
async function changesOf({ documents }: SessionParts, id: SessionId, session: Session): Promise<IsWanted> {
  const upTo = exportsOf(session)
  const lines = await documents.log(id, Math.min(...Object.values(upTo)))
  const last = new Map<string, number>()
  let all = 0
  for (const { n, did, about } of lines) {
    // These change many things, and their lines name none of them.
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

/** `DevAgent:implement_auth`, so that an import knows whose it is; with its id where two are called the same. */
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
    const { line, message } = error
    const description = `line_${line}_${quotedWord(message.replace(/[`"]/g, ''))}`
    throw new Refusal('E002', description, `Line ${line}: ${message}.`)
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
  const expectShort = async (what: string, entries: Context['persistent'], most: number) => {
    for (const [name, value] of entries)
      if (!(await isWithin(value, most, tokenizer)))
        throw new Refusal('E004', `max_${what}_${most}_tokens`, `The value of ${name} is too long.`)
  }
  await expectShort('value', keys, settings.valueTokens)
  await expectShort('variable', configuration, settings.variableTokens)
  if (context.completed.length + context.inProgress.length + context.pending.length > mostTasks)
    throw new Refusal('E003', `max_tasks_${mostTasks}`, 'The file has too many tasks.')
}

/** Replaces state, tasks and configuration by those of the file. */
async function replaceAll({ parts, id, agent, given }: Speech, context: Context): Promise<CommandAnswer> {
  const isKnown = await knowsReference(parts, context.gitCheckpoint)
  return parts.documents.change(id, { by: agent }, (session, at) => {
    const empty = { ...session, tasks: [], depends: [], variables: context.configuration }
    return {
      session: { ...withTasksOf(context, empty, agent, at), state: stateOf(context, agent, at) },
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

async function merge({ parts, id, agent, given }: Speech, context: Context): Promise<CommandAnswer> {
  return parts.documents.change(id, { by: agent }, (session, at) => {
    const state = merged(session.state, stateOf(context, agent, at), {
      isSame: (old, one) => old.key === one.key,
      updated: (old, one) => (old.value === one.value && old.persistent === one.persistent ? undefined : one),
    })
    if (state.all.length > parts.settings.mostKeys)
      throw new Refusal('E003', `max_keys_${parts.settings.mostKeys}`, `Together these are ${state.all.length} keys.`)
    const made = withTasksOf(context, { ...session, tasks: [] }, agent, at)
    const tasks = merged(session.tasks, made.tasks, {
      isSame: (old, one) => old.agent === one.agent && old.task === one.task,
      // A task that is here already keeps its id and its history.
      updated: (old, { state, progress, changedAt }) =>
        old.state === state && (old.progress ?? '0%') === (progress ?? '0%')
          ? undefined
          : { ...old, state, changedAt, ...(progress === undefined ? {} : { progress }) },
    })
    const variables = merged(session.variables, context.configuration, {
      isSame: ([old], [name]) => old === name,
      updated: (old, one) => (old[1] === one[1] ? undefined : one),
    })
    const count = (what: 'added' | 'changed') => state[what] + tasks[what] + variables[what]
    return {
      session: { ...made, state: state.all, tasks: tasks.all, variables: variables.all },
      line: { did: 'CONTEXT:import', about: given.filepath ?? '', text: 'merge' },
      answer: told(`merged:${count('added')} new items`, `updated:${count('changed')} existing items`),
    }
  })
}

interface Merging<T> {
  isSame(old: T, one: T): boolean
  /** `undefined`: nothing differs. */
  updated(old: T, one: T): T | undefined
}

function merged<T>(before: readonly T[], come: readonly T[], { isSame, updated }: Merging<T>) {
  const all = [...before]
  let [added, changed] = [0, 0]
  for (const one of come) {
    const at = before.findIndex((old) => isSame(old, one))
    const next = at < 0 ? one : updated(all[at]!, one)
    if (next === undefined) continue
    if (at < 0) added = all.push(one) - before.length
    else {
      all[at] = next
      changed++
    }
  }
  return { all, added, changed }
}

const stateOf = ({ persistent, temporary }: Context, by: string, at: number): Session['state'] => [
  ...persistent.map(([key, value]) => ({ key, value, persistent: true, at, by })),
  ...temporary.map(([key, value]) => ({ key, value, persistent: false, at, by })),
]

/** The session with the tasks of a context added, each with a number of its own. */
function withTasksOf({ completed, inProgress, pending }: Context, session: Session, by: string, at: number): Session {
  const tasks: readonly (readonly [name: string, more: Partial<Task>])[] = [
    ...completed.map((name) => [name, { state: 'completed' }] as const),
    ...inProgress.map(([name, progress]) => [name, { state: 'in_progress', progress }] as const),
    ...pending.map((name) => [name, {}] as const),
  ]
  return tasks.reduce((now, [name, more]) => {
    const [, agent = by, task = name] = /^([A-Za-z0-9][A-Za-z0-9._-]{0,63}):(.+)$/.exec(name) ?? []
    return withNewTask(now, { ...newTask(now, at), agent, task, priority: 2, by, ...more })
  }, session)
}

/** Checks a path that a person wrote: inside the workspace, and outside of the folders of protocols and git. */
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

/** A context file: the YAML of Shared Agent Protocol §16, and back. Pure. */
import {
  type PlainEntry,
  type PlainNode,
  PlainYamlProblem,
  readPlainYaml,
  textAt,
  yamlText,
} from '../../formats/plain-yaml.ts'
import { isoTime } from '../../kernel/clock.ts'
import { isKey, isVariableName } from './names.ts'

/** What a session takes along into another. */
export interface Context {
  readonly version: string
  readonly exported: string
  readonly session: string
  readonly gitCheckpoint?: string
  readonly persistent: readonly Pair[]
  readonly temporary: readonly Pair[]
  readonly completed: readonly string[]
  /** A task, and how far it is. */
  readonly inProgress: readonly Pair[]
  readonly pending: readonly string[]
  readonly configuration: readonly Pair[]
}
type Pair = readonly [name: string, value: string]

/** State keys, tasks and configuration entries. */
export const countItems = ({ persistent, temporary, completed, inProgress, pending, configuration }: Context): number =>
  [persistent, temporary, completed, inProgress, pending, configuration].flat().length

export function printContext(context: Context): string {
  const { version, exported, session, gitCheckpoint, persistent, temporary, completed, inProgress, pending } = context
  const checkpoint = gitCheckpoint === undefined ? [] : [`git_checkpoint: ${JSON.stringify(gitCheckpoint)}`]
  const state = [...mapLines('persistent', persistent, 2), ...mapLines('temporary', temporary, 2)]
  const tasks = [
    ...listLine('completed', completed),
    ...mapLines('in_progress', inProgress, 2),
    ...listLine('pending', pending),
  ]
  const parts = [
    [`version: ${version}`, `exported: ${exported}`, `session_id: ${yamlText(session)}`, ...checkpoint],
    state.length > 0 ? ['state:', ...state] : [],
    tasks.length > 0 ? ['tasks:', ...tasks] : [],
    mapLines('configuration', context.configuration, 0),
  ]
  const printed = parts.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'))
  return `${printed.join('\n\n')}\n`
}

function mapLines(name: string, entries: readonly Pair[], indent: number): string[] {
  if (entries.length === 0) return []
  const [outer, inner] = [' '.repeat(indent), ' '.repeat(indent + 2)]
  return [`${outer}${name}:`, ...entries.map(([key, value]) => `${inner}${yamlText(key)}: ${yamlText(value)}`)]
}

const listLine = (name: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : [`  ${name}: [${items.map(yamlText).join(', ')}]`]

/** Throws `PlainYamlProblem`, with the line, for what is no context of our major version. */
export async function parseContext(text: string): Promise<Context> {
  const top = await readPlainYaml(text.replace(/^\ufeff/, ''))
  const known = ['version', 'exported', 'session_id', 'git_checkpoint', 'state', 'tasks', 'configuration']
  const fields = mapOf(top, 'the file', known)
  const versionAt = fields.get('version')
  const version = textAt(versionAt)
  if (version === undefined) throw new PlainYamlProblem(versionAt?.line ?? top.line, '`version` is missing')
  const [major, minor] = version.split('.').map(Number)
  if (!/^\d+\.\d+\.\d+$/.test(version) || major !== 1 || minor! > 1)
    throw new PlainYamlProblem(versionAt!.line, `version ${version.slice(0, 40)} is not one of 1.0 and 1.1`)
  const state = innerMap(fields.get('state'), 'state', ['persistent', 'temporary'])
  const tasks = innerMap(fields.get('tasks'), 'tasks', ['completed', 'in_progress', 'pending'])
  const gitCheckpoint = textAt(fields.get('git_checkpoint'))
  const persistent = pairsOf(state.get('persistent'), 'a key', isKey)
  const temporary = pairsOf(state.get('temporary'), 'a key', isKey)
  return {
    version,
    exported: textAt(fields.get('exported')) ?? isoTime(0),
    session: textAt(fields.get('session_id')) ?? '',
    ...(gitCheckpoint === undefined ? {} : { gitCheckpoint }),
    persistent,
    // The example of §16 has a key in both, with one value: it is one key, and lasts.
    temporary: temporary.filter(([key, value]) => !persistent.some((one) => one[0] === key && one[1] === value)),
    completed: textsOf(tasks.get('completed')),
    inProgress: pairsOf(tasks.get('in_progress'), 'a task', isOneLine),
    pending: textsOf(tasks.get('pending')),
    configuration: pairsOf(fields.get('configuration'), 'a variable', isVariableName),
  }
}

type Fields = ReadonlyMap<string, PlainEntry>

function mapOf(node: PlainNode, what: string, known?: readonly string[]): Fields {
  if (node.kind !== 'map') throw new PlainYamlProblem(node.line, `${what} is not a list of \`key: value\` lines`)
  const odd = known && node.entries.find(({ key }) => !known.includes(key))
  if (odd) throw new PlainYamlProblem(odd.line, `${JSON.stringify(odd.key.slice(0, 80))} is not known in ${what}`)
  return new Map(node.entries.map((entry) => [entry.key, entry]))
}

const innerMap = (entry: PlainEntry | undefined, what: string, known?: readonly string[]): Fields =>
  !entry || entry.value.kind === 'absent' ? new Map() : mapOf(entry.value, `\`${what}\``, known)

const isOneLine = (text: string): boolean => text !== '' && text.length <= 1000 && !/[\u0000-\u001f\u007f]/.test(text)

function pairsOf(entry: PlainEntry | undefined, what: string, isName: (text: string) => boolean) {
  return [...innerMap(entry, entry?.key ?? '')].map(([name, { value, line }]) => {
    if (!isName(name))
      throw new PlainYamlProblem(line, `${JSON.stringify(name.slice(0, 80))} is not the name of ${what}`)
    if (value.kind === 'map' || value.kind === 'list')
      throw new PlainYamlProblem(line, 'a value is one text; nested values are not')
    const text = value.kind === 'text' ? value.text : ''
    if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text))
      throw new PlainYamlProblem(line, 'a value has no control characters')
    return [name, text] as const
  })
}

function textsOf(entry: PlainEntry | undefined): readonly string[] {
  if (!entry || entry.value.kind === 'absent') return []
  if (entry.value.kind !== 'list') throw new PlainYamlProblem(entry.line, `\`${entry.key}\` must be a list`)
  return entry.value.items.map((item) => {
    if (item.kind !== 'text' || !isOneLine(item.text))
      throw new PlainYamlProblem(item.line, 'a task is one line of text')
    return item.text
  })
}

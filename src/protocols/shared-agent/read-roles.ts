/** Reads `.signalbox/session.yaml`. A mistake is reported with its line, and disables only the role or command that it is in. */
import { type PlainEntry, type PlainNode, PlainYamlProblem, readPlainYaml, textAt } from '../../formats/plain-yaml.ts'
import { invalidInput, type SignalboxError } from '../../kernel/errors.ts'
import { withoutUndefined } from '../../kernel/field.ts'
import { nearest } from '../../kernel/nearest.ts'
import { type CommandSpec, categories, type LimitKind, type Parameter, wordsOf } from './commands/spec.ts'
import { commands } from './commands/table.ts'
import { isAgentName } from './names.ts'
import type { RolesFile } from './ports.ts'
import type { Mistake, Role, Roles } from './roles.ts'

const limits: readonly LimitKind[] = ['fixed', 'status', 'summary', 'list', 'error']

/** `carriers`: the protocols that can carry a task; without them any word will do. */
export async function readRoles(file: RolesFile, carriers?: readonly string[]): Promise<Roles> {
  const mistakes: Mistake[] = []
  const attempt = <T>(of: Omit<Mistake, 'error'>, read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof PlainYamlProblem)) throw error
      mistakes.push({ ...of, error: badConfiguration(file, error) })
      return undefined
    }
  }
  const top = await readPlainYaml(file.text).catch((error: unknown) => attempt({}, () => raise(error)))
  if (top === undefined || top.kind === 'absent') return { roles: [], commands: [], mistakes }
  const fields = attempt({}, () => fieldsOf(top, 'the file', ['roles', 'commands'])) ?? new Map<string, PlainEntry>()
  const entriesOf = (key: string) => attempt({}, () => entriesAt(fields.get(key))) ?? []
  const roles = entriesOf('roles').flatMap(
    (entry) => attempt({ role: entry.key }, () => readRole(entry, carriers)) ?? [],
  )
  const added: CommandSpec[] = []
  for (const entry of entriesOf('commands')) {
    const spec = attempt({ command: entry.key }, () => readCommand(entry, [...commands, ...added]))
    if (spec) added.push(spec)
  }
  return { roles, commands: added, mistakes }
}

const raise = (error: unknown): never => {
  throw error
}

const badConfiguration = (file: RolesFile, { line, message }: PlainYamlProblem): SignalboxError =>
  invalidInput('BAD_CONFIGURATION', `${file.path}:${line}: ${message}.`, {
    hint: 'Correct that line. The guide shows what can stand there: docs/guide/sessions.md',
    details: { file: file.path, line },
  })

function readRole({ key: name, line, value }: PlainEntry, carriers: readonly string[] | undefined): Role {
  if (!isAgentName(name))
    throw new PlainYamlProblem(line, `${JSON.stringify(name.slice(0, 80))} is not the name of an agent`)
  const fields = fieldsOf(value, `the role ${name}`, ['program', 'via', 'to', 'place', 'seconds'])
  const program = listAt(fields.get('program'))
  const via = textAt(fields.get('via'))
  if ((program === undefined) === (via === undefined))
    throw new PlainYamlProblem(line, `the role ${name} needs either a \`program\` or a \`via\``)
  if (via !== undefined && carriers) expectOneOf(via, carriers, 'via', fields.get('via')!.line)
  if (program?.length === 0 || program?.[0] === '')
    throw new PlainYamlProblem(line, `the program of ${name} has no name`)
  const seconds = numberAt(fields.get('seconds'))
  const [to, place] = [textAt(fields.get('to')), textAt(fields.get('place'))]
  return { name, ...withoutUndefined({ program, via, to, place, seconds }) }
}

/** §9: no conflicts, the naming convention, documented parameters, an answer with a limit, help. */
function readCommand({ key: name, line, value }: PlainEntry, known: readonly CommandSpec[]): CommandSpec {
  if (!/^[A-Z][A-Z0-9_]{0,31}(?::[a-z][a-z0-9-]{0,31})?$/.test(name))
    throw new PlainYamlProblem(line, `${JSON.stringify(name.slice(0, 80))} is no name such as DEPLOY or DEPLOY:start`)
  const [head] = wordsOf({ name })
  const isTaken = known.some((one) => one.name === name || (wordsOf(one)[0] === head && one.says === undefined))
  if (isTaken) throw new PlainYamlProblem(line, `#${head} is there already`)
  const fields = fieldsOf(value, name, ['parameters', 'category', 'says', 'limit', 'help', 'example', 'deprecated'])
  const needed = (field: string): string => {
    const text = textAt(fields.get(field))
    if (text === undefined || text === '')
      throw new PlainYamlProblem(fields.get(field)?.line ?? line, `${name} needs \`${field}\``)
    return text
  }
  const category = textAt(fields.get('category')) ?? 'core'
  const [limit, help, says] = [needed('limit'), needed('help'), needed('says')]
  expectOneOf(limit, limits, 'limit', fields.get('limit')!.line)
  expectOneOf(category, categories, 'category', fields.get('category')?.line ?? line)
  const listed = fields.get('parameters')
  const parameters = (listAt(listed) ?? []).map((one) => parameterOf(one, listed!.line))
  const replacement = textAt(fields.get('deprecated'))
  return {
    name,
    parameters,
    category: category as CommandSpec['category'],
    answer: says,
    limit: limit as LimitKind,
    brief: help,
    help,
    example: textAt(fields.get('example')) ?? `#${name}${parameters.map((one) => `:${one.name}`).join('')}`,
    says,
    ...(replacement === undefined ? {} : { deprecated: { replacement } }),
  }
}

function parameterOf(name: string, line: number): Parameter {
  if (/^[a-z][a-z0-9_]{0,31}$/.test(name)) return { name, kind: 'text' }
  throw new PlainYamlProblem(line, `${JSON.stringify(name.slice(0, 80))} is no name of a parameter: use small letters`)
}

function expectOneOf(text: string, known: readonly string[], what: string, line: number): void {
  if (known.includes(text)) return
  throw new PlainYamlProblem(line, `\`${what}\` is one of ${known.join(', ')}${didYouMean(text, known)}`)
}

function didYouMean(text: string, known: readonly string[]): string {
  const meant = nearest(text, known)
  return meant ? `; did you mean ${meant}?` : ''
}

function fieldsOf(node: PlainNode, what: string, known: readonly string[]): ReadonlyMap<string, PlainEntry> {
  if (node.kind !== 'map') throw new PlainYamlProblem(node.line, `${what} is not a list of \`key: value\` lines`)
  const odd = node.entries.find(({ key }) => !known.includes(key))
  if (!odd) return new Map(node.entries.map((entry) => [entry.key, entry]))
  const shown = JSON.stringify(odd.key.slice(0, 80))
  throw new PlainYamlProblem(odd.line, `unknown key ${shown} in ${what}${didYouMean(odd.key, known)}`)
}

function entriesAt(entry: PlainEntry | undefined): readonly PlainEntry[] {
  if (!entry || entry.value.kind === 'absent') return []
  if (entry.value.kind !== 'map')
    throw new PlainYamlProblem(entry.line, `\`${entry.key}\` is not a list of \`name:\` lines`)
  return entry.value.entries
}

function listAt(entry: PlainEntry | undefined): readonly string[] | undefined {
  if (!entry || entry.value.kind === 'absent') return undefined
  if (entry.value.kind !== 'list')
    throw new PlainYamlProblem(entry.line, `\`${entry.key}\` must be a list, such as [a, b]`)
  return entry.value.items.map((item) => {
    if (item.kind !== 'text') throw new PlainYamlProblem(item.line, 'an item must be one text')
    return item.text
  })
}

function numberAt(entry: PlainEntry | undefined): number | undefined {
  const text = textAt(entry)
  if (text === undefined) return undefined
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1 || Number(text) > 86_400)
    throw new PlainYamlProblem(entry!.line, `\`${entry!.key}\` is a whole number of seconds from 1 to 86400`)
  return Number(text)
}

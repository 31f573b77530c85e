/**
 * What people write about agents, one file each, to be read, edited and committed: `.signalbox/agents/NAME.yaml`.
 *
 *   home: acmq:shop              where it reads: a protocol and, where that has some, a mission or session
 *   client: gemini               the program it runs in
 *   about: designs schemas
 *   key: age1…                   its public key
 *   names:                       what it is called where its name does not fit, by protocol; or a list of further names
 *     circe: Gemini_1
 */
import { corrupt, SignalboxError } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { printableLine } from '../../kernel/printable.ts'
import type { TreePath } from '../../kernel/tree-path.ts'
import { type Home, parseHome } from './directory.ts'

export interface Listing {
  readonly home?: Home
  readonly client?: string
  readonly about?: string
  readonly key?: string
  /** Its names in protocols, by their short names. */
  readonly nameIn: Readonly<Record<string, string>>
  /** Every other name that means this agent. */
  readonly otherNames: readonly string[]
}

const fields = ['home', 'client', 'about', 'key', 'names'] as const

/** Throws `BAD_AGENT_FILE` with the line, the reason and a hint. */
export async function parseListing(text: string, path: TreePath): Promise<Listing> {
  const { readHeaderYaml } = await import('../../formats/header-yaml.ts')
  const values = yamlIn(() => readHeaderYaml(text, 1), path)
  const lines = text.split('\n')
  const fail = (key: string, reason: string, hint: string) => {
    const line = lines.findIndex((one) => one.trimStart().startsWith(`${key}:`)) + 1
    return badAgentFile(path, line, reason, hint)
  }
  for (const key of values.keys()) {
    if ((fields as readonly string[]).includes(key)) continue
    const meant = nearest(key, fields)
    const hint = meant === undefined ? `It may have ${fields.join(', ')}.` : `Did you mean \`${meant}\`?`
    throw fail(key, `\`${key}\` means nothing here`, hint)
  }
  const textAt = (key: string): string | undefined => {
    const value = values.get(key)?.value
    if (value === undefined || value === null) return undefined
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
    throw fail(key, `\`${key}\` is no text`, `Write one line: ${key}: …`)
  }
  const homeText = textAt('home')
  const home = homeText === undefined ? undefined : parseHome(homeText)
  if (homeText !== undefined && !home)
    throw fail('home', `\`${homeText}\` is no home`, 'Write a protocol, or a protocol and a place: home: acmq:shop')
  const { nameIn, otherNames } = namesFrom(values.get('names')?.value, () =>
    fail(
      'names',
      '`names` is neither a list of names nor one name for each protocol',
      'Write: names: { circe: Gemini_1 }',
    ),
  )
  const [client, about, key] = [textAt('client'), textAt('about'), textAt('key')]
  return {
    ...(home ? { home } : {}),
    ...(client === undefined ? {} : { client }),
    ...(about === undefined ? {} : { about }),
    ...(key === undefined ? {} : { key }),
    nameIn,
    otherNames,
  }
}

function namesFrom(value: unknown, fail: () => SignalboxError): Pick<Listing, 'nameIn' | 'otherNames'> {
  if (value === undefined || value === null) return { nameIn: {}, otherNames: [] }
  const isText = (one: unknown): one is string => typeof one === 'string' && one !== ''
  if (Array.isArray(value)) {
    if (!value.every(isText)) throw fail()
    return { nameIn: {}, otherNames: value }
  }
  const byProtocol = value instanceof Map ? [...value] : undefined
  if (!byProtocol?.every(([, name]) => isText(name))) throw fail()
  return { nameIn: Object.fromEntries(byProtocol), otherNames: byProtocol.map(([, name]) => name) }
}

function yamlIn<T>(read: () => T, path: TreePath): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    const { line, reason } = error.details as { readonly line?: number; readonly reason?: string }
    throw badAgentFile(path, line ?? 1, reason ?? 'it is no YAML', 'Write plain `key: value` lines.')
  }
}

const badAgentFile = (path: TreePath, line: number, reason: string, hint: string): SignalboxError =>
  corrupt('BAD_AGENT_FILE', `${path}, line ${Math.max(1, line)}: ${printableLine(reason.slice(0, 200))}.`, {
    hint,
    details: { path, line: Math.max(1, line) },
  })

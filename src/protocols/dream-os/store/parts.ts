/** What everything in this folder works with. */
import type { Clock } from '../../../kernel/clock.ts'
import { corrupt, SignalboxError } from '../../../kernel/errors.ts'
import type { Problem } from '../../../kernel/problem.ts'
import { childOf, isSegment, type TreePath } from '../../../kernel/tree-path.ts'
import type { AgentDirectory } from '../../../messaging/agents/directory.ts'
import { isUnread, readOrSayWhy } from '../../../messaging/leaves/readable.ts'
import { listIfFolder } from '../../../messaging/leaves/tolerant.ts'
import type { Entry, Leaf, Tree } from '../../../tree/tree.ts'
import { readJsonText } from '../json-text.ts'
import { type Folder, folderPath, isMessageName, type Places } from '../layout.ts'
import type { AgentId } from '../names.ts'
import type { DreamPorts } from '../ports.ts'
import { problemText } from '../problem.ts'
import { isObject } from '../schema.ts'
import type { DreamSettings } from '../settings.ts'
import type { Dream } from './dream.ts'

export interface DreamParts {
  readonly tree: Tree
  readonly clock: Clock
  readonly settings: DreamSettings
  readonly places: Places
  readonly directory: AgentDirectory
  /** Read the known deviations of other programs. */
  readonly compat: boolean
  readonly ports: Partial<DreamPorts>
}

/** One thing that the store does. It uses the others once all of them are made. */
export abstract class Part {
  protected readonly dream: Dream
  protected readonly parts: DreamParts

  constructor(dream: Dream) {
    this.dream = dream
    this.parts = dream.parts
  }
}

export const pathIn = ({ places }: DreamParts, agent: AgentId, folder: Folder, name: string): TreePath =>
  childOf(folderPath(places, agent, folder), name)

/** The names of the messages in a folder of an agent; links, pipes and folders named like messages are none. */
export async function messageNames({ tree, places }: DreamParts, agent: AgentId, folder: Folder): Promise<string[]> {
  const entries = await listIfFolder(tree, folderPath(places, agent, folder))
  return entries.filter(isMessageEntry).map(({ name }) => name)
}

export const isMessageEntry = ({ name, kind }: Entry): boolean =>
  kind === 'leaf' && isMessageName(name) && isSegment(name)

/** Reads a leaf that must be usable, or throws with its place and what is wrong. Missing: `undefined`. */
export async function readLeaf(
  parts: DreamParts,
  path: TreePath,
  most = parts.settings.largest,
): Promise<Leaf | undefined> {
  const read = await readOrSayWhy(parts.tree, path, { most })
  if (read && isUnread(read)) throw badFile(parts, path, read.problem.code, [read.problem])
  return read
}

export function badFile(
  { tree }: Pick<DreamParts, 'tree'>,
  path: TreePath,
  code: string,
  problems: readonly Problem[],
  hint?: string,
): SignalboxError {
  return corrupt(code, `${tree.place}/${path}: ${problemText(problems)}${nothingChanged}`, {
    hint: hint ?? problems[0]?.hint ?? 'Correct the file, or move it away.',
    details: { path, problems: problems.map(({ code, field, message }) => ({ code, field, message })) },
  })
}

const nothingChanged = ' Nothing was changed.'

/** What is wrong with a file, for callers that went on in spite of it. */
export const wrongWith = ({ message }: SignalboxError): string =>
  message.endsWith(nothingChanged) ? message.slice(0, -nothingChanged.length) : message

/** Runs work that may fail because a file breaks its format, which `doctor` reports. Answers that error. */
export async function unlessCorrupt(work: () => Promise<unknown>): Promise<SignalboxError | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (!(error instanceof SignalboxError) || error.kind !== 'Corrupt') throw error
    return error
  }
}

/** Reads a file of state, which must be an object. */
export function readObject(parts: DreamParts, path: TreePath, bytes: Uint8Array) {
  const read = readJsonText(bytes, { compat: parts.compat, most: parts.settings.largest })
  if (read.outcome === 'malformed') throw badFile(parts, path, 'BAD_STATE', read.problems)
  if (isObject(read.value)) return { ...read, value: read.value }
  throw badFile(parts, path, 'BAD_STATE', [{ code: 'BAD_STATE', field: '', message: 'It is no object.' }])
}

export const bytesOf = (text: string): Uint8Array => Buffer.from(text)

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

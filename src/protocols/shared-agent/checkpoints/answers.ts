/** What checkpoints answer. The first line counts, of a rollback the last one. Shared Agent Protocol §13. Pure. */
import { SignalboxError } from '../../../kernel/errors.ts'
import { printableLine } from '../../../kernel/printable.ts'
import { withRest } from '../commands/limits.ts'
import type { Compared, Created, ListedCheckpoints, RolledBack, Status, WithRecovered } from './checkpoints.ts'

export const createdLines = (created: Created): string[] => [
  `checkpoint_id:${created.id}`,
  ...nestedLines(created.nested),
  ...recoveredLines(created),
]

export function listLines(listed: ListedCheckpoints, { most = 5 } = {}): string[] {
  const { checkpoints, now } = listed
  const shown = checkpoints
    .slice(0, most)
    .map(({ id, name, type, at }) => `• ${id} ${name} (${type}, ${ageOf(now - at)})`)
  const lines = checkpoints.length === 0 ? ['not_found'] : withRest(shown, checkpoints.length)
  return [...lines, ...recoveredLines(listed)]
}

/** `files`: how many files are named. */
export function diffLines(compared: Compared, { files = 0 } = {}): string[] {
  const sum = (key: 'added' | 'deleted') => compared.files.reduce((total, file) => total + file[key], 0)
  const named = compared.files
    .slice(0, files)
    .map(({ path, added, deleted }) => `• ${printableLine(path)} +${added} -${deleted}`)
  return [
    `Files changed: ${compared.files.length}, Lines: +${sum('added')} -${sum('deleted')}`,
    ...(files > 0 ? withRest(named, compared.files.length) : []),
    ...nestedLines(compared.nested),
    ...recoveredLines(compared),
  ]
}

const verbs = { added: 'remove', deleted: 'bring back', changed: 'restore' } as const
const mostNamed = 1000

/** What a rollback would do. Files that it would remove come first, so that they are not overlooked. */
export function dryRunLines(compared: Compared): string[] {
  const files = [...compared.files].sort((a, b) => Number(b.kind === 'added') - Number(a.kind === 'added'))
  const named = files.slice(0, mostNamed).map(({ path, kind }) => `• ${verbs[kind]} ${printableLine(path)}`)
  return [
    `dry_run:${compared.id}`,
    `Files to restore: ${files.length}`,
    ...withRest(named, files.length),
    ...nestedLines(compared.nested),
    ...recoveredLines(compared),
  ]
}

export const rollbackLines = (done: RolledBack): string[] => [
  ...recoveredLines(done),
  ...nestedLines(done.nested),
  ...leftLines(done.left),
  ...(done.hadChanges ? ['Stashing uncommitted changes'] : []),
  `Rolling back to ${done.id}`,
  `Files restored: ${done.files}`,
  `State restored: ${done.keys} keys`,
  ...(done.released.length > 0 ? [`Locks released: ${done.released.map(printableLine).join(', ')}`] : []),
  `rolled_back:${done.id}`,
]

export const statusLines = (status: Status): string[] => [
  status.last ? `rolled_back:${status.last.to} ${ageOf(status.now - status.last.at)}` : 'none',
  ...recoveredLines(status),
]

const nestedLines = (nested: readonly string[]): string[] =>
  nested.map((path) => `left_alone:${printableLine(path)} (a repository of its own)`)

const leftLines = (left: readonly string[]): string[] =>
  left.map((path) => `left_alone:${printableLine(path)} (somebody keeps changing it)`)

/** `undone:checkpoint cp_003`: a process was killed while it was under way. */
export const recoveredLines = ({ recovered }: WithRecovered): string[] => {
  if (!recovered) return []
  const { outcome, what, id, left = [] } = recovered
  return [`${outcome}:${what} ${id} (it was cut off)`, ...leftLines(left)]
}

/** `45s ago`, `2h ago`. */
export function ageOf(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  if (seconds < 60) return `${seconds}s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h ago`
  return `${Math.floor(seconds / 86_400)}d ago`
}

const descriptions: Readonly<Record<string, string>> = {
  INVALID_CHECKPOINT_NAME: 'E002:invalid_checkpoint_name',
  INVALID_CHECKPOINT_TYPE: 'E002:type_manual_auto_or_milestone',
  NO_SUCH_CHECKPOINT: 'E002:unknown_checkpoint',
  AMBIGUOUS_CHECKPOINT: 'E002:ambiguous_name',
}

/** The answer to a request that cannot be met as it is written; other errors keep their own exit status and hint. */
export function errorLine(error: unknown): string | undefined {
  if (!(error instanceof SignalboxError)) return undefined
  const description = descriptions[error.code]
  if (description === undefined) return undefined
  const { ids } = error.details
  return `#ERROR:${description}${Array.isArray(ids) ? ` ${ids.join(', ')}` : ''}`
}

/** The manifest of a mission. People write it by hand, so nothing in it is required and reading never fails. AC-MQ §5, §7.2. */

import type { Fields, Value } from '../../../formats/header-field.ts'
import { type Line, type ManifestProblem, type ManifestSection, readManifestText, sectionOf } from './lines.ts'
import { type Milestone, milestonesIn } from './milestones.ts'
import { collectFrom, References } from './references.ts'

export type { ManifestProblem } from './lines.ts'
export { type Milestone, tickMilestone } from './milestones.ts'
export { printManifest } from './print.ts'

export interface Manifest {
  readonly objective: string
  readonly status: string | undefined
  readonly milestones: readonly Milestone[]
  /** Patterns and paths in the order of their first mention, relative to the mission or to the directory that holds `llm/`. */
  readonly patterns: readonly string[]
  /** What could not be read. The rest of the manifest is used. */
  readonly problems: readonly ManifestProblem[]
}

/** `folder`: where the manifest lies in its mission. Its links are relative to that folder. */
export function parseManifest(text: string, { folder = '_meta' }: { folder?: '_meta' | '' } = {}): Manifest {
  const references = new References()
  const { fields, problems, lines } = readManifestText(text)
  references.problems.push(...problems)
  for (const [key, field] of fields) {
    if (sectionOf(key.replaceAll(/[_-]/g, ' ')) !== 'context') continue
    for (const path of textsIn(field.texts ?? field.text ?? field.value)) references.add(path, 1, true)
  }
  collectFrom(lines, references, folder === '_meta')
  return {
    objective: objectiveOf(fields, lines),
    status: statusOf(fields, lines),
    milestones: milestonesIn(lines).map(({ title, done, line }) => ({ title, done, line })),
    patterns: [...references.patterns],
    problems: references.problems,
  }
}

function objectiveOf(fields: Fields, lines: readonly Line[]): string {
  const given = fieldOf(fields, 'objective')
  if (given !== undefined) return given
  if (lines.some(({ kind, section }) => kind === 'heading' && section === 'objective'))
    return textOf(lines, 'objective')
  const title = lines.find(({ kind, section }) => kind === 'heading' && section === 'title')?.label
  return (
    labelled(lines, 'objective') ??
    (textOf(lines, 'overview') ||
      textOf(lines, 'title') ||
      (title ?? '').replace(/^mission(?: manifest)?\s*:?\s*/i, ''))
  )
}

function statusOf(fields: Fields, lines: readonly Line[]): string | undefined {
  const paragraph = textOf(withoutTasks(lines), 'status').split(/\n\s*\n/, 1)[0]!
  const words = paragraph.replaceAll(/^\s*[-*+]\s+/gm, '').replaceAll(/\s+/g, ' ')
  const status = fieldOf(fields, 'status') ?? (plain(words) || labelled(lines, 'status'))
  return status === undefined || status === '' ? undefined : status
}

const fieldOf = (fields: Fields, section: ManifestSection): string | undefined => {
  for (const [key, { text }] of fields)
    if (text && sectionOf(key.replaceAll(/[_-]/g, ' ')) === section) return text.trim()
  return undefined
}

function labelled(lines: readonly Line[], wanted: ManifestSection): string | undefined {
  const found = lines.find(({ kind, label }) => kind === 'text' && label !== undefined && sectionOf(label) === wanted)
  return found && plain(found.value ?? '')
}

function textOf(lines: readonly Line[], wanted: ManifestSection): string {
  const start = lines.findIndex(({ section }) => section === wanted)
  if (start < 0) return ''
  const from = lines[start]!.kind === 'heading' ? start + 1 : start
  const next = lines.findIndex(({ kind }, i) => i >= from && kind === 'heading')
  const body = lines.slice(from, next < 0 ? undefined : next).filter(({ text }) => !/^\s*={2,}\s*$/.test(text))
  return body.map(unescaped).join('\n').trim()
}

/** Removes the escapes that `printManifest` adds. */
const unescaped = ({ text, kind }: Line): string =>
  kind === 'code'
    ? text
    : text
        .trimEnd()
        .replace(/^(\s*(?:\d+)?)\\(?=[^A-Za-z0-9\s])/, '$1')
        .replace(/\\:$/, ':')
        .replaceAll('\\<!--', '<!--')

const withoutTasks = (lines: readonly Line[]): Line[] => {
  const tasks = new Set(milestonesIn(lines).map(({ line }) => line))
  return lines.filter(({ number }) => !tasks.has(number))
}

const plain = (text: string): string => text.replaceAll(/\*\*|__|`/g, '').trim()

function textsIn(value: string | Value): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return value instanceof Map ? [...value.values()].flatMap(textsIn) : []
}

/** Milestones are the task-list items of a manifest, since AC-MQ §5 names no form. Ticking one changes one character. */

import { conflict } from '../../../kernel/errors.ts'
import { nearest } from '../../../kernel/nearest.ts'
import { printableLine } from '../../../kernel/printable.ts'
import { type Line, readManifestText, taskMark } from './lines.ts'

export interface Milestone {
  readonly title: string
  readonly done: boolean
  readonly line: number
}

export type Ticked =
  | { readonly outcome: 'ticked' | 'already'; readonly text: string; readonly milestone: Milestone }
  | { readonly outcome: 'unknown'; readonly text: string; readonly nearest?: string }

/** `markAt`: the position of the mark in the file. */
export function milestonesIn(lines: readonly Line[]) {
  return lines.flatMap(({ text, kind, at, number }) => {
    const found = kind === 'text' ? taskMark.exec(text) : undefined
    if (!found) return []
    const [, head = '', mark = '', title = ''] = found
    const markAt = at + head.length
    return [{ title: title.trim(), done: /[xX✓✔]/.test(mark), line: number, markAt, markLength: mark.length }]
  })
}

/** `which`: the title, a part of it, or the number from 1. Every other byte of the text stays as it was. */
export function tickMilestone(text: string, which: string | number, done: boolean): Ticked {
  const all = milestonesIn(readManifestText(text).lines)
  const found = find(all, which)
  if (!found) {
    const near = nearest(
      String(which),
      all.map(({ title }) => title),
    )
    return { outcome: 'unknown', text, ...(near === undefined ? {} : { nearest: near }) }
  }
  const { title, line, markAt, markLength } = found
  const milestone = { title, done, line }
  if (found.done === done) return { outcome: 'already', text, milestone }
  const ticked = text.slice(0, markAt) + (done ? 'x' : ' ') + text.slice(markAt + markLength)
  return { outcome: 'ticked', text: ticked, milestone }
}

function find(all: ReturnType<typeof milestonesIn>, which: string | number) {
  if (typeof which === 'number') return all[which - 1]
  const wanted = simple(which)
  if (wanted === '') return undefined
  const same = all.filter(({ title }) => simple(title) === wanted)
  if (same.length === 0 && /^\d{1,4}$/.test(wanted)) return all[Number(wanted) - 1]
  const found = same.length > 0 ? same : all.filter(({ title }) => simple(title).includes(wanted))
  if (found.length < 2) return found[0]
  const candidates = found.map((one) => ({
    number: all.indexOf(one) + 1,
    title: printableLine(one.title.slice(0, 100)),
  }))
  const shown = candidates.slice(0, 10).map(({ number, title }) => `${number}. ${title}`)
  const more = candidates.length > 10 ? `; and ${candidates.length - 10} more` : ''
  throw conflict(
    'AMBIGUOUS_MILESTONE',
    `More than one milestone is called ${JSON.stringify(printableLine(which.slice(0, 100)))}: ${shown.join('; ')}${more}.`,
    { hint: 'Give its number instead of its title.', details: { candidates } },
  )
}

/** Titles compare without case, emphasis and spacing. */
const simple = (title: string): string => title.replaceAll(/[*_`]/g, '').replaceAll(/\s+/g, ' ').trim().toLowerCase()

/**
 * The sets by which search and groups are measured, made in three ways: by hand, by saying those again by rules, and after titles of
 * public issues. Numbers may be tuned on one side; the other is left alone, and shares no topic with it.
 */
import { type LabelledPart, readPart } from './labelled-set.ts'
import { paraphrase } from './paraphrase.ts'

export type Side = 'tune' | 'test'

const files: Readonly<Record<Side, readonly string[]>> = {
  tune: ['hand-tune-1', 'hand-tune-2', 'issues-tune'],
  test: ['hand-test', 'issues-test'],
}

/** `folder`: where the files lie. */
export function readParts(side: Side, folder: URL | string): Map<string, LabelledPart> {
  const parts = new Map<string, LabelledPart>()
  for (const name of files[side]) {
    const part = readPart(`${folder instanceof URL ? folder.pathname : folder}/${name}.md`)
    parts.set(name, part)
    if (name.startsWith('hand')) parts.set(name.replace('hand', 'paraphrased'), paraphrase(part))
  }
  return parts
}

/** What is usual in a mission, so that the words of a few messages stand out against it: counted in some of the oldest. */
import { countStems, type Usage, usageOf, usageWithout } from '../../../../text/labels.ts'
import type { Aged, Sample } from '../../../../text/sample.ts'
import type { BookUsage } from '../../memory/book.ts'
import { comparedParts } from '../../memory/said.ts'
import type { MissionFiles } from '../parts.ts'
import { type OpenBook, textIn } from './book.ts'
import type { MessageText } from './texts.ts'

/** So many tell. */
const mostCounted = 200

/** Evenly from the oldest to the newest of the sample; what was counted before in the same ones is used again. */
export async function usageIn(
  files: MissionFiles,
  book: OpenBook,
  { digest, texts }: Sample<Aged>,
): Promise<BookUsage> {
  const { usage } = book.before
  if (usage?.sample === digest) return usage
  const step = Math.max(1, texts.length / mostCounted)
  const ids = Array.from({ length: Math.min(texts.length, mostCounted) }, (_, i) => texts[Math.floor(i * step)]!.id)
  const said: string[] = []
  for (const id of ids) {
    const text = await textIn(files, book, id)
    if (text) said.push(ownTextOf(text))
  }
  return { sample: digest, ids, texts: said.length, counts: countStems(said) }
}

/** Without the messages themselves. */
export function othersThan(usage: BookUsage, inside: readonly MessageText[]): Usage {
  const counted = new Set(usage.ids)
  const all = usageOf(usage.texts, usage.counts)
  return usageWithout(all, inside.filter(({ message }) => counted.has(message.id)).map(ownTextOf))
}

const ownTextOf = ({ message, body }: MessageText): string => comparedParts(message.summary, body).own

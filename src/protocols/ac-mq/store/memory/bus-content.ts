/** What a bus document says: its messages, its title and its summary. AC-MQ §13.1. */
import { withoutUndefined } from '../../../../kernel/field.ts'
import { groupName } from '../../../../text/group-names.ts'
import { countStems, type Usage, usageOf, usageWithout } from '../../../../text/labels.ts'
import type { Sample } from '../../../../text/sample.ts'
import type { BusContent } from '../../memory/bus-document.ts'
import type { WordUsage } from '../../memory/cache.ts'
import { linksOf } from '../../memory/chains.ts'
import { comparedParts } from '../../memory/message-parts.ts'
import { extractiveSummary } from '../../memory/summary.ts'
import type { OpenCache } from './cache.ts'
import type { GroupMeaning, Plan } from './plans.ts'
import { type MessageText, textToCompare } from './texts.ts'

const mostCounted = 200

/** How usual words are in a mission, counted in texts spread evenly over the sample. */
export async function usageIn(cache: OpenCache, { digest, texts }: Sample): Promise<WordUsage> {
  const { usage } = cache.before
  if (usage?.sample === digest) return usage
  const step = Math.max(1, texts.length / mostCounted)
  const ids = Array.from({ length: Math.min(texts.length, mostCounted) }, (_, i) => texts[Math.floor(i * step)]!.id)
  const said: string[] = []
  for (const id of ids) {
    const text = await cache.text(id)
    if (text) said.push(ownTextOf(text))
  }
  return { sample: digest, ids, texts: said.length, counts: countStems(said) }
}

function othersThan(usage: WordUsage, inside: readonly MessageText[]): Usage {
  const counted = inside.filter(({ message }) => usage.ids.includes(message.id))
  return usageWithout(usageOf(usage.texts, usage.counts), counted.map(ownTextOf))
}

const ownTextOf = ({ message, body }: MessageText): string => comparedParts(message.summary, body).own

interface ContentOptions {
  readonly usage: WordUsage
  readonly blocked: ReadonlyMap<string, string>
  readonly meaning?: GroupMeaning | undefined
}

/** `undefined` when one of its messages has just moved: the next pass finds it in its new place. */
export async function busContentOf(
  cache: OpenCache,
  { members, trigger, provider, ...plan }: Plan,
  { usage, blocked, meaning }: ContentOptions,
): Promise<BusContent | undefined> {
  const texts: MessageText[] = []
  for (const id of members.keys()) {
    const text = await cache.text(id)
    if (!text) return undefined
    texts.push(text)
  }
  const vectors = [...members.keys()].flatMap((id) => meaning?.index.vectorOf(cache.messages.get(id)!.digest) ?? [])
  const named =
    plan.title ?? (await groupName(texts.map(textToCompare), othersThan(usage, texts), vectors, meaning?.embedder))
  const title = named ?? (trigger === 'chain' ? texts[0]!.message.summary : 'similar messages')
  const messages = texts.map(({ message, status, body }) => {
    const { id, name, createdAt, from, to, summary } = message
    return withoutUndefined({ id, name, createdAt, from, to, summary, status, body, why: members.get(id) })
  })
  const links = linksOf(texts.map(({ message, status }) => ({ ...message, status })))
  const summary = extractiveSummary(messages, blocked, links)
  const query = plan.query ?? `Messages about similar things: ${title}`
  return { title, trigger, query, provider, messages, summaryBy: 'extractive', summary }
}

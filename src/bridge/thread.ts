/**
 * Messages that belong together, across protocols: what answers what, what is about the same task or has the same thread, what
 * waits for what. In order of time.
 */
import type { Envelope } from '../kernel/envelope.ts'
import { type Bus, findOne } from './bus.ts'

export interface Conversation {
  readonly messages: readonly Envelope[]
  /** Who still owes whom an answer. */
  readonly owed: readonly { readonly by: string; readonly to: string; readonly handle: string }[]
}

export async function threadOf(bus: Bus, handle: string): Promise<Conversation> {
  const { envelope: asked } = await findOne(bus, handle)
  const all = new Map<string, Envelope>()
  for await (const { neutral } of bus.used())
    for await (const { envelope } of neutral.messages({ archived: true })) all.set(envelope.handle, envelope)
  all.set(asked.handle, asked)
  const messages = joined([...all.values()], asked).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  return { messages, owed: owedIn(messages) }
}

/** All messages that are connected with the asked one, directly or through other messages. */
function joined(all: readonly Envelope[], asked: Envelope): Envelope[] {
  const byTie = new Map<string, Envelope[]>()
  for (const one of all) for (const tie of tiesOf(one)) byTie.set(tie, [...(byTie.get(tie) ?? []), one])
  const found = new Set([asked])
  for (const one of found) for (const tie of tiesOf(one)) for (const other of byTie.get(tie) ?? []) found.add(other)
  return [...found]
}

/** What connects it with others: two messages with one tie in common belong together. */
function tiesOf(envelope: Envelope): string[] {
  const { protocol, id, replyTo, task, thread, dependsOn, origin } = envelope
  // An answer names a message of its own protocol by its id, and one of another by its handle.
  const named = (other: string) =>
    other.includes(':') ? [`message ${other}`, idTie(protocol, other)] : [idTie(protocol, other)]
  return [
    `message ${envelope.handle}`,
    idTie(protocol, id),
    ...(replyTo === undefined ? [] : named(replyTo)),
    ...dependsOn.flatMap(named),
    ...(task === undefined ? [] : [`task ${task}`]),
    ...(thread === undefined ? [] : [`thread ${thread}`]),
    ...(origin ? [`message ${origin.handle}`] : []),
  ]
}

const idTie = (protocol: string, id: string): string => `id ${protocol} ${id}`

function owedIn(messages: readonly Envelope[]): Conversation['owed'] {
  const answered = new Set(
    messages.flatMap(({ replyTo, protocol }) => (replyTo === undefined ? [] : [replyTo, `${protocol}:${replyTo}`])),
  )
  return messages.flatMap((one) => {
    const isOpen = one.needsAnswer && one.stage !== 'finished' && one.stage !== 'failed'
    const isAnswered = answered.has(one.id) || answered.has(one.handle)
    return isOpen && !isAnswered ? [{ by: one.claim?.by ?? one.to, to: one.from, handle: one.handle }] : []
  })
}

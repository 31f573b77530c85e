/**
 * Messages that belong together, across protocols: what answers what, what is about the same task or has the same thread, what
 * waits for what. In order of time.
 */
import type { Envelope } from '../kernel/envelope.ts'
import { type Bus, findOne } from './bus.ts'
import { CarryNotes } from './carry-notes.ts'
import { parseHandle } from './handle.ts'

export interface Conversation {
  readonly messages: readonly Envelope[]
  /** Who still owes whom an answer. */
  readonly owed: readonly { readonly by: string; readonly to: string; readonly handle: string }[]
}

/** In a longer conversation, looking for each message costs more than reading all of them once more. */
const mostLookedUp = 8

/** Reads all messages once, and remembers of them only what connects them: a conversation is small, and a workspace is not. */
export async function threadOf(bus: Bus, handle: string): Promise<Conversation> {
  const { envelope: asked } = await findOne(bus, handle)
  const carried = await carriedPairs(bus)
  const ties = connected(asked, [...(await connections(bus)), ...carried.map((pair) => pair.flatMap(tiesOfHandle))])
  const names = [...ties].filter((tie) => tie.startsWith(handlePrefix) || tie.startsWith(idPrefix))
  const found = names.length <= 2 * mostLookedUp ? lookUp(bus, names) : everyMessage(bus)
  const byHandle = new Map<string, Envelope>()
  for await (const envelope of found)
    if (tiesOf(envelope).some((tie) => ties.has(tie))) byHandle.set(envelope.handle, envelope)
  byHandle.set(asked.handle, asked)
  const messages = [...byHandle.values()].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  // Of a message that was carried, the answer to its copy is owed.
  const copied = new Set(carried.flatMap(([original, copy]) => (byHandle.has(copy) ? [original] : [])))
  return { messages, owed: owedIn(messages.filter((one) => !copied.has(one.handle))) }
}

/** The notes of the bridge tell what is whose copy; what a message says of its own origin is only text. */
async function carriedPairs({ tree }: Bus): Promise<(readonly [original: string, copy: string])[]> {
  const pairs: (readonly [string, string])[] = []
  for await (const pair of new CarryNotes(tree).pairs()) pairs.push(pair)
  return pairs
}

async function* everyMessage(bus: Bus): AsyncGenerator<Envelope> {
  for await (const { neutral } of bus.used())
    for await (const { envelope } of neutral.messages({ archived: true })) yield envelope
}

/** The ties of each message that names another one, a task or a thread. One that names nothing is found by being named. */
async function connections(bus: Bus): Promise<readonly (readonly string[])[]> {
  const all: (readonly string[])[] = []
  for await (const envelope of everyMessage(bus)) {
    const ties = tiesOf(envelope)
    if (ties.length > ownTies) all.push(ties)
  }
  return all
}

/** All ties that lead to the asked message, directly or through other messages. */
function connected(asked: Envelope, all: readonly (readonly string[])[]): ReadonlySet<string> {
  const byTie = new Map<string, (readonly string[])[]>()
  for (const ties of all) {
    for (const tie of ties) {
      const others = byTie.get(tie)
      if (others) others.push(ties)
      else byTie.set(tie, [ties])
    }
  }
  const found = new Set(tiesOf(asked))
  for (const tie of found) for (const ties of byTie.get(tie) ?? []) for (const other of ties) found.add(other)
  return found
}

async function* lookUp(bus: Bus, names: readonly string[]): AsyncGenerator<Envelope> {
  const ids = new Map<string, Set<string>>(bus.names.map((name) => [name, new Set()]))
  for (const tie of names.filter((one) => one.startsWith(idPrefix))) {
    const [protocol = '', ...id] = tie.slice(idPrefix.length).split(' ')
    ids.get(protocol)?.add(id.join(' '))
  }
  for (const tie of names.filter((one) => one.startsWith(handlePrefix))) {
    const { protocol = '', rest } = parseHandle(tie.slice(handlePrefix.length), bus.names)
    const known = ids.get(protocol)
    // The id comes last, behind the place where the protocol has some.
    const isKnown = [...(known ?? [])].some((id) => rest === id || rest.endsWith(`:${id}`))
    if (!isKnown) known?.add(rest).add(rest.slice(rest.lastIndexOf(':') + 1))
  }
  for await (const { name, neutral } of bus.used())
    for (const id of ids.get(name) ?? []) for await (const { envelope } of neutral.find(id)) yield envelope
}

const handlePrefix = 'message '
const idPrefix = 'id '
/** Every message has those of its own handle and id. */
const ownTies = 2

/** What connects it with others: two messages with one tie in common belong together. */
function tiesOf(envelope: Envelope): string[] {
  const { protocol, id, replyTo, task, thread, dependsOn } = envelope
  // An answer names a message of its own protocol by its id, and one of another by its handle.
  const named = (other: string) =>
    other.includes(':') ? [`${handlePrefix}${other}`, idTie(protocol, other)] : [idTie(protocol, other)]
  return [
    `${handlePrefix}${envelope.handle}`,
    idTie(protocol, id),
    ...(replyTo === undefined ? [] : named(replyTo)),
    ...dependsOn.flatMap(named),
    ...(task === undefined ? [] : [`task ${task}`]),
    ...(thread === undefined ? [] : [`thread ${thread}`]),
  ]
}

/** The id comes last in a handle, behind the place where the protocol has some. */
function tiesOfHandle(handle: string): string[] {
  const [protocol = '', ...rest] = handle.split(':')
  return [`${handlePrefix}${handle}`, idTie(protocol, rest.join(':')), idTie(protocol, rest.at(-1) ?? '')]
}

const idTie = (protocol: string, id: string): string => `${idPrefix}${protocol} ${id}`

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

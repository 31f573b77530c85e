/** The protocols of a workspace as one: which are used here, and the messages of all of them by their handles. */
import { call } from '../kernel/call.ts'
import { invalidInput, notFound } from '../kernel/errors.ts'
import { nearest } from '../kernel/nearest.ts'
import { printableLine } from '../kernel/printable.ts'
import type { AgentDirectory } from '../messaging/agents/directory.ts'
import type { GivenHome, Message, Neutral } from '../protocols/contract.ts'
import type { Tree } from '../tree/tree.ts'
import { parseHandle } from './handle.ts'

/** A protocol, opened. */
export interface Member {
  readonly name: string
  readonly title: string
  readonly neutral: Neutral
}

export interface Bus {
  readonly tree: Tree
  readonly directory: AgentDirectory
  /** The homes that people give to agents elsewhere than in the directory. */
  homes?(): Promise<readonly GivenHome[]>
  /** The short names of all protocols there are. */
  readonly names: readonly string[]
  /** The protocols that are used here. Nothing is loaded of the others. */
  used(): AsyncIterable<Member>
  /** One of `names`, whether it is used here or not. */
  member(name: string): Promise<Member>
  /** What to tell a sender of a recipient whom nobody has seen; with the setting `strict`, throws. */
  noticesAbout(agent: string): Promise<readonly string[]>
}

export interface FoundMessage extends Message {
  readonly member: Member
}

/** As many as a proposal is looked for in. */
const mostCandidates = 500
/** How often a message is looked for before it counts as missing. On a cluster, copies of folders lag a little. */
const mostLooks = 4
const betweenLooksMs = 25

/**
 * The message that a handle means, or an id, or the beginning of one. A message to many is there once for each reader: all of
 * them are answered. Throws where several messages are meant, or none.
 */
export async function findAll(bus: Bus, text: string): Promise<readonly [FoundMessage, ...FoundMessage[]]> {
  let found = await look(bus, text)
  // Folders are listed one after the other: a message that another process moves meanwhile can be missed in both.
  for (let looks = 1; found.length === 0 && looks < mostLooks; looks++) {
    await new Promise((resolve) => setTimeout(resolve, betweenLooksMs))
    found = await look(bus, text)
  }
  const handles = new Set(found.map(({ envelope }) => envelope.handle))
  if (handles.size > 1) throw ambiguous(text, [...handles])
  const [first, ...others] = found
  if (!first) throw await noSuchMessage(bus, text)
  return [first, ...others]
}

async function look(bus: Bus, text: string): Promise<FoundMessage[]> {
  const { protocol, rest } = parseHandle(text, bus.names)
  const found: FoundMessage[] = []
  const members = protocol === undefined ? bus.used() : [await bus.member(protocol)]
  for await (const member of members) found.push(...(await findIn(member, rest, protocol !== undefined)))
  return found
}

/** The same where one copy is enough: preferably one that an agent has claimed. */
export async function findOne(bus: Bus, text: string): Promise<FoundMessage> {
  const found = await findAll(bus, text)
  return found.find(({ envelope }) => envelope.claim !== undefined) ?? found[0]
}

async function findIn(member: Member, rest: string, isNamed: boolean): Promise<FoundMessage[]> {
  const found: FoundMessage[] = []
  const add = async (id: string, place?: string) => {
    for await (const message of member.neutral.find(id))
      if (place === undefined || message.envelope.place === place) found.push({ ...message, member })
  }
  await add(rest)
  const end = rest.lastIndexOf(':')
  if (found.length === 0 && isNamed && end > 0) await add(rest.slice(end + 1), rest.slice(0, end))
  // A whole id means that message alone.
  const whole = found.filter(({ envelope }) => rest === envelope.id || rest.endsWith(`:${envelope.id}`))
  return whole.length > 0 ? whole : found
}

const ambiguous = (text: string, handles: readonly string[]) =>
  invalidInput('AMBIGUOUS_HANDLE', `${quoted(text)} means more than one message: ${handles.slice(0, 5).join(', ')}.`, {
    hint: 'Give more of it.',
    details: { handle: text.slice(0, 400), candidates: handles.slice(0, 100) },
  })

async function noSuchMessage(bus: Bus, text: string) {
  const near = await nearestHandle(bus, text)
  return notFound('NO_SUCH_MESSAGE', `No message is called ${quoted(text)}.`, {
    hint: near === undefined ? `See what waits: ${call('inbox', { as: 'AGENT' })}` : `Did you mean ${near}?`,
    details: { handle: text.slice(0, 400), ...(near === undefined ? {} : { near }) },
  })
}

/** People give an id alone, and the beginning of one. Those that are whole come first. */
async function nearestHandle(bus: Bus, text: string): Promise<string | undefined> {
  const asked = parseHandle(text, bus.names)
  const whole = new Map<string, string>()
  const begun = new Map<string, string>()
  for await (const { name, neutral } of bus.used()) {
    if (asked.protocol !== undefined && asked.protocol !== name) continue
    for await (const { envelope } of neutral.messages({ limit: mostCandidates })) {
      const { handle, id } = envelope
      for (const one of [handle, handle.slice(name.length + 1), id]) {
        whole.set(one, handle)
        begun.set(one.slice(0, asked.rest.length), handle)
      }
    }
  }
  for (const candidates of [whole, begun]) {
    const near = nearest(asked.rest, candidates.keys())
    if (near !== undefined) return candidates.get(near)
  }
  return undefined
}

const quoted = (text: string): string => JSON.stringify(printableLine(text.slice(0, 80)))

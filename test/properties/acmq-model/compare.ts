/** Holds the files against the model, with a reader of its own: a header is lines of `key: value` between two `---`. */
import { type Message, type Model, type Queue, queues } from './model.ts'
import type { Seen, World } from './world.ts'

export interface Found {
  readonly id: string
  readonly queue: Queue
  readonly to: string
  readonly status: string
  readonly attempt: number
  readonly body: string
  readonly changedAt: number
}

export interface Picture {
  readonly found: readonly Found[]
  readonly junk: readonly { readonly name: string; readonly queue: Queue; readonly text: string }[]
  readonly archived: readonly string[]
  /** Names that nobody should ever see. */
  readonly strange: readonly string[]
}

export const junkPrefix = 'junk-'
export const junkText = 'This file has no header.\n'

export async function lookAt(world: World): Promise<Picture> {
  const files = await world.files(queues.map((queue) => `queue/${queue}`))
  const isJunk = ({ name }: Seen) => name.startsWith(junkPrefix)
  const isStrange = ({ name }: Seen) => name.startsWith('.') || !name.endsWith('.md')
  const packed = (await world.archived()).join('\n')
  return {
    found: files.filter((file) => !isJunk(file) && !isStrange(file)).map(read),
    junk: files.filter(isJunk).map((file) => ({ ...file, queue: queueOf(file) })),
    archived: [...packed.matchAll(/^id: "?([\w.-]+)"?\r?$/gm)].map(([, id]) => id!),
    strange: files.filter(isStrange).map(({ folder, name }) => `${folder}/${name}`),
  }
}

const queueOf = ({ folder }: Seen) => folder.replace('queue/', '') as Queue

function read(file: Seen): Found {
  const [, header = '', body = ''] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(file.text) ?? []
  const field = (name: string) => new RegExp(`^${name}: *"?([^"#\\r\\n]*?)"? *(?:#.*)?\\r?$`, 'm').exec(header)?.[1]
  return {
    id: field('id') ?? `unreadable: ${file.text}`,
    queue: queueOf(file),
    to: field('to') ?? '',
    status: field('status') ?? '',
    attempt: Number(field('attempt') ?? 1),
    body,
    changedAt: file.changedAt,
  }
}

/** Everything in which the files are not as the model says, one line each. */
export function differences(model: Model, picture: Picture): string[] {
  const told = picture.strange.map((name) => `left behind: ${name}`)
  const waiting = new Map(model.messages)
  for (const found of picture.found) {
    const message = waiting.get(found.id)
    waiting.delete(found.id)
    if (!message) told.push(`twice, or from nowhere: ${found.id} in ${found.queue}`)
    else told.push(...unlike(message, found).map((text) => `${found.id}: ${text}`))
  }
  for (const id of picture.archived) {
    if (waiting.get(id)?.queue !== 'archived') told.push(`twice, or wrongly, in the archive: ${id}`)
    waiting.delete(id)
  }
  for (const { id, queue } of waiting.values()) told.push(`lost: ${id}, last in ${queue}`)
  return [...told, ...junkDifferences(model, picture)]
}

function junkDifferences(model: Model, { junk }: Picture): string[] {
  const expected = [...model.junk].map(([name, { queue }]) => `${queue}/${name}`).sort()
  const there = junk.map(({ name, queue }) => `${queue}/${name}`).sort()
  const told = expected.join() === there.join() ? [] : [`no messages: expected ${expected}, there are ${there}`]
  return [...told, ...junk.filter(({ text }) => !text.startsWith(junkText)).map(({ name }) => `changed: ${name}`)]
}

/** In what a file is not the message. */
export function unlike(message: Message, found: Found): string[] {
  const told: string[] = []
  for (const key of ['queue', 'to', 'status', 'attempt'] as const) {
    if (message[key] !== found[key]) told.push(`${key} is ${found[key]}, not ${message[key]}`)
  }
  if (message.queue === 'processing' && found.changedAt !== message.since) {
    told.push(`its claim dates from ${found.changedAt}, not ${message.since}`)
  }
  if (!bodyIs(message, found.body)) told.push(`its body is ${JSON.stringify(found.body)}`)
  return told
}

function bodyIs({ id, body, added }: Message, text: string): boolean {
  const isQuestion = id.startsWith('investigate-')
  if (isQuestion ? !text.includes(`\`${body}\``) : !text.startsWith(body)) return false
  let at = 0
  for (const one of added) {
    at = text.indexOf(one, at) + one.length
    if (at < one.length) return false
  }
  return (text.match(/\*\*(Result|Failure Report)\*\*/g) ?? []).length === added.length
}

/**
 * After a death half-way: each message is as it was before or as it would have been afterwards, and the model follows
 * what is there. The clock of a claim may have been started again by whoever put things in order.
 */
export function adopt(before: Model, afters: readonly Model[], picture: Picture): { model: Model; told: string[] } {
  const model = before.copy()
  const told: string[] = []
  const versions = [before, ...afters]
  for (const id of new Set(versions.flatMap(({ messages }) => [...messages.keys()]))) {
    const found = picture.found.find((one) => one.id === id)
    const options = versions.map(({ messages }) => messages.get(id))
    const match = found
      ? options.find((one) => one && isAsFound(one, found, before.now))
      : options.find((one) => (picture.archived.includes(id) ? one?.queue === 'archived' : one === undefined))
    if (!found && !match && options.includes(undefined)) model.messages.delete(id)
    else if (match) model.messages.set(id, found ? { ...match, since: found.changedAt } : match)
    else told.push(`${id}: neither as before nor as after, but ${found ? JSON.stringify(found) : 'gone'}`)
  }
  for (const name of before.junk.keys()) {
    const queue = picture.junk.find((one) => one.name === name)?.queue
    const match = versions.map(({ junk }) => junk.get(name)).find((one) => one?.queue === queue)
    if (match) model.junk.set(name, match)
  }
  return { model, told: [...told, ...unasked(before, model), ...differences(model, picture)] }
}

const isAsFound = (message: Message, found: Found, now: number): boolean =>
  unlike({ ...message, since: found.changedAt }, found).length === 0 &&
  (message.queue !== 'processing' || found.changedAt === message.since || found.changedAt === now)

/** Nothing fails for want of time without its sender being asked. */
const unasked = (before: Model, model: Model): string[] =>
  model.in('failed').flatMap((message) => {
    const wasClaimed = before.messages.get(message.id)?.queue === 'processing'
    const question = before.questionAbout(message, 'anybody')
    const isStall = wasClaimed && message.added.at(-1)?.startsWith('Stalled') && question !== undefined
    return isStall && !model.messages.has(question.id) ? [`nobody was asked about ${message.id}`] : []
  })

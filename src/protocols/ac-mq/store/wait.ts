/** Waiting for what becomes of messages: for those who have sent them and go on when they are completed or failed. */
import { bufferOf } from '../../../formats/front-matter.ts'
import { ambiguousId } from '../../../kernel/short-id.ts'
import { waitFor } from '../../../messaging/waiting/wait.ts'
import { failureOf, resultOf } from '../format.ts'
import { findCopy } from './copies.ts'
import { type Finder, noSuchMessage } from './finder.ts'
import type { MissionFiles } from './parts.ts'
import { type AcmqViewWithBody, viewOf, withBody } from './view.ts'
import type { Waiting } from './waiting/waiting.ts'

export interface AwaitOptions {
  /** One of them is enough. */
  readonly any?: boolean
  /** Without it: for as long as it takes. */
  readonly waitMs?: number
  readonly signal?: AbortSignal
}

/** A message that is done with, and what came of it. */
export interface EndedMessage extends AcmqViewWithBody {
  readonly ended: 'completed' | 'failed'
  readonly result?: { readonly text: string; readonly links: readonly string[] }
  readonly failure?: { readonly reason: string; readonly detail?: string }
}

export interface WaitedFor {
  /** `waiting`: the time was up first. */
  readonly outcome: 'settled' | 'waiting'
  /** In the order in which they were asked for. */
  readonly messages: readonly EndedMessage[]
  /** The ids of those that are not done. */
  readonly unsettled: readonly string[]
}

interface Parts {
  readonly files: MissionFiles
  readonly finder: Finder
  readonly waiting: Waiting
}

type Ended = EndedMessage['ended']

/** Throws when one of them is not known, or not clear, to begin with. */
export async function waitForEnds(
  parts: Parts,
  ids: readonly string[],
  { any = false, waitMs = Number.POSITIVE_INFINITY, signal }: AwaitOptions = {},
): Promise<WaitedFor> {
  const { files, waiting } = parts
  const wanted = new Map<string, Ended | undefined>()
  for (const id of ids) wanted.set(await wholeId(parts, id), undefined)
  const { completed, failed } = files.queues
  const attempt = async () => {
    for (const [id, known] of wanted) if (known === undefined) wanted.set(id, endOf(await waiting.stateOf(id)))
    const ends = [...wanted.values()]
    return (any ? ends.some(isEnd) : ends.every(isEnd)) ? true : undefined
  }
  const isSettled = await waitFor(files.tree, [completed, failed], attempt, { waitMs, ...(signal ? { signal } : {}) })
  const messages: EndedMessage[] = []
  for (const [id, ended] of wanted) if (ended !== undefined) messages.push(await endedMessage(parts, id, ended))
  const unsettled = [...wanted].flatMap(([id, ended]) => (ended === undefined ? [id] : []))
  return { outcome: isSettled ? 'settled' : 'waiting', messages, unsettled }
}

const isEnd = (ended: Ended | undefined): boolean => ended !== undefined

function endOf(state: Awaited<ReturnType<Waiting['stateOf']>>): Ended | undefined {
  if (state === 'completed' || state === 'archived' || state === 'archived-completed') return 'completed'
  return state === 'failed' || state === 'archived-failed' ? 'failed' : undefined
}

async function wholeId({ files, finder }: Parts, id: string): Promise<string> {
  const found = await finder.findSurely(id)
  const meant = new Set((found.length > 0 ? found : await finder.archived(id)).map((one) => one.id))
  const [only, another] = meant
  if (only === undefined) throw noSuchMessage(id, files.place.address)
  if (another !== undefined) throw ambiguousId(id, [...meant].sort())
  return only
}

/** As it is where it lies now. One that waits again meanwhile has still ended, and says in its reports how. */
async function endedMessage({ files, finder }: Parts, id: string, ended: Ended): Promise<EndedMessage> {
  const copy = await findCopy(files, finder, id)
  if (!copy) throw noSuchMessage(id, files.place.address)
  const { state, name, path, bytes } = copy
  const { message, problems } = files.expect(bytes, name, copy)
  const body = bufferOf(bytes).toString('utf8', message.bodyStart)
  const result = ended === 'completed' ? resultOf(bytes) : undefined
  const failure = ended === 'failed' ? failureOf(bytes) : undefined
  return {
    ...withBody(viewOf(message.record, state, path, problems), body),
    ended,
    ...(result ? { result: { text: result.text, links: result.links } } : {}),
    ...(failure ? { failure: { reason: failure.reason, ...(failure.detail ? { detail: failure.detail } : {}) } } : {}),
  }
}

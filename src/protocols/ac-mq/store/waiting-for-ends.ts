/** Waiting until messages are completed or failed, for a sender that goes on then. */
import { withoutUndefined } from '../../../kernel/field.ts'
import { theOneMeant } from '../../../kernel/short-id.ts'
import { waitFor } from '../../../messaging/waiting/waiting.ts'
import { failureOf, resultOf } from '../format.ts'
import { findCopy, readCopy } from './copies.ts'
import { type Finder, noSuchMessage } from './finder.ts'
import type { MissionFiles } from './parts.ts'
import type { AcmqViewWithBody } from './view.ts'
import type { WaitingMessages } from './waiting/waiting.ts'

export interface AwaitOptions {
  readonly any?: boolean
  readonly waitMs?: number
  readonly signal?: AbortSignal
}

export interface EndedMessage extends AcmqViewWithBody {
  readonly ended: 'completed' | 'failed'
  readonly result?: { readonly text: string; readonly links: readonly string[] }
  readonly failure?: { readonly reason: string; readonly detail?: string }
}

export interface WaitedFor {
  readonly outcome: 'settled' | 'waiting'
  readonly messages: readonly EndedMessage[]
  readonly unsettled: readonly string[]
}

type Ended = EndedMessage['ended']

interface Parts {
  readonly files: MissionFiles
  readonly finder: Finder
  readonly waiting: WaitingMessages
}

/** Waits for all messages, or with `any` for one. Throws for an id that means no message or several. */
export async function waitForEnds(
  parts: Parts,
  ids: readonly string[],
  { any = false, waitMs = Number.POSITIVE_INFINITY, signal }: AwaitOptions = {},
): Promise<WaitedFor> {
  const { tree, queues } = parts.files
  const wanted = new Map<string, Ended | undefined>()
  for (const id of ids) wanted.set(await wholeId(parts, id), undefined)
  const attempt = async () => {
    for (const [id, known] of wanted) {
      if (known === undefined) wanted.set(id, endOf(await parts.waiting.stateOf(id)))
    }
    const ends = [...wanted.values()]
    return (any ? ends.some(Boolean) : ends.every(Boolean)) || undefined
  }
  const options = { waitMs, ...(signal ? { signal } : {}) }
  const isSettled = await waitFor(tree, [queues.completed, queues.failed], attempt, options)
  const messages: EndedMessage[] = []
  for (const [id, ended] of wanted) if (ended !== undefined) messages.push(await endedMessage(parts, id, ended))
  const unsettled = [...wanted].flatMap(([id, ended]) => (ended === undefined ? [id] : []))
  return { outcome: isSettled ? 'settled' : 'waiting', messages, unsettled }
}

async function wholeId({ files, finder }: Parts, id: string): Promise<string> {
  const found: readonly { readonly id: string }[] = await finder.findSurely(id)
  const one = theOneMeant(id, found.length > 0 ? found : await finder.archived(id))
  if (!one) throw noSuchMessage(id, files.place.address)
  return one.id
}

/** The message as it is now. If it was retried since, its reports still say how it ended. */
async function endedMessage({ files, finder }: Parts, id: string, ended: Ended): Promise<EndedMessage> {
  const copy = await findCopy(files, finder, id)
  if (!copy) throw noSuchMessage(id, files.place.address)
  const { text, links } = (ended === 'completed' && resultOf(copy.bytes)) || {}
  const { reason, detail } = (ended === 'failed' && failureOf(copy.bytes)) || {}
  return {
    ...readCopy(files, copy),
    ended,
    ...(text !== undefined && links ? { result: { text, links } } : {}),
    ...(reason === undefined ? {} : { failure: withoutUndefined({ reason, detail }) }),
  }
}

function endOf(state: Awaited<ReturnType<WaitingMessages['stateOf']>>): Ended | undefined {
  if (state === 'completed' || state === 'archived' || state === 'archived-completed') return 'completed'
  return state === 'failed' || state === 'archived-failed' ? 'failed' : undefined
}
